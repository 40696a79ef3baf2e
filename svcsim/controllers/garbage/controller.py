"""The garbage collector: follows every resource type and deletes what has lost its last owner.

Three ways out, as the deletion of an owner asks for: in the background the owner goes at once and its dependents after it; in the
foreground it waits until those that block it are gone; orphaning frees the dependents first and lets them live. Nothing is judged before
every type has been read once, and an owner nobody has seen is asked for by name before its dependents are deleted. A reference means what
all of it says: one of the right UID with another kind or name has no owner, and says nothing about those that name it rightly.
"""

from collections import OrderedDict
from collections.abc import Awaitable
from typing import NamedTuple

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.controller import Controller, ControllerContext
from svcsim.client.discovery import ApiResource, Discovery, group_of
from svcsim.client.informers import FollowedResource, Informer
from svcsim.controllers.garbage.decide import Delete, State, decide
from svcsim.controllers.garbage.graph import Graph, Node, Owner, owners_of
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.names import FOREGROUND, ORPHAN
from svcsim.meta.objects import finalizers_of, is_terminating, owner_references, uid_of
from svcsim.meta.types import Object

_NEEDED_VERBS = ("list", "watch", "delete")


class GarbageCollector(Controller):
    """Deletes objects whose owners are all gone."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._client = context.client
        self._dialect = context.dialect
        self._informers = context.informers
        self._served_types = context.served_types
        self._graph = Graph()
        self._served: dict[ApiResource, None] = {}
        self._types: dict[tuple[str, str], ApiResource] = {}
        """What is served, by group and kind: an owner of a type that isn't followed can be asked for, too."""
        self._followed: dict[FollowedResource, _Follower] = {}
        self._absent: OrderedDict[_Absent, None] = OrderedDict()
        """Owners that don't exist, or no longer exist."""
        super().__init__("garbage collector", context.clock, workers=limits.GARBAGE_WORKERS)
        self._served_types.subscribe(self._follow)

    async def prepare(self) -> None:
        """Read every type once before anything is judged."""
        await self._served_types.known.wait()
        for follower in list(self._followed.values()):
            await follower.read.wait()
        for owner in self._graph.owners():
            self._owner_changed(owner)

    def _follow(self, found: Discovery) -> None:
        """Follow each type that is served, and no other."""
        served = dict.fromkeys(found.resources)
        gone = collected([resource for resource in self._served if resource not in served], self._dialect)
        come = collected([resource for resource in served if resource not in self._served], self._dialect)
        self._served = served
        followed = collected(list(served), self._dialect)
        self._types = {(resource.group, resource.kind): resource for resource in (*served, *followed)}
        kinds = {_place(resource): resource.kind for resource in come}
        for place, kind in kinds.items():
            if place not in self._followed:
                self._followed[place] = _Follower(self, place, kind, self._informers.of(*place))
        for place in map(_place, gone):
            if place not in kinds:
                follower = self._followed.pop(place)
                self._informers.leave(follower.informer, follower)
                self._graph.forget(place)
        for owner in self._graph.owners():
            if self._graph.living(owner) is None:  # it may be of a type that has come now, and gone already
                self._owner_changed(owner)

    def seen(self, place: FollowedResource, obj: Object) -> None:
        """An object is new or has changed."""
        before, node = self._graph.put(place, obj)
        if before is None and node is None:  # nearly everything: nobody owns it, and it stays
            return
        owners = dict.fromkeys(node.owners) if node is not None else {}
        for owner in before.owners if before is not None else ():
            if owner not in owners:
                self._owner_changed(owner.uid, dependents=False)
        if node is None:
            return
        if node.deleting:
            if node.waits and not (before is not None and before.waits):
                self._owner_changed(node.uid)
            self._enqueue(node.uid)
        is_news = before is None or before.owners != node.owners
        # A dependent is judged when it comes: its owner may have gone before, or be waiting for the likes of it.
        if is_news and any(not self._is_meant(node, owner) or self._waits(owner.uid) for owner in owners):
            self._enqueue(node.uid)

    def gone(self, place: FollowedResource, kind: str, key: ObjectKey, uid: str) -> None:
        """An object was deleted."""
        node = self._graph.remove(place, uid)
        self._remember_absent(_Absent(key.namespace, group_of(place.api_version), kind, key.name, uid))
        self._owner_changed(uid)
        for owner in node.owners if node is not None else ():
            self._owner_changed(owner.uid, dependents=False)

    def _owner_changed(self, uid: str, *, dependents: bool = True) -> None:
        """Look at an owner that waits for its dependents, and at the dependents themselves."""
        if self._waits(uid):
            self._enqueue(uid)
        if dependents:
            for node in self._graph.dependents(uid):
                self._enqueue(node.uid)

    def _waits(self, uid: str) -> bool:
        node = self._graph.node(uid)
        return node is not None and node.waits

    def _enqueue(self, uid: str) -> None:
        self.queue.add(ObjectKey("", uid))

    async def reconcile(self, key: ObjectKey) -> None:
        node = self._graph.node(key.name)
        if node is None:
            return
        if node.deleting:
            if node.orphans:
                await self._orphan_dependents(node)
            elif node.waits:
                await self._finish_foreground(node)
        elif node.owners:
            await self._judge(node)

    async def _judge(self, node: Node) -> None:
        states = await self._states(node)
        if all(state == "solid" for _, state in states):
            return
        obj = await self._latest(node)
        if obj is None or is_terminating(obj):
            return
        if obj["metadata"]["resourceVersion"] != node.revision and owners_of(obj) != node.owners:
            return  # the cache is behind; the change is on its way
        decision = decide(obj, states, has_dependents=bool(self._graph.dependents(node.uid)))
        if isinstance(decision, Delete):
            version = obj["metadata"]["resourceVersion"]
            collection = self._collection(node)
            await _unless_gone(collection.delete(node.name, propagation=decision.propagation, uid=node.uid, resource_version=version))
        elif decision.drop:
            dropped = frozenset(decision.drop)
            await self._patch(node, obj, {"ownerReferences": [r for r in owner_references(obj) if r["uid"] not in dropped]})

    async def _states(self, node: Node) -> list[tuple[Owner, State]]:
        """What has become of the owners. In this process a question is answered without any wait, so others are let in between."""
        states: list[tuple[Owner, State]] = []
        for number, owner in enumerate(node.owners, 1):
            states.append((owner, await self._state(node, owner)))
            if number % limits.OWNERS_A_TURN == 0:
                await self.clock.turn()
        return states

    async def _state(self, node: Node, owner: Owner) -> State:
        living, resource = self._graph.living(owner.uid), self._types.get((owner.group, owner.kind))
        is_elsewhere = living is not None and living.namespace not in ("", node.namespace)
        if is_elsewhere or (resource is not None and resource.namespaced and not node.namespace):
            return self._elsewhere(node, owner)
        if self._is_meant(node, owner):
            return "waiting" if self._waits(owner.uid) else "solid"
        if _Absent.of(owner, "") in self._absent or _Absent.of(owner, node.namespace) in self._absent:
            return "absent"
        if resource is None:
            raise StatusError(404, "NotFound", f"no resource type for owner {owner.kind} {owner.name}")
        namespace = node.namespace if resource.namespaced else ""
        latest = await self._client.resource(resource.api_version, resource.plural, namespace).find(owner.name)
        if latest is not None and uid_of(latest) == owner.uid:
            return "solid"
        self._remember_absent(_Absent.of(owner, namespace))
        return "absent"

    def _is_meant(self, node: Node, owner: Owner) -> bool:
        """Whether the object that a reference's UID names is there, is what else the reference says, and where it can own a dependent."""
        resource = self._types.get((owner.group, owner.kind))
        living = None if resource is None else self._graph.living_at(_place(resource), owner.uid)
        return living is not None and living.name == owner.name and living.namespace in ("", node.namespace)

    def _elsewhere(self, node: Node, owner: Owner) -> State:
        """What an owner counts as that can't be one, because it is in a namespace, and not in the dependent's."""
        metadata = {"name": node.name, "namespace": node.namespace, "uid": node.uid}
        about = {"apiVersion": node.place.api_version, "kind": self._kind_at(node.place), "metadata": metadata}
        coordinates = f"namespace: {node.namespace}, name: {owner.name}, uid: {owner.uid}"
        message = f'ownerRef [{owner.api_version}/{owner.kind}, {coordinates}] does not exist in namespace "{node.namespace}"'
        self._events.warning(about, "OwnerRefInvalidNamespace", message)
        return "absent" if node.namespace else "solid"

    def _kind_at(self, place: FollowedResource) -> str:
        found = (r.kind for r in self._types.values() if (r.api_version, r.plural) == (place.api_version, place.plural))
        return next(found, "")

    async def _finish_foreground(self, node: Node) -> None:
        """Release an owner once nothing blocks it; its dependents are judged on their own."""
        blocking = self._graph.blocking(node.uid)
        for dependent in blocking:
            if dependent.waits and node.owners and self._graph.waits_for(dependent.uid, node.uid):
                await self._unblock(dependent, node.uid)  # a circle: each waits for the next
            elif not dependent.deleting:
                self._enqueue(dependent.uid)
        if not blocking:
            await self._remove_finalizer(node, FOREGROUND)

    async def _orphan_dependents(self, node: Node) -> None:
        for dependent in self._graph.dependents(node.uid):
            obj = await self._latest(dependent)
            if obj is not None and any(reference["uid"] == node.uid for reference in owner_references(obj)):
                await self._patch(dependent, obj, {"ownerReferences": [r for r in owner_references(obj) if r["uid"] != node.uid]})
        await self._remove_finalizer(node, ORPHAN)

    async def _unblock(self, node: Node, owner_uid: str) -> None:
        obj = await self._latest(node)
        if obj is not None:
            references = [{**r, "blockOwnerDeletion": False} if r["uid"] == owner_uid else r for r in owner_references(obj)]
            await self._patch(node, obj, {"ownerReferences": references})

    async def _remove_finalizer(self, node: Node, finalizer: str) -> None:
        obj = await self._latest(node)
        if obj is not None and finalizer in finalizers_of(obj):
            await self._patch(node, obj, {"finalizers": [name for name in finalizers_of(obj) if name != finalizer]})

    async def _patch(self, node: Node, obj: Object, metadata: dict[str, list[Object]] | dict[str, list[str]]) -> None:
        """Change metadata of the object just read, unless it has changed or gone since."""
        cleared = {name: value or None for name, value in metadata.items()}
        checked = {**cleared, "uid": node.uid, "resourceVersion": obj["metadata"]["resourceVersion"]}
        await _unless_gone(self._collection(node).patch(node.name, {"metadata": checked}))

    async def _latest(self, node: Node) -> Object | None:
        """The object as it is now; None if it is gone, or another bears its name."""
        obj = await self._collection(node).find(node.name)
        return obj if obj is not None and uid_of(obj) == node.uid else None

    def _collection(self, node: Node) -> Collection:
        return self._client.resource(node.place.api_version, node.place.plural, node.namespace)

    def _remember_absent(self, absent: "_Absent") -> None:
        self._absent[absent] = None
        if len(self._absent) > limits.ABSENT_OWNERS:
            self._absent.popitem(last=False)


