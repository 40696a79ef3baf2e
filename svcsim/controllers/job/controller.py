"""The Job controller: looks at a job and its pods, does what `svcsim.controllers.job.plan` says, and counts what has ended.

A job is looked at again only once the cache shows what was last written of it, and new pods are made only once those made before have
been seen; so whatever lags behind, no pod is counted twice and none is one too many. What has to outlive a restart stands in the status
and in the pods' finalizers.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from svcsim import limits
from svcsim.client.cache import by_controller, orphans_by_namespace
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import claim, controller_in, take
from svcsim.client.pod_control import slow_start
from svcsim.controllers.job.backoff import FailureRecord
from svcsim.controllers.job.leftovers import Leftovers
from svcsim.controllers.job.plan import JobPlan, make_plan
from svcsim.controllers.job.pods import Creation, is_tracked, pod_of
from svcsim.controllers.job.release import Release
from svcsim.controllers.job.status import Outcome, changed, ended, final_status, interim_status
from svcsim.controllers.job.tally import JobSnapshot
from svcsim.controllers.job.words import Words
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, is_terminating, labels_of, name_of, namespace_of, revision_of, uid_of
from svcsim.meta.side_by_side import side_by_side
from svcsim.meta.types import Object


@dataclass(slots=True)
class _Memory:
    """What is remembered of a job that is under way."""

    uid: str
    written: int = 0
    """The revision of its last status."""
    record: FailureRecord | None = None


class JobController(Controller):
    """Runs pods for every job until it is over."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._words = words = Words.of(context.dialect)
        self._jobs_api = context.client.resource("batch/v1", "jobs")
        self._pods_api = context.client.resource("v1", "pods")
        self._jobs = context.informers.cache("batch/v1", "jobs")
        self._pods = context.informers.cache("v1", "pods", by_controller, orphans_by_namespace)
        self._release = Release(self._pods_api, self._pods, words)
        self._leftovers = Leftovers(self._jobs_api, self._jobs, self._pods, self._release, words)
        self._expectations = Expectations(context.clock)
        self._memories: dict[ObjectKey, _Memory] = {}
        sources = (
            Source(self._jobs, self._job_changed),
            Source(self._pods, self._pod_changed, after_s=limits.STATUS_BATCH_S),
        )
        super().__init__("job controller", context.clock, sources)

    def _job_changed(self, change: str, job: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(job)
        if change == "DELETED":
            self._forget(key)
        return (key,)

    def _pod_changed(self, change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        """Jobs that the pod belongs to, or did, or might."""
        tracked = is_tracked(pod, self._words)
        if change == "DELETED" or not tracked:
            self._release.seen(pod)
        owner = self._owner_key(pod)
        if owner is not None:
            if change == "ADDED":
                self._expectations.creation_seen(owner)
            if change == "DELETED" or is_terminating(pod):
                self._expectations.deletion_seen(owner, uid_of(pod))
            yield owner
        if before is not None and (former := self._owner_key(before)) is not None and former != owner:
            yield former
        if change == "DELETED":
            return
        if tracked and owner is None:
            yield self._leftovers.key_of(pod)
        if controller_of(pod) is None:
            yield from (object_key(job) for job in self._jobs.all(namespace_of(pod)) if _selects(job, pod))

    def _owner_key(self, pod: Object) -> ObjectKey | None:
        """The job that controls the pod, if it is there."""
        owner = controller_in(self._jobs, "Job", pod)
        return None if owner is None else object_key(owner)

    async def reconcile(self, key: ObjectKey) -> None:
        await self._leftovers.let_go(key)
        job = self._jobs.get(key.name, key.namespace)
        if job is None or ended(job) is not None or not _is_ours(job, self._words):
            self._forget(key)
            return
        memory = self._memories.get(key)
        if memory is None or memory.uid != uid_of(job):
            memory = self._memories[key] = _Memory(uid_of(job))
        if revision_of(job) < memory.written:
            return  # what was written last is still to be seen, and has this job looked at again
        snapshot = await self._snapshot(key, job, memory)
        plan = make_plan(snapshot)
        outcome, error = await self._carry_out(key, job, plan)
        error = await self._report(memory, snapshot, plan, outcome) or error
        if plan.wait_s is not None:
            self.queue.add_after(key, max(plan.wait_s, limits.SHORTEST_WAIT_S))
        if error is not None:
            raise error

    async def _snapshot(self, key: ObjectKey, job: Object, memory: _Memory) -> JobSnapshot:
        met = self._expectations.met(key)
        candidates = self._pods.find(by_controller, uid_of(job)) + self._pods.find(orphans_by_namespace, key.namespace)
        claimed = claim(job, from_object(job["spec"].get("selector")), candidates)
        pods = await take(self._jobs_api, job, self._pods_api, claimed, finalizer=self._words.tracking)
        now, timestamp = self.clock.now(), self.clock.timestamp()
        return JobSnapshot(job, pods, self._release.unseen, met, memory.record, now, timestamp, self._words)

    async def _carry_out(self, key: ObjectKey, job: Object, plan: JobPlan) -> tuple[Outcome, StatusError | None]:
        """Make and delete pods as planned; gives what came of it, and what went wrong."""
        if plan.create:
            self._expectations.expect_creations(key, len(plan.create))
            creations = iter(plan.create)
            done, error = await slow_start(len(plan.create), lambda: self._create(key, job, next(creations)))
            self._expectations.creation_seen(key, len(plan.create) - done)
            return Outcome(done, [], no_more=error is not None and namespace_is_going(error)), error
        for pod in plan.delete:
            self._expectations.expect_deletion(key, uid_of(pod))
        errors = await side_by_side(
            plan.delete, lambda pod: self._delete(key, job, pod, counts=plan.keeps_deleted), limits.POD_WRITES_AT_ONCE
        )
        deleted = [pod for pod, error in zip(plan.delete, errors, strict=True) if error is None]
        return Outcome(0, deleted), next((error for error in errors if error is not None), None)

    async def _create(self, key: ObjectKey, job: Object, creation: Creation) -> StatusError | None:
        try:
            pod = await self._pods_api.within(key.namespace).create(pod_of(job, creation, self._words))
        except StatusError as error:
            if not namespace_is_going(error):
                self._events.warning(job, "FailedCreate", f"Error creating: {error.message}")
            return error
        self._events.normal(job, "SuccessfulCreate", f"Created pod: {name_of(pod)}")
        return None

    async def _delete(self, key: ObjectKey, job: Object, pod: Object, *, counts: bool) -> StatusError | None:
        """Delete a pod; one that isn't to count as failed loses its finalizer first."""
        try:
            if not counts and (error := await self._release.one(pod)) is not None:
                raise error
            await self._pods_api.within(key.namespace).delete(name_of(pod), uid=uid_of(pod))
        except StatusError as error:
            self._expectations.deletion_seen(key, uid_of(pod))
            if error.code == 404:
                return None
            self._events.warning(job, "FailedDelete", f"Error deleting: {error.message}")
            return error
        self._events.normal(job, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")
        return None

    async def _report(self, memory: _Memory, snapshot: JobSnapshot, plan: JobPlan, outcome: Outcome) -> StatusError | None:
        """Write what has ended, let go of its pods, and write the counts; gives why a pod couldn't be let go."""
        interim = interim_status(snapshot, plan, outcome)
        job = await self._write(memory, snapshot.job, interim.status)
        memory.record = plan.record
        if interim.event:
            self._events.normal(job, interim.event, f"Job {interim.event.lower()}")
        released, error = await self._release.all(interim.counted.let_go)
        final = final_status(snapshot, interim, job.get("status") or {}, released)
        job = await self._write(memory, job, final)
        self._tell_the_end(job)
        return error

    async def _write(self, memory: _Memory, job: Object, status: Object) -> Object:
        if not changed(job.get("status") or {}, status):
            return job
        written = await self._jobs_api.within(namespace_of(job)).update({**job, "status": status}, subresource="status")
        memory.written = revision_of(written)
        return written

    def _tell_the_end(self, job: Object) -> None:
        end = ended(job)
        if end is None:
            return
        if end["type"] == "Failed":
            self._events.warning(job, end["reason"], end["message"])
            return
        completions, succeeded = job["spec"].get("completions"), job["status"].get("succeeded") or 0
        if completions is not None and succeeded > completions:
            self._events.warning(job, "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
        self._events.normal(job, "Completed", "Job completed")

    def _forget(self, key: ObjectKey) -> None:
        self._expectations.forget(key)
        self._memories.pop(key, None)


def _is_ours(job: Object, words: Words) -> bool:
    """Whether no other controller is to act on the job."""
    return job["spec"].get("managedBy") in {None, words.controller}


def _selects(job: Object, pod: Object) -> bool:
    return from_object(job["spec"].get("selector")).matches(labels_of(pod))
