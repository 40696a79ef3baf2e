"""TaintNodesByCondition: a new node takes no pods before it has been seen to be ready."""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.registry.admission import AdmissionRequest


class TaintNodesByCondition:
    """Taints new nodes as not ready; the node life-cycle controller takes the taint away."""

    name = "TaintNodesByCondition"
    rules = (Rule(("CREATE",), ("nodes",)),)

    def __init__(self, dialect: Dialect) -> None:
        self._taint = {"key": dialect.key("not-ready", "node"), "effect": "NoSchedule"}

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec = request.obj.get("spec") or {}
        taints = spec.get("taints") or []
        if not any((one.get("key"), one.get("effect")) == (self._taint["key"], self._taint["effect"]) for one in taints):
            request.obj["spec"] = {**spec, "taints": [*taints, dict(self._taint)]}
