"""What a DaemonSet reports: on how many nodes its pods are, should be, and do their work."""

from svcsim.client.counted_status import patch_counts
from svcsim.controllers.daemonset.snapshot import DaemonSetSnapshot
from svcsim.meta.pods import available_in, is_ready
from svcsim.meta.types import Object

_COLLISIONS = "collisionCount"
_ALWAYS = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")
_SOMETIMES = ("updatedNumberScheduled", "numberAvailable", "numberUnavailable", "observedGeneration")
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
    """What to patch to come from one status to the other; None where they are the same."""
    told = {name: value for name, value in before.items() if value or name in _ALWAYS}
    counts = {**{name: after[name] for name in _ALWAYS}, **{name: after[name] or None for name in _SOMETIMES}}
    return patch_counts(told, counts, {_COLLISIONS: after[_COLLISIONS] or None})


def available_next_s(snapshot: DaemonSetSnapshot) -> float | None:
    """After how many seconds a pod that is ready now will have been so for long enough, if nothing changes."""
    min_ready_s = snapshot.daemon_set["spec"].get("minReadySeconds") or 0
    if not min_ready_s:
        return None
    waits = (available_in(pod, min_ready_s, snapshot.now) for pods in snapshot.pods.values() for pod in pods)
    return min((wait for wait in waits if wait is not None and wait > 0), default=None)
