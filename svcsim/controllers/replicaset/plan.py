"""The thinking of the ReplicaSet controller, free of any input and output: which pods to make, which to give up, what to report."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.client.counted_status import patch_counts
from svcsim.controllers.replicaset.known_pods import Counts
from svcsim.dialect import Dialect
from svcsim.meta.go_integers import read_decimal
from svcsim.meta.objects import annotations_of, condition, copy_json, set_condition, uid_of
from svcsim.meta.pods import is_active, is_ready, node_of, progress, ready_since
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object

COUNTS = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")


class ReplicaSetPlan(NamedTuple):
    """What is to be done for one ReplicaSet. Pods to delete come in the order in which they are given up."""

    create: int
    delete: list[Object]


def make_plan(wanted: int, pods: list[Object], related: list[Object], dialect: Dialect, now: float) -> ReplicaSetPlan:
    """``pods`` are the set's active ones; ``related`` those of all sets with the same owner, which tell what crowds a node."""
    surplus = len(pods) - wanted
    if surplus < 0:
        return ReplicaSetPlan(min(-surplus, limits.CREATIONS_AT_ONCE), [])
    if surplus == 0:
        return ReplicaSetPlan(0, [])
    surplus = min(surplus, limits.CREATIONS_AT_ONCE)
    if surplus >= len(pods):
        return ReplicaSetPlan(0, list(pods))
    crowd: dict[str, int] = {}
    for pod in related:
        node = node_of(pod)
        if node and is_active(pod):
            crowd[node] = crowd.get(node, 0) + 1
    return ReplicaSetPlan(0, sorted(pods, key=lambda pod: _worth(pod, crowd, dialect, now))[:surplus])


def make_status(replica_set: Object, counts: Counts, waits: Sequence[float] | None, failure: Object | None, timestamp: str) -> Object:
    """The status to report for the set's active pods.

    ``waits`` are the seconds until each ready one counts as available, 0 or less once it does; None where they all do at once. ``failure``
    is a ReplicaFailure condition, where pods can't be made or deleted.
    """
    status: Object = {
        "replicas": counts.all,
        "fullyLabeledReplicas": counts.labelled,
        "readyReplicas": counts.ready,
        "availableReplicas": counts.ready if waits is None else len([wait for wait in waits if wait <= 0]),
        "observedGeneration": replica_set["metadata"].get("generation", 0),
    }
    conditions = [copy_json(item) for item in (replica_set.get("status") or {}).get("conditions") or []]
    if failure is None:
        conditions = [item for item in conditions if item["type"] != "ReplicaFailure"]
    elif not _same_failure(condition(replica_set, "ReplicaFailure"), failure):
        set_condition(conditions, failure, timestamp)
    return {name: value for name, value in status.items() if value or name == "replicas"} | (
        {"conditions": conditions} if conditions else {}
    )


def status_patch(before: Object, after: Object) -> Object | None:
    """What to patch to come from one status to the other; None where they are the same."""
    counts = {name: after.get(name) for name in (*COUNTS, "observedGeneration")}
    return patch_counts(before, counts, {"conditions": after.get("conditions")})


def _same_failure(before: Object | None, failure: Object) -> bool:
    return before is not None and all(before.get(name) == failure[name] for name in ("status", "reason"))


def _worth(pod: Object, crowd: dict[str, int], dialect: Dialect, now: float) -> tuple[Json, ...]:
    """A sort key: what is worth least, and so is given up first, comes first."""
    node = node_of(pod)
    status = pod.get("status") or {}
    ready = is_ready(pod)
    restarts = max((container.get("restartCount", 0) for container in status.get("containerStatuses") or []), default=0)
    return (
        bool(node),
        progress(pod),
        ready,
        _deletion_cost(pod, dialect),
        -crowd.get(node, 0),
        _age_rank(ready_since(pod), now) if ready else 0,
        -restarts,
        _age_rank(parse_time(pod["metadata"]["creationTimestamp"]), now),
        uid_of(pod),
    )


def _age_rank(since: float, now: float) -> int:
    """Ages on a logarithmic scale: only pods of clearly different age are told apart, so that chance spreads the rest."""
    age = int(now - since)
    return int(math.log2(age)) + 1 if age >= 1 else 0


def _deletion_cost(pod: Object, dialect: Dialect) -> int:
    text = annotations_of(pod).get(dialect.key("pod-deletion-cost", "controller"), "0")
    try:
        return read_decimal(text, 32)
    except ValueError:
        return 0
