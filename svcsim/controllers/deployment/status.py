"""What a deployment tells about itself: its counts, and whether it is available, progressing or stuck."""

from typing import NamedTuple

from svcsim.client.counted_status import patch_counts
from svcsim.controllers.deployment.sets import active, counted, wanted
from svcsim.controllers.deployment.sizes import fences
from svcsim.meta.objects import condition, copy_json, name_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

COUNTS = ("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
_NO_DEADLINE = 2**31 - 1


class Moment(NamedTuple):
    """Now, as a number and as text."""

    seconds: float
    timestamp: str


def counts(deployment: Object, sets: list[Object], new: Object | None) -> Object:
    """The counts of a deployment with these sets, of which ``new`` is the one for its present template."""
    available = sum(counted(item, "availableReplicas") for item in sets)
    return {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": sum(counted(item, "replicas") for item in sets),
        "updatedReplicas": counted(new, "replicas") if new is not None else 0,
        "readyReplicas": sum(counted(item, "readyReplicas") for item in sets),
        "availableReplicas": available,
        "unavailableReplicas": max(sum(map(wanted, sets)) - available, 0),
    }


def make_status(deployment: Object, sets: list[Object], new: Object | None, moment: Moment, *, rollout: bool) -> Object:
    """The status to report. ``rollout`` is False while the deployment is paused or being scaled: then progress isn't judged."""
    status = counts(deployment, sets, new)
    conditions = [copy_json(item) for item in (deployment.get("status") or {}).get("conditions") or []]
    enough = status["availableReplicas"] >= wanted(deployment) - fences(deployment).unavailable
    if enough:
        put(conditions, "Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", moment)
    else:
        put(conditions, "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", moment)
    if rollout:
        _judge_progress(deployment, status, conditions, new, moment)
        failure = _failure(sets, new)
        if failure is not None:
            put(conditions, "ReplicaFailure", failure["status"], failure.get("reason", ""), failure.get("message", ""), moment)
        else:
            conditions = [item for item in conditions if item["type"] != "ReplicaFailure"]
    return {**{name: value for name, value in status.items() if value}, "conditions": conditions}


def status_patch(before: Object, after: Object) -> Object | None:
    """What to patch to come from one status to the other; None where they are the same."""
    return patch_counts(before, {name: after.get(name) for name in COUNTS}, {"conditions": after.get("conditions")})


def deadline(deployment: Object) -> int | None:
    """Seconds a rollout may go without progress; None for ever."""
    seconds = deployment["spec"].get("progressDeadlineSeconds")
    return None if seconds is None or seconds == _NO_DEADLINE else int(seconds)


def is_complete(deployment: Object, status: Object) -> bool:
    """Whether all pods are of the new template and available, and no others are left."""
    replicas = wanted(deployment)
    return all((status.get(name) or 0) == replicas for name in ("updatedReplicas", "replicas", "availableReplicas")) and (
        status.get("observedGeneration") or 0
    ) >= deployment["metadata"].get("generation", 0)


def recheck_in_s(deployment: Object, status: Object, now: float) -> float | None:
    """Seconds until the deadline has to be looked at again; None where it hasn't."""
    limit = deadline(deployment)
    progressing = condition({"status": status}, "Progressing")
    if limit is None or progressing is None or is_complete(deployment, status) or progressing["status"] == "False":
        return None
    if progressing.get("reason") in {"NewReplicaSetAvailable", "DeploymentPaused"}:
        return None
    return max(_noted_at(progressing) + limit - now, 0) + 1


def _noted_at(progressing: Object) -> float:
    """When progress was recorded; long ago, if the condition has no time."""
    noted: str | None = progressing.get("lastUpdateTime")
    return parse_time(noted) if noted else 0.0


def put(conditions: list[Object], kind: str, status: str, reason: str, message: str, moment: Moment) -> None:
    """Set a condition, in place; one that says the same for the same reason stays as it is."""
    current = next((item for item in conditions if item["type"] == kind), None)
    if current is not None and current["status"] == status and current.get("reason") == reason:
        return
    since = current.get("lastTransitionTime") if current is not None and current["status"] == status else None
    _replace(conditions, kind, status, reason, message, moment, since or moment.timestamp)


def _replace(conditions: list[Object], kind: str, status: str, reason: str, message: str, moment: Moment, since: str) -> None:
    conditions[:] = [item for item in conditions if item["type"] != kind]
    conditions.append(
        {
            "type": kind,
            "status": status,
            "lastUpdateTime": moment.timestamp,
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }
    )


def _judge_progress(deployment: Object, status: Object, conditions: list[Object], new: Object | None, moment: Moment) -> None:
    limit = deadline(deployment)
    if limit is None:
        conditions[:] = [item for item in conditions if item["type"] != "Progressing"]
        return
    current = next((item for item in conditions if item["type"] == "Progressing"), None)
    if current is not None and current.get("reason") == "NewReplicaSetAvailable" and status["replicas"] == status["updatedReplicas"]:
        return  # rolled out before; pods that come and go since are no rollout
    what = f'ReplicaSet "{name_of(new)}"' if new is not None else f'Deployment "{name_of(deployment)}"'
    if is_complete(deployment, status):
        put(conditions, "Progressing", "True", "NewReplicaSetAvailable", f"{what} has successfully progressed.", moment)
    elif _has_progressed(deployment.get("status") or {}, status) or _lies_ahead(current, moment.seconds):
        since = current.get("lastTransitionTime") if current is not None and current["status"] == "True" else None
        _replace(conditions, "Progressing", "True", "ReplicaSetUpdated", f"{what} is progressing.", moment, since or moment.timestamp)
    elif _is_overdue(current, limit, moment.seconds):
        put(conditions, "Progressing", "False", "ProgressDeadlineExceeded", f"{what} has timed out progressing.", moment)


def _has_progressed(before: Object, after: Object) -> bool:
    def old_pods(status: Object) -> int:
        return int(status.get("replicas") or 0) - int(status.get("updatedReplicas") or 0)

    return old_pods(after) < old_pods(before) or any(
        (after.get(name) or 0) > (before.get(name) or 0) for name in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )


def _lies_ahead(progressing: Object | None, now: float) -> bool:
    """Whether the last progress was noted by a clock that was ahead, and has been set back: then the deadline is counted from now."""
    return progressing is not None and progressing["status"] == "True" and _noted_at(progressing) > now + 1


def _is_overdue(progressing: Object | None, limit: int, now: float) -> bool:
    if progressing is None or progressing.get("reason") == "NewReplicaSetAvailable":
        return False
    if progressing.get("reason") == "ProgressDeadlineExceeded":
        return True
    return _noted_at(progressing) + limit < now


def _failure(sets: list[Object], new: Object | None) -> Object | None:
    """Why a set can't make its pods: the new one first."""
    for item in [*([new] if new is not None else []), *active(sets)]:
        found = condition(item, "ReplicaFailure")
        if found is not None:
            return found
    return None
