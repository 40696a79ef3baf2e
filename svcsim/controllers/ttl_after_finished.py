"""TTL after finished: Jobs that have ended are deleted once they have been kept as long as they ask for."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.jobs import ended_at
from svcsim.meta.objects import get_path, is_terminating, uid_of
from svcsim.meta.types import Object


class TtlAfterFinished(Controller):
    """Deletes jobs, and with them their pods, at the very moment their time is over."""

    def __init__(self, context: ControllerContext) -> None:
        self._api = context.client.resource("batch/v1", "jobs")
        self._jobs = context.informers.cache("batch/v1", "jobs")
        super().__init__("TTL after finished", context.clock, (Source(self._jobs, _to_clean_up),))

    async def reconcile(self, key: ObjectKey) -> None:
        job = self._jobs.get(key.name, key.namespace)
        due = _due(job) if job is not None else None
        if job is None or due is None:
            return
        left_s = due - self.clock.now()
        if left_s > 0:
            self.queue.add_after(key, left_s)
            return
        # The version keeps a job whose time has been made longer meanwhile.
        version = job["metadata"]["resourceVersion"]
        await self._api.within(key.namespace).delete(key.name, propagation="Foreground", uid=uid_of(job), resource_version=version)


def _due(job: Object) -> float | None:
    """When it is to go; None if it isn't, or is on its way already."""
    ttl_s = get_path(job, "spec.ttlSecondsAfterFinished")
    ended = ended_at(job)
    return None if ttl_s is None or ended is None or is_terminating(job) else ended + ttl_s


def _to_clean_up(change: str, job: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return (object_key(job),) if change != "DELETED" and _due(job) is not None else ()
