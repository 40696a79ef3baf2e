"""Priority: a pod has the priority of its class, which the scheduler goes by."""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_PREEMPTING = "PreemptLowerPriority"


class Priority:
    """Fills in the class, the priority and the preemption policy of pods, and sees to it that one class at most is everybody's."""

    name = "Priority"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)), Rule(("CREATE", "UPDATE"), ("priorityclasses",), "scheduling", suffixed=True))

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._classes = listers.of(f"priorityclasses.{dialect.group('scheduling')}")

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        if request.resource.plural != "pods":
            return
        spec = request.obj["spec"]
        if request.operation == "UPDATE":
            assert request.old is not None
            for field in ("priority", "preemptionPolicy"):
                if spec.get(field) is None and request.old["spec"].get(field) is not None:
                    spec[field] = request.old["spec"][field]
            return
        found = self._class_of(request, spec)
        priority, policy = int(found.get("value") or 0), found.get("preemptionPolicy") or _PREEMPTING
        if spec.get("priority") not in (None, priority):
            why = f"the integer value of priority ({spec['priority']}) must not be provided in pod spec"
            raise request.refusal(f"{why}; priority admission controller computed {priority} from the given PriorityClass name")
        if spec.get("preemptionPolicy") not in (None, policy):
            why = f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec"
            raise request.refusal(f"{why}; priority admission controller computed {policy} from the given PriorityClass name")
        spec["priority"], spec["preemptionPolicy"] = priority, policy

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        if request.resource.plural != "priorityclasses" or not request.obj.get("globalDefault"):
            return
        present = self._default()
        if present is not None and name_of(present) != request.name:
            why = f"PriorityClass {name_of(present)} is already marked as default. Only one default can exist"
            raise request.refusal(why)

    def _class_of(self, request: AdmissionRequest, spec: Object) -> Object:
        """The class of a new pod, the default one where it names none, or one that is nobody's. Raises 403 where it isn't there."""
        name = spec.get("priorityClassName")
        if not name:
            default = self._default()
            if default is not None:
                spec["priorityClassName"] = name_of(default)
            return default or {}
        found = self._classes.get("", name)
        if found is None:
            raise request.refusal(f"no PriorityClass with name {name} was found")
        return found

    def _default(self) -> Object | None:
        """The class of pods that name none: of several, as there may be for a moment, that of the lowest priority."""
        defaults = [one for one in self._classes.list() if one.get("globalDefault")]
        return min(defaults, key=lambda one: int(one.get("value") or 0), default=None)
