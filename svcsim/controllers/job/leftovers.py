"""Pods that the finalizer keeps and that no job will count: their job is gone or over, or they are nobody's.

They are let go, so that they can be deleted. Whether a job is really gone is asked of the server: a cache may only be behind.
"""

from collections.abc import Iterable

from svcsim.client.api import Collection
from svcsim.client.cache import Cache
from svcsim.controllers.job.pods import is_tracked
from svcsim.controllers.job.release import Release
from svcsim.controllers.job.status import ended
from svcsim.controllers.job.words import Words
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, is_terminating, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class Leftovers:
    """Finds them by the job that they name, and lets them go."""

    def __init__(self, jobs_api: Collection, jobs: Cache, pods: Cache, release: Release, words: Words) -> None:
        self._jobs_api = jobs_api
        self._jobs = jobs
        self._pods = pods
        self._release = release
        self._words = words
        pods.add_index(self._by_named_job)

    def key_of(self, pod: Object) -> ObjectKey:
        """The job that a pod names: the one that controls it, or did; its own name where that isn't known."""
        reference = controller_of(pod)
        if reference is not None and reference["kind"] == "Job":
            return ObjectKey(namespace_of(pod), reference["name"])
        return ObjectKey(namespace_of(pod), labels_of(pod).get(self._words.job_name) or name_of(pod))

    def _by_named_job(self, pod: Object) -> Iterable[str]:
        """An indexer over pods that the finalizer keeps."""
        if not is_tracked(pod, self._words):
            return ()
        return ("/".join(self.key_of(pod)),)

    async def let_go(self, key: ObjectKey) -> None:
        """Let go of the pods that name a job and won't be counted by it."""
        job = self._jobs.get(key.name, key.namespace)
        left = [
            pod
            for pod in self._pods.find(self._by_named_job, "/".join(key))
            if uid_of(pod) not in self._release.unseen and self._is_left(pod, job)
        ]
        if not left:
            return
        now = await self._read(key)
        _, error = await self._release.all([pod for pod in left if self._is_left(pod, now)])
        if error is not None:
            raise error

    def _is_left(self, pod: Object, job: Object | None) -> bool:
        if job is None:
            return True
        if job["spec"].get("managedBy") not in {None, self._words.controller}:
            return False
        reference = controller_of(pod)
        if reference is None:
            # It may be adopted yet.
            fits = from_object(job["spec"].get("selector")).matches(labels_of(pod))
            return ended(job) is not None or is_terminating(job) or is_terminating(pod) or not fits
        return bool(reference["uid"] != uid_of(job)) or ended(job) is not None

    async def _read(self, key: ObjectKey) -> Object | None:
        return await self._jobs_api.within(key.namespace).find(key.name)
