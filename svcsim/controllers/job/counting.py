"""Counting pods exactly once, whatever happens in between.

The UID of a pod that has ended goes into the status; then the pod loses its finalizer; then the UID becomes a count. After an interruption
the status and the finalizers show how far it had come. For indexed jobs the completed indexes serve as well as UIDs.
"""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim import limits
from svcsim.controllers.job.failure_policy import ruling
from svcsim.controllers.job.pods import is_failed, is_indexed, is_succeeded
from svcsim.controllers.job.tally import JobSnapshot, Tally, uncounted_uids
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.types import Object


class Count(NamedTuple):
    """What is new, and which pods can be let go once that is written."""

    succeeded: list[str]
    failed: list[str]
    let_go: list[Object]
    complete: bool
    """Whether that is all; a status takes so many UIDs only."""


def count(snapshot: JobSnapshot, sums: Tally, *, awaits_others: bool, all_failed: bool) -> Count:
    """``awaits_others``: pods will be made for what is tried again; ``all_failed``: what hasn't ended is deleted, and counts as failed."""
    job, status = snapshot.job, snapshot.job.get("status") or {}
    known = dict.fromkeys(uncounted_uids(status, "succeeded") + uncounted_uids(status, "failed"))
    found = Count([], [], [], complete=True)
    waiting = {uid_of(pod): None for pod in sums.delayed.values()} if awaits_others and not is_terminating(job) else {}
    for pod in snapshot.tracked:
        uid, succeeded = uid_of(pod), is_succeeded(pod)
        if uid in waiting or (not succeeded and not all_failed and not is_failed(pod, job)):
            continue
        if len(known) + len(found.succeeded) + len(found.failed) >= limits.JOB_UNCOUNTED_PODS and uid not in known:
            return found._replace(complete=False)
        if uid not in known and snapshot.concerns(pod):
            if succeeded and not is_indexed(job):
                found.succeeded.append(uid)
            elif not succeeded and (not is_failed(pod, job) or ruling(job, pod).counts):
                found.failed.append(uid)
        found.let_go.append(pod)
    return found


def settle(status: Object, kept: Mapping[str, None]) -> None:
    """Turn UIDs of pods that no longer have the finalizer into counts, in place."""
    uncounted: Object = {}
    for part in ("succeeded", "failed"):
        uids = uncounted_uids(status, part)
        still = [uid for uid in uids if uid in kept]
        if still:
            uncounted[part] = still
        if len(still) < len(uids):
            status[part] = (status.get(part) or 0) + len(uids) - len(still)
    status["uncountedTerminatedPods"] = uncounted
