"""What the pods of a job add up to, together with what its status has counted already."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from svcsim.controllers.job.backoff import FailureRecord
from svcsim.controllers.job.failure_policy import ruling
from svcsim.controllers.job.indexes import Indexes, read_indexes
from svcsim.controllers.job.pods import (
    failures_before,
    finished_at,
    ignored_before,
    index_of,
    is_failed,
    is_indexed,
    is_succeeded,
    is_tracked,
)
from svcsim.controllers.job.words import Words
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.pods import is_active, is_finished
from svcsim.meta.types import Object


@dataclass(frozen=True)
class JobSnapshot:
    """All that a job is judged by."""

    job: Object
    pods: list[Object]
    """All that belong to it."""
    let_go: Mapping[str, None]
    """UIDs of pods that have lost the finalizer, although the cache may not show it yet."""
    expectations_met: bool
    record: FailureRecord | None
    """What is known of failures; None right after a start."""
    now: float
    timestamp: str
    words: Words

    @cached_property
    def tracked(self) -> list[Object]:
        """Pods that the finalizer keeps."""
        return [pod for pod in self.pods if is_tracked(pod, self.words) and uid_of(pod) not in self.let_go]

    @property
    def completions(self) -> int | None:
        completions: int | None = self.job["spec"].get("completions")
        return completions

    def valid_index(self, pod: Object) -> int | None:
        """A pod's index, if it is one of the job's."""
        index = index_of(pod, self.words)
        return index if index is not None and index < (self.completions or 0) else None

    def concerns(self, pod: Object) -> bool:
        """Whether it matters how a pod ends: not if its index isn't one of the job's any more."""
        return not is_indexed(self.job) or self.valid_index(pod) is not None


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums. Pods are new that have ended and are not counted in the status."""

    active: list[Object]
    terminating: int
    new_succeeded: list[Object]
    new_failed: list[Object]
    """Also those whose failure is ignored."""
    succeeded: int
    failed: int
    completed: Indexes
    """The completed indexes of an indexed job."""
    failed_indexes: Indexes | None
    """The failed indexes of an indexed job that limits the failures of each index."""
    delayed: dict[int, Object]
    """The last failed pod of indexes to try again, which tells how often they have failed until there is another."""


def uncounted_uids(status: Object, part: str) -> list[str]:
    """UIDs in ``uncountedTerminatedPods``."""
    uids: list[str] = (status.get("uncountedTerminatedPods") or {}).get(part) or []
    return uids


def tally(snapshot: JobSnapshot) -> Tally:
    job, status = snapshot.job, snapshot.job.get("status") or {}
    known = {part: dict.fromkeys(uncounted_uids(status, part)) for part in ("succeeded", "failed")}
    relevant = [pod for pod in snapshot.tracked if snapshot.concerns(pod)]
    new_succeeded = [pod for pod in relevant if is_succeeded(pod) and uid_of(pod) not in known["succeeded"]]
    new_failed = [pod for pod in relevant if is_failed(pod, job) and uid_of(pod) not in known["failed"]]
    succeeded = (status.get("succeeded") or 0) + len(new_succeeded) + len(known["succeeded"])
    completed: Indexes = {}
    if is_indexed(job):
        completed = read_indexes(status.get("completedIndexes") or "", snapshot.completions or 0)
        completed.update((index, None) for pod in relevant if is_succeeded(pod) and (index := snapshot.valid_index(pod)) is not None)
        succeeded = len(completed)
    failed_indexes = _failed_indexes(snapshot, relevant, completed)
    active = [pod for pod in snapshot.pods if is_active(pod)]
    return Tally(
        active=active,
        terminating=sum(is_terminating(pod) and not is_finished(pod) for pod in snapshot.pods),
        new_succeeded=new_succeeded,
        new_failed=new_failed,
        succeeded=succeeded,
        failed=(status.get("failed") or 0) + len(known["failed"]) + sum(ruling(job, pod).counts for pod in new_failed),
        completed=completed,
        failed_indexes=failed_indexes,
        delayed={} if failed_indexes is None else _delayed(snapshot, relevant, active, {**completed, **failed_indexes}),
    )


def _failed_indexes(snapshot: JobSnapshot, relevant: list[Object], completed: Indexes) -> Indexes | None:
    job, most = snapshot.job, snapshot.job["spec"].get("backoffLimitPerIndex")
    if most is None or not is_indexed(job):
        return None
    found = read_indexes((job.get("status") or {}).get("failedIndexes") or "", snapshot.completions or 0)
    for pod in relevant:
        index = snapshot.valid_index(pod)
        if index is None or index in completed or not is_failed(pod, job):
            continue
        ruled = ruling(job, pod)
        if ruled.action == "FailIndex" or (ruled.counts and failures_before(pod, snapshot.words) >= most):
            found[index] = None
    return found


def _delayed(snapshot: JobSnapshot, relevant: list[Object], active: list[Object], done: Indexes) -> dict[int, Object]:
    words = snapshot.words
    busy = {index_of(pod, words): None for pod in active}
    found: dict[int, Object] = {}

    def rank(pod: Object) -> tuple[int, float]:
        return failures_before(pod, words) + ignored_before(pod, words), finished_at(pod)

    for pod in relevant:
        index = snapshot.valid_index(pod)
        if index is None or index in done or index in busy or not is_failed(pod, snapshot.job):
            continue
        if index not in found or rank(pod) >= rank(found[index]):
            found[index] = pod
    return found
