"""What a StatefulSet reports: how many pods it has, how many of them do their work, and of which revisions they are."""

from svcsim.client.counted_status import patch_counts
from svcsim.controllers.statefulset.snapshot import StatefulSetSnapshot, is_running_and_ready, revision_of_pod
from svcsim.meta.objects import is_terminating
from svcsim.meta.pods import available_in, phase_of
from svcsim.meta.types import Object

_COUNTED = ("readyReplicas", "currentReplicas", "updatedReplicas")
_COLLISIONS = "collisionCount"
_SOMETIMES = (*_COUNTED, "currentRevision", "updateRevision")
"""Not there where they are 0 or empty."""


def make_status(snapshot: StatefulSetSnapshot, collisions: int) -> Object:
    """The status to report. A rollout is over when all pods are of the present template and ready: then that is the current one."""
    counts = dict.fromkeys(("replicas", "availableReplicas", *_COUNTED), 0)
    for pod in snapshot.pods:
        if not phase_of(pod):
            continue
        counts["replicas"] += 1
        if is_running_and_ready(pod):
            counts["readyReplicas"] += 1
            counts["availableReplicas"] += snapshot.is_available(pod)
        if not is_terminating(pod):
            counts["currentReplicas"] += revision_of_pod(pod) == snapshot.current
            counts["updatedReplicas"] += revision_of_pod(pod) == snapshot.update
    stateful_set = snapshot.stateful_set
    current = snapshot.current
    rolling = (stateful_set["spec"].get("updateStrategy") or {}).get("type") != "OnDelete"
    if rolling and counts["updatedReplicas"] == counts["readyReplicas"] == counts["replicas"] == len(snapshot.wanted):
        current = snapshot.update
        counts["currentReplicas"] = counts["updatedReplicas"]
    return {
        **counts,
        "observedGeneration": stateful_set["metadata"].get("generation", 0),
        "currentRevision": current,
        "updateRevision": snapshot.update,
        _COLLISIONS: collisions,
    }


def status_patch(before: Object, after: Object) -> Object | None:
    """What to patch to come from one status to the other; None where they are the same."""
    counts = {name: value or None if name in _SOMETIMES else value for name, value in after.items() if name != _COLLISIONS}
    return patch_counts(before, counts, {_COLLISIONS: after[_COLLISIONS]})


def available_next_s(snapshot: StatefulSetSnapshot) -> float | None:
    """After how many seconds a pod that is ready now will have been so for long enough, if nothing changes."""
    if not snapshot.min_ready_s:
        return None
    waits = (available_in(pod, snapshot.min_ready_s, snapshot.now) for pod in snapshot.pods)
    return min((wait for wait in waits if wait is not None and wait > 0), default=None)
