"""The CronJob controller: starts the jobs whose time has come, and keeps track of existing ones.

Whether a time is due follows from the CronJob alone (`timing`), its status from its jobs and the former status (`plan`). A job's name
follows from its time: if the controller was interrupted before it had recorded a job, it finds the job by name and records it then.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client.cache import by_controller
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import controller_in
from svcsim.controllers.cronjob.job import job_name, new_job, reference_to
from svcsim.controllers.cronjob.plan import Books, keep_books, make_status, strangers, surplus
from svcsim.controllers.cronjob.timing import Due, Remark, due
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.jobs import ending_of
from svcsim.meta.objects import controller_of, is_terminating, name_of, namespace_of, revision_of, uid_of
from svcsim.meta.types import Json, Object


class _Started(NamedTuple):
    """What came of starting a job."""

    active: list[Object]
    """References to the jobs that run now."""
    time: float | None = None
    """For when it was started; None where it wasn't."""
    error: StatusError | None = None


class CronJobController(Controller):
    """Starts a job of every CronJob at each of its times."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._events = context.events
        self._cron_jobs_api = context.client.resource("batch/v1", "cronjobs")
        self._jobs_api = context.client.resource("batch/v1", "jobs")
        self._cron_jobs = context.informers.cache("batch/v1", "cronjobs")
        self._jobs = context.informers.cache("batch/v1", "jobs", by_controller)
        self._rescheduled: dict[ObjectKey, float] = {}
        """When a CronJob was last given another schedule."""
        self._expectations = Expectations(context.clock)
        self._written: dict[ObjectKey, int] = {}
        """The revision of the last status written: what the cache has of before is of no use."""
        sources = (Source(self._cron_jobs, self._cron_job_changed), Source(self._jobs, self._job_changed))
        super().__init__("cron job controller", context.clock, sources)

    def _cron_job_changed(self, change: str, cron_job: Object, before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(cron_job)
        if change == "DELETED":
            self._rescheduled.pop(key, None)
            self._written.pop(key, None)
            self._expectations.forget(key)
            return ()
        if before is not None and _schedule_of(before) != _schedule_of(cron_job):
            self._rescheduled[key] = self.clock.now()
        return (key,)

    def _job_changed(self, change: str, job: Object, before: Object | None) -> Iterable[ObjectKey]:
        """CronJobs one of whose jobs came, went, ended or changed hands."""
        for key in self._owners(job):
            if change == "ADDED":
                self._expectations.creation_seen(key)
            if change == "DELETED" or is_terminating(job):
                self._expectations.deletion_seen(key, uid_of(job))
        if change == "MODIFIED" and before is not None:
            if controller_of(before) == controller_of(job) and ending_of(before) == ending_of(job):
                return
            yield from self._owners(before)
        yield from self._owners(job)

    def _owners(self, job: Object) -> tuple[ObjectKey, ...]:
        """The CronJob that controls a job, if it is there."""
        owner = controller_in(self._cron_jobs, "CronJob", job)
        return () if owner is None else (object_key(owner),)

    async def reconcile(self, key: ObjectKey) -> None:
        cron_job = self._cron_jobs.get(key.name, key.namespace)
        if cron_job is None or revision_of(cron_job) < self._written.get(key, 0) or not self._expectations.met(key):
            return
        jobs = self._jobs.find(by_controller, uid_of(cron_job))
        if keep_books(cron_job, jobs).unexpected:
            cron_job = await self._as_it_is(cron_job)  # what the cache has of it may be older than what it has of its jobs
        books = await self._books(cron_job, jobs)
        leaving = is_terminating(cron_job)
        asked = Due() if leaving else due(cron_job, books.active, self.clock.now(), self._rescheduled.get(key, 0.0))
        self._tell(cron_job, (*books.remarks, *strangers(cron_job, books, asked.start), *asked.remarks))
        if asked.wait_s is not None:
            self.queue.add_after(key, asked.wait_s)
        started = _Started(books.active)
        if asked.start is not None:
            started = await self._start(key, cron_job, books.active, asked.start)
        await self._report(key, cron_job, make_status(cron_job, started.active, started.time, books.last_success))
        if started.error is not None:
            raise started.error
        if not leaving:
            for job in surplus(cron_job, jobs):
                await self._delete(key, cron_job, reference_to(job))

    async def _as_it_is(self, cron_job: Object) -> Object:
        """What the server has of it. Raises `StatusError` where it is gone."""
        latest = await self._cron_jobs_api.within(namespace_of(cron_job)).get(name_of(cron_job))
        if uid_of(latest) != uid_of(cron_job):
            raise StatusError(409, "Conflict", f"{name_of(cron_job)} was deleted, and made anew")
        return latest

    async def _books(self, cron_job: Object, jobs: list[Object]) -> Books:
        """What is to be said of its jobs, once those that haven't been seen have been asked for."""
        books = keep_books(cron_job, jobs)
        if not books.unseen:
            return books
        found = {reference["uid"]: await self._find(reference, namespace_of(cron_job)) for reference in books.unseen}
        there = [job for job in found.values() if job is not None]
        return keep_books(cron_job, [*jobs, *there], [uid for uid, job in found.items() if job is None])

    async def _find(self, reference: Object, namespace: str) -> Object | None:
        job = await self._jobs_api.within(reference.get("namespace") or namespace).find(reference["name"])
        return job if job is not None and uid_of(job) == reference["uid"] else None

    async def _start(self, key: ObjectKey, cron_job: Object, active: list[Object], start: float) -> _Started:
        """Start the job for a time; where the policy says so, in place of those that run."""
        running = list(active)
        if cron_job["spec"].get("concurrencyPolicy") == "Replace":
            for reference in active:
                error = await self._delete(key, cron_job, reference)
                if error is not None:
                    return _Started(running, error=error)
                running.remove(reference)
        self._expectations.expect_creations(key, 1)
        jobs_api = self._jobs_api.within(key.namespace)
        try:
            job = await jobs_api.create(new_job(cron_job, start, self._dialect))
        except StatusError as error:
            self._expectations.creation_seen(key)
            if error.reason == "AlreadyExists":
                return await self._started_before(cron_job, running, start)
            if namespace_is_going(error):
                return _Started(running)
            self._events.warning(cron_job, "FailedCreate", f"Error creating job: {error.message}")
            return _Started(running, error=error)
        self._events.normal(cron_job, "SuccessfulCreate", f"Created job {name_of(job)}")
        return _Started([*running, reference_to(job)], start)

    async def _started_before(self, cron_job: Object, running: list[Object], start: float) -> _Started:
        """The job is there already. If it is the CronJob's own it was started and not noted; a stranger's is let be."""
        job = await self._jobs_api.within(namespace_of(cron_job)).get(job_name(cron_job, start))
        reference = controller_of(job)
        if reference is None or reference["uid"] != uid_of(cron_job):
            return _Started(running)
        return _Started(running if ending_of(job) else [*running, reference_to(job)], start)

    async def _delete(self, key: ObjectKey, cron_job: Object, job: Object) -> StatusError | None:
        """Delete a job that a reference names, and its pods with it."""
        name, uid = job["name"], job["uid"]
        self._expectations.expect_deletion(key, uid)
        try:
            await self._jobs_api.within(key.namespace).delete(name, propagation="Background", uid=uid)
        except StatusError as error:
            self._expectations.deletion_seen(key, uid)
            if error.code == 404:
                return None
            self._events.warning(cron_job, "FailedDelete", f"Deleted job: {error.message}")
            return error
        self._events.normal(cron_job, "SuccessfulDelete", f"Deleted job {name}")
        return None

    async def _report(self, key: ObjectKey, cron_job: Object, status: Object) -> None:
        if status == (cron_job.get("status") or {}):
            return
        written = await self._cron_jobs_api.within(key.namespace).update({**cron_job, "status": status}, "status")
        self._written[key] = revision_of(written)

    def _tell(self, cron_job: Object, remarks: tuple[Remark, ...]) -> None:
        for remark in remarks:
            report = self._events.warning if remark.type == "Warning" else self._events.normal
            report(cron_job, remark.reason, remark.message)


def _schedule_of(cron_job: Object) -> tuple[Json, Json]:
    spec = cron_job["spec"]
    return spec.get("schedule"), spec.get("timeZone")
