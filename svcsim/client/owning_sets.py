"""Which sets changes of pods and revisions lead to: those that own them, and those that may adopt them."""

from collections.abc import Iterable, Iterator

from svcsim.client.cache import Cache
from svcsim.client.expectations import Expectations
from svcsim.client.ownership import controller_in
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import controller_of, is_terminating, labels_of, namespace_of, uid_of
from svcsim.meta.types import Object


class OwningSets:
    """The sets of one kind: DaemonSets, StatefulSets."""

    def __init__(self, sets: Cache, kind: str, expectations: Expectations) -> None:
        self._sets = sets
        self._kind = kind
        self._expectations = expectations

    def of(self, obj: Object) -> tuple[ObjectKey, ...]:
        """The set that controls a pod or revision, if it is there."""
        owner = controller_in(self._sets, self._kind, obj)
        return () if owner is None else (object_key(owner),)

    def adopters(self, orphan: Object) -> Iterator[ObjectKey]:
        """The sets that may adopt what nobody controls."""
        for one in self._sets.all(namespace_of(orphan)):
            if from_object(one["spec"].get("selector")).matches(labels_of(orphan)):
                yield object_key(one)

    def revision_changed(self, change: str, revision: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The sets to which a change of a revision matters."""
        if before is not None:
            yield from self.of(before)
        yield from self.of(revision) if controller_of(revision) is not None or change == "DELETED" else self.adopters(revision)

    def pod_seen(self, change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The sets that own a pod, and that owned it before it changed hands; what was expected of it has been seen."""
        if before is not None and controller_of(before) != controller_of(pod):
            yield from self.of(before)
        for key in self.of(pod):
            if change == "ADDED":
                self._expectations.creation_seen(key)
            if change == "DELETED" or is_terminating(pod):
                self._expectations.deletion_seen(key, uid_of(pod))
            yield key
