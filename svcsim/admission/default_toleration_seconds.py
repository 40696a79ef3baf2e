"""DefaultTolerationSeconds: a pod stays five minutes on a node that stopped answering, unless it says otherwise."""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest

DEFAULT_SECONDS = 300


class DefaultTolerationSeconds:
    """Adds the two tolerations to pods that don't have their like, also when they are replaced: a manifest doesn't name them."""

    name = "DefaultTolerationSeconds"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)),)

    def __init__(self, dialect: Dialect) -> None:
        self._keys = (dialect.key("not-ready", "node"), dialect.key("unreachable", "node"))

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        tolerations = request.obj["spec"].setdefault("tolerations", [])
        for key in self._keys:
            if not any(_covers(toleration, key) for toleration in tolerations):
                tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": DEFAULT_SECONDS})


def _covers(toleration: Object, key: str) -> bool:
    return toleration.get("key") in (None, "", key) and toleration.get("effect") in (None, "", "NoExecute")