class _Absent(NamedTuple):
    """An owner that isn't there, as references name it: what was found out of one says nothing about another of the same UID."""

    namespace: str
    """Where it was, or was looked for."""
    group: str
    kind: str
    name: str
    uid: str

    @classmethod
    def of(cls, owner: Owner, namespace: str) -> "_Absent":
        return cls(namespace, owner.group, owner.kind, owner.name, owner.uid)


class _Follower:
    """Hands what is seen of one resource type to the collector."""

    def __init__(self, collector: GarbageCollector, place: FollowedResource, kind: str, informer: Informer) -> None:
        self._collector = collector
        self._place = place
        self._kind = kind
        self.informer = informer
        self.read = informer.follow(self)

    def seen(self, _key: ObjectKey, obj: Object) -> None:
        self._collector.seen(self._place, obj)

    def gone(self, key: ObjectKey, uid: str) -> None:
        self._collector.gone(self._place, self._kind, key, uid)


def _place(resource: ApiResource) -> FollowedResource:
    return FollowedResource(resource.api_version, resource.plural)


def collected(resources: list[ApiResource], dialect: Dialect) -> list[ApiResource]:
    """The resource types to follow: all that can be followed and deleted, but events, which come and go in crowds and own nothing."""
    ignored = (("", "events"), (dialect.group("events"), "events"))
    return [
        resource
        for resource in resources
        if (resource.group, resource.plural) not in ignored and all(verb in resource.verbs for verb in _NEEDED_VERBS)
    ]


async def _unless_gone(request: Awaitable[Object]) -> None:
    """What is to be done to an object is done as well if it is gone."""
    try:
        await request
    except StatusError as error:
        if error.code != 404:
            raise
