"""RuntimeClass: a pod takes from the class that runs it what that costs beside its containers, and where it can run.

What it costs is the class's to say alone, so a pod that says it itself is refused, whatever it says.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.merged_tolerations import merged
from svcsim.meta.pod_amounts import quantities
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_ITSELF = "pod rejected: Pod Overhead is set by the pod itself; leave it out, so that its RuntimeClass sets it"
_SET = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClass:
    """Sets ``spec.overhead``, and adds the class's node selector and tolerations to the pod's."""

    name = "RuntimeClass"
    rules = (Rule(("CREATE",), ("pods",)),)

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"runtimeclasses.{dialect.group('node')}")

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec, found = request.obj["spec"], self._class_of(request)
        overhead = _overhead(found)
        if spec.get("overhead") and not request.is_reinvocation:
            differs = overhead and quantities(spec["overhead"]) != quantities(overhead)
            raise request.refusal(_MISMATCH if differs else _ITSELF if overhead else _SET)
        if overhead:
            spec["overhead"] = dict(overhead)
        if found is not None:
            _place(request, spec, found.get("scheduling") or {})

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        own, wanted = request.obj["spec"].get("overhead"), _overhead(self._class_of(request))
        if wanted and quantities(own) != quantities(wanted):
            raise request.refusal(_MISMATCH)
        if own and not wanted:
            raise request.refusal(_SET)

    def _class_of(self, request: AdmissionRequest) -> Object | None:
        """The class that a pod names, if it names one. Raises 403 where it isn't there."""
        assert request.obj is not None
        name = request.obj["spec"].get("runtimeClassName")
        if name is None:
            return None
        found = self._classes.get("", name)
        if found is None:
            raise request.refusal(f'pod rejected: RuntimeClass "{name}" not found')
        return found


def _overhead(found: Object | None) -> Object:
    overhead: Object = ((found or {}).get("overhead") or {}).get("podFixed") or {}
    return overhead


def _place(request: AdmissionRequest, spec: Object, scheduling: Object) -> None:
    """Let the pod run only where its class can. Raises 403 where both want another node."""
    selector = dict(spec.get("nodeSelector") or {})
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        if selector.setdefault(key, value) != value:
            wanted = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
            raise request.refusal(f"conflict: {wanted}; pod.spec.nodeSelector[{key}] = {selector[key]}")
    if selector:
        spec["nodeSelector"] = selector
    if scheduling.get("tolerations"):
        spec["tolerations"] = merged(spec.get("tolerations") or (), scheduling["tolerations"])
