"""Why a pod fails whatever its containers do: its node rejects it, evicts it, needs its room, or its deadline has passed."""

from svcsim.nodes.containers.pod_events import PodEvents
from svcsim.nodes.pods.critical_pods import DISRUPTED, PREEMPTED, PREEMPTING

DEADLINE_EXCEEDED = "DeadlineExceeded"
EVICTED = "Evicted"
_DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"


class PodFailure:
    """``reason`` and ``message`` of a pod's status, both empty for one that only its containers may have fail."""

    __slots__ = ("_events", "deadline_at", "message", "reason", "rejected")

    def __init__(self, events: PodEvents) -> None:
        self._events = events
        self.reason = self.message = ""
        self.rejected = False
        """Whether the node has never taken it."""
        self.deadline_at: float | None = None
        """Seconds since the epoch."""

    def reject(self, reason: str, message: str) -> None:
        """The node doesn't take it."""
        self.reason, self.message, self.rejected, self.deadline_at = reason, f"Pod was rejected: {message}", True, None
        self._events.warn(reason, message)

    def evict(self, message: str) -> None:
        """The node has it go, for what it has used."""
        self.reason, self.message, self.deadline_at = EVICTED, message, None
        self._events.warn(EVICTED, message)

    def preempt(self) -> None:
        """The node needs its room for a critical pod."""
        self.reason, self.message, self.deadline_at = PREEMPTING, PREEMPTED, None
        self._events.warn(PREEMPTING, PREEMPTED)

    def exceed_deadline(self) -> None:
        """It has run for as long as it may."""
        self.reason, self.message, self.deadline_at = DEADLINE_EXCEEDED, _DEADLINE_MESSAGE, None
        self._events.normal(DEADLINE_EXCEEDED, _DEADLINE_MESSAGE)

    @property
    def disruption(self) -> str:
        """Why its node has it go; empty if it doesn't."""
        return {EVICTED: self.message, PREEMPTING: DISRUPTED}.get(self.reason, "")
