"""PodNodeSelector: the pods of a namespace run on the nodes that its annotation selects (spec 2.11)."""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_CONFLICT = "pod node label selector conflicts with its namespace node label selector"


class PodNodeSelector:
    """Adds the namespace's node selector to pods, and refuses those that select other nodes."""

    name = "PodNodeSelector"
    rules = (Rule(("CREATE",), ("pods",)),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._namespaces = listers.of("namespaces")
        self._annotation = dialect.key("node-selector", "scheduler.alpha")

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec, wanted = request.obj["spec"], self._wanted(request)
        if _conflict(wanted, spec.get("nodeSelector") or {}):
            raise request.refusal(_CONFLICT)
        if wanted:
            spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **wanted}

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        own = request.obj["spec"].get("nodeSelector") or {}
        if any(own.get(key) != value for key, value in self._wanted(request).items()):
            raise request.refusal(_CONFLICT)

    def _wanted(self, request: AdmissionRequest) -> dict[str, str]:
        """What the namespace's annotation says: ``zone=a,disk=fast``. Raises 403 where it can't be read."""
        namespace = self._namespaces.get("", request.namespace)
        text = annotations_of(namespace).get(self._annotation, "") if namespace is not None else ""
        found: dict[str, str] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            key, equals, value = part.partition("=")
            if not equals:
                raise request.refusal(f"the annotation {self._annotation} of its namespace has {part}, which should read like zone=a")
            found[key.strip()] = value.strip()
        return found


def _conflict(one: dict[str, str], other: dict[str, str]) -> bool:
    return any(other.get(key, value) != value for key, value in one.items())
