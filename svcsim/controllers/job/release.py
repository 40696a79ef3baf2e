"""Taking the finalizer off pods that are counted, and remembering it until the cache shows it."""

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.cache import Cache
from svcsim.controllers.job.pods import is_tracked
from svcsim.controllers.job.words import Words
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import object_key
from svcsim.meta.objects import uid_of
from svcsim.meta.side_by_side import side_by_side
from svcsim.meta.types import Object


class Release:
    """Lets go of pods. ``unseen`` holds the UIDs of those that the cache still shows with the finalizer."""

    def __init__(self, pods_api: Collection, pods: Cache, words: Words) -> None:
        self._pods_api = pods_api
        self._pods = pods
        self._words = words
        self.unseen: dict[str, None] = {}

    def seen(self, pod: Object) -> None:
        """The cache shows that a pod has no finalizer, or is gone."""
        self.unseen.pop(uid_of(pod), None)

    async def all(self, pods: list[Object]) -> tuple[dict[str, None], StatusError | None]:
        """Let go of pods: the UIDs of those it worked for, and why it didn't for another."""
        errors = await side_by_side(pods, self.one, limits.POD_WRITES_AT_ONCE)
        released = {uid_of(pod): None for pod, error in zip(pods, errors, strict=True) if error is None}
        return released, next((error for error in errors if error is not None), None)

    async def one(self, pod: Object) -> StatusError | None:
        """Let go of a pod; one that is gone is let go."""
        namespace, name = object_key(pod)
        patch = {"metadata": {"uid": uid_of(pod), "$deleteFromPrimitiveList/finalizers": [self._words.tracking]}}
        self.unseen[uid_of(pod)] = None
        try:
            await self._pods_api.within(namespace).patch(name, patch, "strategic")
        except StatusError as error:
            if error.code not in {404, 409}:
                self.unseen.pop(uid_of(pod), None)
                return error
        shown = self._pods.get(name, namespace)
        if shown is None or uid_of(shown) != uid_of(pod) or not is_tracked(shown, self._words):
            self.unseen.pop(uid_of(pod), None)
        return None
