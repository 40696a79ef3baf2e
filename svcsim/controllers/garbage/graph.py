"""Who owns whom, over all resource types, with as little memory as that takes.

Of every living object its UID and its name are known; only what has owners, or waits on its way out for its dependents, is kept as a
`Node`. Owners find their dependents by UID, in order of arrival, so 10,000 of them cost no search.
"""

from typing import NamedTuple

from svcsim.client.informers import FollowedResource
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.names import FOREGROUND, ORPHAN
from svcsim.meta.objects import finalizers_of, is_terminating, owner_references
from svcsim.meta.types import Object


class Owner(NamedTuple):
    """What an owner reference says."""

    api_version: str
    kind: str
    name: str
    uid: str
    blocks: bool

    @property
    def group(self) -> str:
        """The API group of its kind: a reference may name any version."""
        return self.api_version.rpartition("/")[0]

    @classmethod
    def of(cls, reference: Object) -> "Owner":
        get = reference.get
        return cls(get("apiVersion", ""), get("kind", ""), get("name", ""), get("uid", ""), bool(get("blockOwnerDeletion")))


class Node(NamedTuple):
    """An object that has owners, or is on its way out."""

    place: FollowedResource
    namespace: str
    name: str
    uid: str
    revision: str
    owners: tuple[Owner, ...]
    deleting: bool
    orphans: bool
    """It waits until its dependents have been freed of it."""
    waits: bool
    """It waits until the dependents that block its deletion are gone."""


class Graph:
    """The living objects and their owners."""

    def __init__(self) -> None:
        self._living: dict[FollowedResource, dict[str, ObjectKey]] = {}
        """What is there, by its UID."""
        self._nodes: dict[str, Node] = {}
        self._dependents: dict[str, dict[str, bool]] = {}
        """Dependents by owner, each with whether it blocks the owner's deletion."""

    def node(self, uid: str) -> Node | None:
        """An object that has owners or is on its way out, by its UID."""
        return self._nodes.get(uid)

    def living(self, uid: str) -> ObjectKey | None:
        """The names of the object of that UID; None if no such object is known to be there."""
        return next((living[uid] for living in self._living.values() if uid in living), None)

    def living_at(self, place: FollowedResource, uid: str) -> ObjectKey | None:
        """The names of the object of that UID, of one resource type; None if no such object is known to be there."""
        return self._living.get(place, {}).get(uid)

    def dependents(self, uid: str) -> list[Node]:
        """Objects that name this one as their owner."""
        return [self._nodes[dependent] for dependent in self._dependents.get(uid, ())]

    def blocking(self, uid: str) -> list[Node]:
        """The dependents that its deletion in the foreground has to wait for."""
        return [self._nodes[dependent] for dependent, blocks in self._dependents.get(uid, {}).items() if blocks]

    def waits_for(self, uid: str, other: str) -> bool:
        """Whether an object on its way out waits for another to go, however many stand between them."""
        reached, ahead = {uid: None}, [uid]
        while ahead:
            for dependent in self.dependents(ahead.pop()):
                if dependent.uid == other:
                    return True
                if dependent.waits and dependent.uid not in reached:
                    reached[dependent.uid] = None
                    ahead.append(dependent.uid)
        return False

    def owners(self) -> list[str]:
        """UIDs that are named as owners, whether there are such objects or not."""
        return list(self._dependents)

    def put(self, place: FollowedResource, obj: Object) -> tuple[Node | None, Node | None]:
        """Take in an object: what was known of it before, and what is known now."""
        metadata = obj["metadata"]
        uid = metadata["uid"]
        self._living.setdefault(place, {})[uid] = object_key(obj)
        before = self._nodes.pop(uid, None)
        if before is not None:
            self._unlink(before)
        node = _node(place, obj)
        if node is not None:
            self._nodes[uid] = node
            for owner in node.owners:
                dependents = self._dependents.setdefault(owner.uid, {})
                dependents[uid] = owner.blocks or dependents.get(uid, False)  # one may be named twice
        return before, node

    def remove(self, place: FollowedResource, uid: str) -> Node | None:
        """An object is gone; gives what was known of it."""
        self._living.get(place, {}).pop(uid, None)
        node = self._nodes.pop(uid, None)
        if node is not None:
            self._unlink(node)
        return node

    def forget(self, place: FollowedResource) -> None:
        """A resource type is no longer served: nothing is known of its objects, which doesn't mean that they are gone."""
        for uid in list(self._living.get(place, ())):
            self.remove(place, uid)
        self._living.pop(place, None)

    def _unlink(self, node: Node) -> None:
        for owner in node.owners:
            dependents = self._dependents.get(owner.uid)
            if dependents is not None:
                dependents.pop(node.uid, None)
                if not dependents:
                    del self._dependents[owner.uid]


def owners_of(obj: Object) -> tuple[Owner, ...]:
    """The owners an object names."""
    return tuple(map(Owner.of, owner_references(obj)))


def _node(place: FollowedResource, obj: Object) -> Node | None:
    metadata = obj["metadata"]
    if not metadata.get("ownerReferences") and not metadata.get("deletionTimestamp"):
        return None
    owners = owners_of(obj)
    deleting = is_terminating(obj)
    finalizers = finalizers_of(obj) if deleting else ()
    return Node(
        place=place,
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        uid=metadata["uid"],
        revision=metadata["resourceVersion"],
        owners=owners,
        deleting=deleting,
        orphans=ORPHAN in finalizers,
        waits=FOREGROUND in finalizers,
    )
