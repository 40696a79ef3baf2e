"""The status of an autoscaler as it is being worked out: conditions in the words of Kubernetes' controller, metrics and sizes."""

from svcsim.meta.objects import set_condition
from svcsim.meta.types import Object

ABLE, ACTIVE, LIMITED = "AbleToScale", "ScalingActive", "ScalingLimited"


class StatusReport:
    """Begins with what the status says now."""

    def __init__(self, autoscaler: Object, now: str) -> None:
        self._before: Object = autoscaler.get("status") or {}
        self._now = now
        self._generation = autoscaler["metadata"].get("generation")
        self._conditions: list[Object] = [dict(one) for one in self._before.get("conditions") or ()]
        self.metrics: list[Object] | None = None
        """The status of each metric, empty of one that said nothing; None where none was asked for."""
        self.current: int | None = None
        """How many pods there are to be; None where that isn't known."""
        self.desired: int | None = None
        """How many there are to be from now on; None where that was not worked out."""
        self.rescaled = False

    def condition(self, kind: str, holds: bool, reason: str, message: str) -> None:
        """Say of a condition how it is."""
        wanted = {"type": kind, "status": "True" if holds else "False", "reason": reason, "message": message}
        set_condition(self._conditions, wanted, self._now)

    def status(self) -> Object:
        """What the status is to say."""
        found: Object = {**self._before, "conditions": self._conditions}
        if self._generation is not None:
            found["observedGeneration"] = self._generation
        if self.current is not None:
            found |= {"currentReplicas": self.current, "currentMetrics": self.metrics or None}
        if self.desired is not None:
            found["desiredReplicas"] = self.desired
        if self.rescaled:
            found["lastScaleTime"] = self._now
        return found
