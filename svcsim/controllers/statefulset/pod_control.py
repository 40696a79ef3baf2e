"""Making, mending and deleting the pods of a StatefulSet: claims first, and with events that tell people of it."""

from collections.abc import Sequence

from svcsim.client.api import Collection
from svcsim.client.events import EventRecorder
from svcsim.client.expectations import Expectations
from svcsim.client.pod_control import delete_expected, slow_start
from svcsim.controllers.statefulset.claim_control import ClaimControl
from svcsim.controllers.statefulset.claims import storage_matches, with_claims
from svcsim.controllers.statefulset.identity import identity_labels, identity_matches, ordinal_of
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import labels_of, name_of, namespace_of, uid_of
from svcsim.meta.types import Object


class StatefulPods:
    """The pods of all sets."""

    def __init__(self, pods: Collection, claims: ClaimControl, events: EventRecorder, expectations: Expectations, dialect: Dialect) -> None:
        self._pods = pods
        self._claims = claims
        self._events = events
        self._expectations = expectations
        self._dialect = dialect

    async def create(self, key: ObjectKey, stateful_set: Object, pods: Sequence[Object]) -> StatusError | None:
        """Make pods, in batches that grow as long as it goes well; gives what went wrong."""
        self._expectations.expect_creations(key, len(pods))
        to_make = iter(pods)
        done, error = await slow_start(len(pods), lambda: self._create(stateful_set, next(to_make)))
        self._expectations.creation_seen(key, len(pods) - done)
        return error

    async def delete(self, key: ObjectKey, stateful_set: Object, pods: Sequence[Object]) -> StatusError | None:
        """Delete pods, side by side; gives the first thing that went wrong. One that is gone is no trouble."""
        return await delete_expected(self._expectations, key, pods, lambda pod: self._delete(key, stateful_set, pod))

    async def mend(self, stateful_set: Object, pod: Object) -> StatusError | None:
        """Give a pod its name's label, its volumes, and their owners to its claims; gives what went wrong."""
        try:
            if not storage_matches(stateful_set, pod):
                await self._claims.make_missing(stateful_set, name_of(pod))
            await self._claims.hand_over(stateful_set, pod, wanted=True)
            if not identity_matches(pod, self._dialect) or not storage_matches(stateful_set, pod):
                await self._update(stateful_set, pod)
        except StatusError as error:
            if error.code not in {404, 409}:
                self.tell("update", stateful_set, name_of(pod), error)
            return error
        self.tell("update", stateful_set, name_of(pod))
        return None

    def tell(self, verb: str, stateful_set: Object, pod_name: str, error: StatusError | None = None) -> None:
        """Report what was done, or couldn't be."""
        done = f"{verb} Pod {pod_name} in StatefulSet {name_of(stateful_set)}"
        if error is None:
            self._events.normal(stateful_set, f"Successful{verb.title()}", f"{done} successful")
        else:
            self._events.warning(stateful_set, f"Failed{verb.title()}", f"{done} failed error: {error.message}")

    async def _create(self, stateful_set: Object, pod: Object) -> StatusError | None:
        try:
            await self._claims.make_missing(stateful_set, name_of(pod))
            await self._pods.within(namespace_of(stateful_set)).create(pod)
        except StatusError as error:
            # A taken name is that of a pod that the cache hasn't seen yet, or another owner's; a missing object is a namespace or a claim.
            if error.reason not in ("AlreadyExists", "NotFound") and not namespace_is_going(error):
                self.tell("create", stateful_set, name_of(pod), error)
            return error
        self.tell("create", stateful_set, name_of(pod))
        return None

    async def _delete(self, key: ObjectKey, stateful_set: Object, pod: Object) -> StatusError | None:
        try:
            await self._pods.within(key.namespace).delete(name_of(pod), uid=uid_of(pod))
        except StatusError as error:
            self._expectations.deletion_seen(key, uid_of(pod))
            if error.code in {404, 409}:
                return None if error.code == 404 else error
            self.tell("delete", stateful_set, name_of(pod), error)
            return error
        self.tell("delete", stateful_set, name_of(pod))
        return None

    async def _update(self, stateful_set: Object, pod: Object) -> None:
        """Write a pod as it should be. Volumes of one that is there can't be changed: the server's refusal says so."""
        here, name = self._pods.within(namespace_of(stateful_set)), name_of(pod)
        latest = await here.get(name)
        if uid_of(latest) != uid_of(pod):
            raise StatusError(409, "Conflict", f"{name} is another pod by now")
        labels = {**labels_of(latest), **identity_labels(name, ordinal_of(pod), self._dialect)}
        await here.update(with_claims(stateful_set, {**latest, "metadata": {**latest["metadata"], "labels": labels}}))
