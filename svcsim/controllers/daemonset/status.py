"""What a DaemonSet reports: on how many nodes its pods are, should be, and do their work."""

from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot
from svcsim.meta.pods import available_in, is_ready
from svcsim.meta.types import Json, Object

_COLLISIONS = "collisionCount"
_ALWAYS = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")
_SOMETIMES = ("updatedNumberScheduled", "numberAvailable", "numberUnavailable", "observedGeneration", _COLLISIONS)
"""Not there where they are 0."""


def make_status(snapshot: DaemonSetSnapshot, collisions: int, observed: int) -> Object:
    """The status to report. ``observed`` is the generation that has been acted on."""
    counts = dict.fromkeys((*_ALWAYS, "updatedNumberScheduled", "numberAvailable"), 0)
    for node, verdict in snapshot.nodes.items():
        pods = snapshot.pods.get(node)
        if not verdict.should_run:
            counts["numberMisscheduled"] += bool(pods)
            continue
        counts["desiredNumberScheduled"] += 1
        if not pods:
            continue
        senior = pods[0]
        counts["currentNumberScheduled"] += 1
        counts["numberReady"] += is_ready(senior)
        counts["numberAvailable"] += snapshot.is_available(senior)
        counts["updatedNumberScheduled"] += snapshot.is_updated(senior)
    counts["numberUnavailable"] = counts["desiredNumberScheduled"] - counts["numberAvailable"]
    return {**counts, "observedGeneration": observed, "collisionCount": collisions}


def status_patch(before: Object, after: Object) -> Object | None:
    """What to patch to come from one status to the other; None where they are the same.

    All that is counted goes together: what was seen of the status may be older than what it says by now, and half of one and half of the
    other never was true.
    """
    wanted: dict[str, Json] = {name: after[name] for name in _ALWAYS}
    wanted.update({name: after[name] or None for name in _SOMETIMES})
    if (before.get(_COLLISIONS) or 0) == after[_COLLISIONS]:
        del wanted[_COLLISIONS]  # which is counted up elsewhere, too
    return wanted if any(value != before.get(name) for name, value in wanted.items()) else None


def available_next_s(snapshot: DaemonSetSnapshot) -> float | None:
    """After how many seconds a pod that is ready now will have been so for long enough, if nothing changes."""
    min_ready_s = snapshot.daemon_set["spec"].get("minReadySeconds") or 0
    if not min_ready_s:
        return None
    waits = (available_in(pod, min_ready_s, snapshot.now) for pods in snapshot.pods.values() for pod in pods)
    return min((wait for wait in waits if wait is not None and wait > 0), default=None)
