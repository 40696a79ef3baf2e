"""Making and deleting the pods of an owner: with what is expected to be seen of that, and with events that tell people of it."""

from collections.abc import Sequence

from svcsim.client.api import Collection
from svcsim.client.events import EventRecorder
from svcsim.client.expectations import Expectations
from svcsim.client.pod_control import delete_expected, new_pod, slow_start
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.types import Object


class OwnedPods:
    """The pods of all owners of one controller."""

    def __init__(self, pods: Collection, events: EventRecorder, expectations: Expectations) -> None:
        self._pods = pods
        self._events = events
        self._expectations = expectations

    async def create(self, key: ObjectKey, owner: Object, templates: Sequence[Object], *, as_stored: bool = False) -> StatusError | None:
        """Make a pod of each template, in batches that grow as long as it goes well; gives what went wrong.

        Where the templates are ``as_stored`` in an owner, their pods need no reading.
        """
        self._expectations.expect_creations(key, len(templates))
        to_make = iter(templates)
        done, error = await slow_start(len(templates), lambda: self._create(key, owner, next(to_make), as_stored=as_stored))
        if error is not None and namespace_is_going(error):
            return None  # so will any other try fail; what was expected isn't seen, and keeps the next one away for long
        self._expectations.creation_seen(key, len(templates) - done)
        return error

    async def delete(self, key: ObjectKey, owner: Object, pods: Sequence[Object]) -> StatusError | None:
        """Delete pods, side by side; gives the first thing that went wrong. One that is gone is no trouble."""
        return await delete_expected(self._expectations, key, pods, lambda pod: self._delete(key, owner, pod))

    async def _create(self, key: ObjectKey, owner: Object, template: Object, *, as_stored: bool) -> StatusError | None:
        pods, pod = self._pods.within(key.namespace), new_pod(owner, template)
        try:
            name = await pods.hand_over(pod) if as_stored else name_of(await pods.create(pod))
        except StatusError as error:
            if not namespace_is_going(error):
                self._events.warning(owner, "FailedCreate", f"Error creating: {error.message}")
            return error
        self._events.normal(owner, "SuccessfulCreate", f"Created pod: {name}")
        return None

    async def _delete(self, key: ObjectKey, owner: Object, pod: Object) -> StatusError | None:
        try:
            await self._pods.within(key.namespace).remove(name_of(pod), uid=uid_of(pod))
        except StatusError as error:
            self._expectations.deletion_seen(key, uid_of(pod))
            if error.code == 404:
                return None
            self._events.warning(owner, "FailedDelete", f"Error deleting: {error.message}")
            return error
        self._events.normal(owner, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")
        return None
