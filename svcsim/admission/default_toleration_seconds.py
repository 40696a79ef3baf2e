"""DefaultTolerationSeconds: a pod stays five minutes on a node that stopped answering, unless it says otherwise."""

from svcsim.admission.plugin import Quiet
from svcsim.dialect import Dialect
from svcsim.meta.types import Object
from svcsim.registry.options import Caller, Target

DEFAULT_SECONDS = 300


class DefaultTolerationSeconds(Quiet):
    """Adds the two tolerations to new pods that don't have their like."""

    resources = ("pods",)
    operations = ("CREATE",)

    def __init__(self, dialect: Dialect) -> None:
        self._keys = (dialect.key("not-ready", "node"), dialect.key("unreachable", "node"))

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Add what is missing."""
        if new is None or target.subresource:
            return
        tolerations = new["spec"].setdefault("tolerations", [])
        for key in self._keys:
            if not any(_covers(toleration, key) for toleration in tolerations):
                tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": DEFAULT_SECONDS})


def _covers(toleration: Object, key: str) -> bool:
    return toleration.get("key") in (None, "", key) and toleration.get("effect") in (None, "", "NoExecute")
