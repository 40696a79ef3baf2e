"""Shared informers: each collection is followed once, whatever the number of those who want to know of it.

Controllers, scheduler and nodes say which collections concern them. `Informers` opens one watch for each (resource, selector), and hands
each event, decoded once if at all, to all who follow. There are two ways to follow:

- Most look things up: they share the informer's `Cache`, with its indexes and handlers. How much of an object is kept there is one rule
  for each resource, so that a further controller costs no further copy. A cache that nobody asks for is not made.
- Some keep only a digest of their own, of objects of which there are tens of thousands: a `Follower` is shown each whole object once as
  it passes, and nothing is kept for it but names and UIDs, from which follows what has gone while the watch was broken.

An informer's followers are called one after the other in the order in which they came, so that a run on virtual time is the same every
time.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client, Collection
from svcsim.client.cache import Cache, Trim, whole
from svcsim.client.reflector import Reflector
from svcsim.clock import Clock, turn
from svcsim.meta.indexed import Indexer, ObjectKey, object_key
from svcsim.meta.objects import metadata_of, uid_of, unmanaged
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


class FollowedResource(NamedTuple):
    """A resource type in one version, as a client asks for it."""

    api_version: str
    plural: str


class Follower(Protocol):
    """Who is shown the objects of a collection. It must be quick, and must not change them."""

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """An object is there as given: it is new or has changed, or the collection was read again."""
        ...

    def gone(self, key: ObjectKey, uid: str) -> None:
        """An object was deleted."""
        ...


class Informer:
    """Follows one collection for many."""

    def __init__(
        self,
        collection: Collection,
        clock: Clock,
        chance: Chance,
        *,
        label_selector: str = "",
        field_selector: str = "",
        trim: Trim = whole,
    ) -> None:
        self.reflector = Reflector(collection, clock, chance, self, label_selector=label_selector, field_selector=field_selector)
        self._trim = trim
        self._cache: Cache | None = None
        self._followers: dict[Follower, asyncio.Event] = {}
        self._uids: dict[ObjectKey, str] = {}
        self._has_been_read = False
        self._told_of_strays = False

    @property
    def cache(self) -> Cache:
        """The objects, as much of them as is kept."""
        if self._cache is None:
            self._cache = Cache(self._trim)
            self._cache.synced = self.follow(self._cache)
        return self._cache

    @property
    def followed(self) -> bool:
        """Whether there is anybody to follow for."""
        return bool(self._followers)

    def follow(self, follower: Follower) -> asyncio.Event:
        """Show a follower all there is and every change from then on; the event is set once it has seen all there is.

        For one that comes late the collection is read again, since whole objects aren't kept; to the others that is no news.
        """
        synced = self._followers[follower] = asyncio.Event()
        if self._has_been_read:
            self.reflector.read_again()
        return synced

    def leave(self, follower: Follower) -> None:
        """Show it nothing any more."""
        self._followers.pop(follower, None)

    async def run(self) -> None:
        """Follow the collection until cancelled."""
        await self.reflector.run()

    def replace(self, items: list[Object]) -> None:
        """The reflector has read the whole collection."""
        self._has_been_read = True
        gone = dict(self._uids)
        for obj in items:
            if self._can_be_told_apart(obj):
                gone.pop(self._put(obj), None)
        for key, uid in gone.items():
            self._remove(key, uid)
        for synced in self._followers.values():
            synced.set()

    def apply(self, change: str, obj: Object) -> None:
        """The reflector has seen a change."""
        if not self._can_be_told_apart(obj):
            return
        if change == "DELETED":
            self._remove(object_key(obj), uid_of(obj))
        else:
            self._put(obj)

    def _can_be_told_apart(self, obj: Object) -> bool:
        """Whether an object has what followers know it by. Those of servers behind the cluster's own may have nothing of the kind."""
        metadata = metadata_of(obj)
        if metadata.get("uid") and metadata.get("name"):
            return True
        if not self._told_of_strays:
            self._told_of_strays = True
            collection = self.reflector.collection
            what = "%s of %s without metadata.name or metadata.uid are left out of account: their server should give them both"
            logger.warning(what, collection.plural, collection.api_version)
        return False

    def _put(self, obj: Object) -> ObjectKey:
        key, uid = object_key(obj), uid_of(obj)
        before = self._uids.get(key)
        if before is not None and before != uid:
            self._remove(key, before)
        if before != uid:
            self._uids[key] = uid
        for follower in list(self._followers):
            try:
                follower.seen(key, obj)
            except Exception:  # one that can't digest an object must not keep it from the others
                logger.exception("%s %s/%s could not be taken in", self.reflector.collection.plural, key.namespace, key.name)
        return key

    def _remove(self, key: ObjectKey, uid: str) -> None:
        self._uids.pop(key, None)
        for follower in list(self._followers):
            try:
                follower.gone(key, uid)
            except Exception:
                logger.exception("the end of %s %s/%s could not be taken in", self.reflector.collection.plural, key.namespace, key.name)


class Informers:
    """The informers of a process, each made when it is first asked for.

    ``trims`` say what caches keep; the others keep all but who owns which field.
    """

    def __init__(self, client: Client, clock: Clock, chance: Chance, trims: Mapping[FollowedResource, Trim]) -> None:
        self._client = client
        self._clock = clock
        self._chance = chance
        self._trims = trims
        self._informers: dict[tuple[FollowedResource, str, str], Informer] = {}
        self._running: dict[Informer, asyncio.Task[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None

    def __len__(self) -> int:
        return len(self._informers)

    def of(self, api_version: str, plural: str, *, label_selector: str = "", field_selector: str = "") -> Informer:
        """The informer of a resource type in all namespaces, or of what selectors choose of it."""
        resource = FollowedResource(api_version, plural)
        informer = self._informers.get((resource, label_selector, field_selector))
        if informer is None:
            informer = self._informers[resource, label_selector, field_selector] = Informer(
                self._client.resource(api_version, plural),
                self._clock,
                self._chance.fork(f"{api_version} {plural} {label_selector} {field_selector}"),
                label_selector=label_selector,
                field_selector=field_selector,
                trim=self._trims.get(resource, unmanaged),
            )
            self._start(informer)
        return informer

    def cache(self, api_version: str, plural: str, *indexers: Indexer) -> Cache:
        """The objects of a resource type, found by these indexes."""
        cache = self.of(api_version, plural).cache
        for indexer in indexers:
            cache.add_index(indexer)
        return cache

    def leave(self, informer: Informer, follower: Follower) -> None:
        """Show a follower nothing any more; what nobody follows isn't watched."""
        informer.leave(follower)
        if not informer.followed:
            self._informers = {source: other for source, other in self._informers.items() if other is not informer}
            task = self._running.pop(informer, None)
            if task is not None:
                task.cancel()

    async def run(self) -> None:
        """Follow all collections until cancelled. It may be run again, and goes on where it was."""
        try:
            async with asyncio.TaskGroup() as self._tasks:
                for number, source in enumerate(tuple(self._informers)):
                    if number % limits.INFORMERS_A_TURN == 0:
                        await turn()  # within one process each reads and watches at once
                    informer = self._informers.get(source)  # it may have been left meanwhile, or have begun
                    if informer is not None and informer not in self._running:
                        self._start(informer)
                await asyncio.get_running_loop().create_future()
        finally:
            self._tasks = None
            self._running.clear()

    def _start(self, informer: Informer) -> None:
        if self._tasks is not None:
            self._running[informer] = self._tasks.create_task(informer.run(), name=f"following {informer.reflector.collection.plural}")
