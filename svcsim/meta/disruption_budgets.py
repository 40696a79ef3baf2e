"""What a disruption budget says, for those who keep count of its pods and those who ask whether one more may go."""

from svcsim.meta.objects import copy_json, set_condition
from svcsim.meta.types import Json, Object

DISRUPTION_ALLOWED = "DisruptionAllowed"
SYNC_FAILED = "SyncFailed"
"""Why its condition is False where the pods couldn't be counted."""


def status_of(budget: Object) -> Object:
    status: Object = budget.get("status") or {}
    return status


def number_in(status: Object, field: str) -> int:
    """A count of a budget's status; 0 where it isn't there yet."""
    number: int = status.get(field) or 0
    return number


def lets_unhealthy_go(budget: Object) -> bool:
    """Whether a pod that isn't ready may go without using up a disruption: it isn't among those that are counted."""
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = status_of(budget)
    return 0 < number_in(status, "desiredHealthy") <= number_in(status, "currentHealthy")


def with_condition(status: Object, now: str) -> Object:
    """The status with a condition that says what its ``disruptionsAllowed`` does."""
    enough = number_in(status, "disruptionsAllowed") > 0
    return with_reason(status, "SufficientPods" if enough else "InsufficientPods", "", now)


def with_reason(status: Object, reason: str, message: str, now: str) -> Object:
    """The status with a condition that gives this reason."""
    conditions: list[Object] = copy_json(status.get("conditions") or [])
    wanted: dict[str, Json] = {
        "type": DISRUPTION_ALLOWED,
        "status": "True" if reason == "SufficientPods" else "False",
        "observedGeneration": number_in(status, "observedGeneration"),
        "reason": reason,
        "message": message,
    }
    set_condition(conditions, wanted, now)
    return {**status, "conditions": conditions}
