"""The thinking of the Job controller, free of any input and output: which pods to make and to give up, and whether the job ends."""

from typing import NamedTuple

from svcsim.controllers.job.backoff import FailureRecord
from svcsim.controllers.job.pods import Creation, is_failed, is_succeeded
from svcsim.controllers.job.tally import JobSnapshot, Tally, tally
from svcsim.controllers.job.verdict import deadline_in_s, verdict
from svcsim.controllers.job.work import Work, work
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.types import Object


class JobPlan(NamedTuple):
    """What is to be done for one job, before what has come of it is counted."""

    sums: Tally
    ending: Object | None
    """The condition by which it ends, whatever becomes of its pods."""
    create: list[Creation]
    delete: list[Object]
    keeps_deleted: bool
    """Whether pods that are deleted count, as failed: not those of a job that goes on, which just needs fewer."""
    managed: bool
    """Whether its pods were seen to, so that it can be said to be suspended, or resumed."""
    wait_s: float | None
    record: FailureRecord


def make_plan(snapshot: JobSnapshot) -> JobPlan:
    sums = tally(snapshot)
    record = _record(snapshot, sums)
    ending = verdict(snapshot, sums)
    if ending is not None:
        return JobPlan(sums, ending, [], list(sums.active), keeps_deleted=True, managed=False, wait_s=None, record=record)
    managed = snapshot.expectations_met and not is_terminating(snapshot.job)
    found = work(snapshot, sums, record) if managed else Work([], [])
    waits = [wait for wait in (found.wait_s, deadline_in_s(snapshot)) if wait is not None]
    wait_s = min(waits, default=None)
    return JobPlan(sums, None, found.create, found.delete, keeps_deleted=False, managed=managed, wait_s=wait_s, record=record)


def _record(snapshot: JobSnapshot, sums: Tally) -> FailureRecord:
    """What is known of failures. After a start, all pods tell that are still there."""
    if snapshot.record is not None:
        return snapshot.record.after(sums.new_succeeded, sums.new_failed)
    tracked = {uid_of(pod): None for pod in snapshot.tracked}
    # What the job itself gave up has no finalizer and terminates: that was no failure.
    ended = [pod for pod in snapshot.pods if snapshot.concerns(pod) and (not is_terminating(pod) or uid_of(pod) in tracked)]
    succeeded, failed = [pod for pod in ended if is_succeeded(pod)], [pod for pod in ended if is_failed(pod, snapshot.job)]
    return FailureRecord().after(succeeded, failed)
