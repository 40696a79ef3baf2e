"""What a set knows of its pods: of ten thousand, few have changed since it last looked, and only those are looked at.

The cache reports every change. Changed pods are recorded as they are reported; they are examined and counted when the set is reconciled. So
the cost depends on the number of changes, not on the number of pods.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from svcsim.client.cache import Cache, by_controller
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import controller_of, is_terminating, labels_of, namespace_of, uid_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object


class KnownPod(NamedTuple):
    """An active pod that belongs to a set and fits its selector."""

    pod: Object
    is_labelled: bool
    """Whether it has all labels of the template."""
    is_ready: bool


class Counts(NamedTuple):
    """How many active pods a set has."""

    all: int
    labelled: int
    ready: int


class SetPods:
    """The active pods of one set."""

    def __init__(self, replica_set: Object, changed: Mapping[str, Object]) -> None:
        """``changed`` are those that are to be looked at first: all there are."""
        self.uid = uid_of(replica_set)
        self._basis = _basis(replica_set)
        self._changed: dict[str, Object | None] = dict(changed)
        self._pods: dict[str, KnownPod] = {}
        self._labelled = 0
        self._ready = 0

    def __len__(self) -> int:
        return len(self._pods)

    def holds_for(self, replica_set: Object) -> bool:
        """Whether what is known follows from the set as it is now."""
        return self._basis == _basis(replica_set)

    def note(self, uid: str, pod: Object | None) -> None:
        """A pod has changed, or no longer belongs to the set."""
        self._changed[uid] = pod

    def changed(self) -> dict[str, Object | None]:
        """The changed pods that have yet to be looked at, by UID; None for those that are gone."""
        return dict(self._changed)

    def learn(self, looked_at: Mapping[str, Object | None], found: Iterable[KnownPod]) -> None:
        """Record which of the examined pods, and any others, belong to the set. Pods that have changed meanwhile are examined next time."""
        pods = {uid_of(known.pod): known for known in found}
        for uid, pod in looked_at.items():
            if uid in self._changed and self._changed[uid] is pod:
                del self._changed[uid]
            if uid not in pods:
                self._put(uid, None)
        for uid, known in pods.items():
            self._put(uid, known)

    def pods(self, without: Collection[str] = ()) -> list[Object]:
        """All but these."""
        return [known.pod for uid, known in self._pods.items() if uid not in without]

    def counts(self, without: Collection[str] = ()) -> Counts:
        """How many there are but for these."""
        left_out = [known for uid in without if (known := self._pods.get(uid)) is not None]
        labelled, ready = sum(known.is_labelled for known in left_out), sum(known.is_ready for known in left_out)
        return Counts(len(self._pods) - len(left_out), self._labelled - labelled, self._ready - ready)

    def _put(self, uid: str, known: KnownPod | None) -> None:
        before = self._pods.get(uid)
        if before is not None:
            self._labelled -= before.is_labelled
            self._ready -= before.is_ready
        if known is not None:
            self._pods[uid] = known
            self._labelled += known.is_labelled
            self._ready += known.is_ready
        elif before is not None:
            del self._pods[uid]


class KnownPods:
    """The known pods of every set that has been reconciled."""

    def __init__(self) -> None:
        self._sets: dict[ObjectKey, SetPods] = {}

    def of(self, key: ObjectKey, replica_set: Object, pods: Cache) -> SetPods:
        """What is known of a set's pods: of what is in the cache."""
        known = self._sets.get(key)
        if known is None or not known.holds_for(replica_set):
            known = self._sets[key] = SetPods(replica_set, {uid_of(pod): pod for pod in pods.find(by_controller, uid_of(replica_set))})
        return known

    def seen(self, change: str, pod: Object, before: Object | None) -> None:
        """What the cache tells of a pod (`svcsim.client.cache.Handler`)."""
        known = self._of_owner(pod)
        former = known if before is None else self._of_owner(before)
        if former is not None and former is not known:
            former.note(uid_of(pod), None)
        if known is not None:
            known.note(uid_of(pod), None if change == "DELETED" else pod)

    def forget(self, key: ObjectKey) -> None:
        """The set is gone."""
        self._sets.pop(key, None)

    def _of_owner(self, pod: Object) -> SetPods | None:
        """What is known of the set that controls a pod."""
        reference = controller_of(pod)
        if reference is None:
            return None
        known = self._sets.get(ObjectKey(namespace_of(pod), reference["name"]))
        return known if known is not None and known.uid == reference["uid"] else None


def get_to_know(replica_set: Object, pods: list[Object]) -> list[KnownPod]:
    """What there is to know of active pods that are the set's."""
    wanted = _template_labels(replica_set).items()
    return [KnownPod(pod, wanted <= labels_of(pod).items(), is_ready(pod)) for pod in pods]


def _basis(replica_set: Object) -> tuple[object, ...]:
    return uid_of(replica_set), is_terminating(replica_set), replica_set["spec"].get("selector"), _template_labels(replica_set)


def _template_labels(replica_set: Object) -> dict[str, str]:
    labels: dict[str, str] = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
    return labels
