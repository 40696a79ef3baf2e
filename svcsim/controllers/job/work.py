"""Which pods a job makes and which it gives up, while it goes on."""

import math
from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.job.backoff import FailureRecord, index_remaining_s
from svcsim.controllers.job.failure_policy import ruling
from svcsim.controllers.job.pods import Creation, failures_before, ignored_before, index_of, is_indexed, replaces_failed_only, restarts_of
from svcsim.controllers.job.tally import JobSnapshot, Tally
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.pods import is_finished, is_ready, node_of, progress, ready_since
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object


class Work(NamedTuple):
    """Pods to make or to give up, never both, and when to look again if something has to wait."""

    create: list[Creation]
    delete: list[Object]
    wait_s: float | None = None


def work(snapshot: JobSnapshot, sums: Tally, record: FailureRecord) -> Work:
    spec, active = snapshot.job["spec"], sums.active
    if spec.get("suspend"):
        return Work([], list(active))
    wanted = _wanted(snapshot, sums)
    surplus = _surplus(snapshot, active, len(active) - wanted)
    if surplus:
        return Work([], surplus[: limits.CREATIONS_AT_ONCE])
    missing = wanted - len(active) - (sums.terminating if replaces_failed_only(snapshot.job) else 0)
    if missing <= 0:
        return Work([], [])
    missing = min(missing, limits.CREATIONS_AT_ONCE)
    if sums.failed_indexes is not None:
        return _by_index(snapshot, sums, missing)
    wait_s = record.remaining_s(snapshot.now)
    if wait_s > 0:
        return Work([], [], wait_s)
    if is_indexed(snapshot.job):
        return Work([Creation(index) for index in _pending(snapshot, sums)[:missing]], [])
    return Work([Creation()] * missing, [])


def _wanted(snapshot: JobSnapshot, sums: Tally) -> int:
    """How many pods are to be active. Without completions, none is added any more after the first success."""
    parallelism: int = snapshot.job["spec"].get("parallelism", 1)
    if snapshot.completions is None:
        return min(len(sums.active), parallelism) if sums.succeeded else parallelism
    left = snapshot.completions - sums.succeeded - len(sums.failed_indexes or ())
    return max(min(left, parallelism), 0)


def _pending(snapshot: JobSnapshot, sums: Tally) -> list[int]:
    """Indexes without a pod that have neither succeeded nor failed for good, in order."""
    busy = {index_of(pod, snapshot.words): None for pod in sums.active}
    if replaces_failed_only(snapshot.job):
        busy.update((index_of(pod, snapshot.words), None) for pod in snapshot.pods if is_terminating(pod) and not is_finished(pod))
    done = {**sums.completed, **(sums.failed_indexes or {})}
    return [index for index in range(snapshot.completions or 0) if index not in done and index not in busy]


def _by_index(snapshot: JobSnapshot, sums: Tally, missing: int) -> Work:
    """Each index waits for itself. An index that can be tried now doesn't wait for one before it."""
    create: list[Creation] = []
    soonest = math.inf
    for index in _pending(snapshot, sums):
        before = sums.delayed.get(index)
        wait_s = 0.0 if before is None else index_remaining_s(before, snapshot.words, snapshot.now)
        if wait_s > 0:
            soonest = min(soonest, wait_s)
        elif len(create) < missing:
            create.append(_next_try(snapshot, index, before))
    return Work(create, [], None if soonest == math.inf else soonest)


def _next_try(snapshot: JobSnapshot, index: int, before: Object | None) -> Creation:
    if before is None:
        return Creation(index, 0)
    counts = ruling(snapshot.job, before).counts
    failures, ignored = failures_before(before, snapshot.words), ignored_before(before, snapshot.words)
    return Creation(index, failures + counts, ignored + (not counts))


def _surplus(snapshot: JobSnapshot, active: list[Object], at_least: int) -> list[Object]:
    """Pods to give up: those without an index of their own first, then those worth least."""
    own = [snapshot.valid_index(pod) for pod in active] if is_indexed(snapshot.job) else []
    if at_least <= 0 and None not in own and len(dict.fromkeys(own)) == len(own):
        return []
    left = sorted(active, key=_worth)
    gone: list[Object] = []
    if is_indexed(snapshot.job):
        best: dict[int, Object] = {}
        for pod in left:
            index = snapshot.valid_index(pod)
            other = pod if index is None else best.get(index)
            if other is not None:
                gone.append(other)
            if index is not None:
                best[index] = pod
        left = sorted(best.values(), key=_worth)
    return gone + left[: max(at_least - len(gone), 0)]


def _worth(pod: Object) -> tuple[Json, ...]:
    """A sort key: what has come least far comes first."""
    ready = is_ready(pod)
    return (
        bool(node_of(pod)),
        progress(pod),
        ready,
        -ready_since(pod) if ready else 0.0,
        -restarts_of(pod),
        -parse_time(pod["metadata"]["creationTimestamp"]),
        uid_of(pod),
    )
