"""The shell around every controller: what it follows, a queue of keys to look at, workers that reconcile them, work done now and then.

A controller itself is then what is its own. It declares its sources: which collections concern it, and which keys an object of each has
looked at; and it says what is to be done for one key (`Controller.reconcile`), as a rule by a pure function from what is seen to what is
to be done. A failed reconcile is tried again later, each time after a longer while; a conflict only means that the cache was behind. What
fails because its own namespace is going is let be: the next try would fail as well.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.cache import Cache
from svcsim.client.discovery import ServedTypes
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Follower, Informer, Informers
from svcsim.client.own_time import Timed
from svcsim.client.queue import WorkQueue
from svcsim.client.workers import Workers
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


class ControllerContext(NamedTuple):
    """What a controller is given to work with. Client, chance and events are its own, the rest is shared."""

    client: Client
    informers: Informers
    served_types: ServedTypes
    clock: Clock
    chance: Chance
    dialect: Dialect
    events: EventRecorder


Keys: TypeAlias = Callable[[str, Object, Object | None], Iterable[ObjectKey]]
"""Which keys a change has looked at. The parameters are those of a `svcsim.client.cache.Handler`."""


def itself(_change: str, obj: Object, _before: Object | None) -> Iterable[ObjectKey]:
    """The object that changed."""
    return (object_key(obj),)


class Source(NamedTuple):
    """A collection in which a controller looks things up, and the keys that its changes have looked at."""

    cache: Cache
    keys: Keys | None = None
    after_s: float = 0.0
    """How long changes are gathered before a key is looked at."""

    def connect(self, queue: WorkQueue[ObjectKey]) -> asyncio.Event:
        """Have changes fill the queue; the event is set once the collection has been read."""
        keys_of, after_s = self.keys, self.after_s
        if keys_of is not None:

            def enqueue(change: str, obj: Object, before: Object | None) -> None:
                for key in keys_of(change, obj, before):
                    queue.add_after(key, after_s)

            self.cache.add_handler(enqueue)
        return self.cache.synced


class StreamSource(NamedTuple):
    """A collection whose objects a controller sees pass by, to keep of them what it needs."""

    informer: Informer
    follower: Follower

    def connect(self, _queue: WorkQueue[ObjectKey]) -> asyncio.Event:
        """Have them pass by; the event is set once the collection has been read."""
        return self.informer.follow(self.follower)


class Periodic(NamedTuple):
    """Work that is done again and again: ``action`` says after how many seconds it is to be done next."""

    action: Callable[[], Awaitable[float]]
    first_s: float = 0.0


class Controller:
    """Runs ``reconcile(key)`` for every key in ``queue`` once all sources have been read.

    A source may call back while this is being made, so a controller calls ``super().__init__`` last.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        sources: Sequence[Source | StreamSource] = (),
        *,
        periodic: Sequence[Periodic] = (),
        workers: int = limits.CONTROLLER_WORKERS,
        retry_first_s: float = limits.REQUEUE_FIRST_S,
        retry_longest_s: float = limits.REQUEUE_LONGEST_S,
    ) -> None:
        self.name = name
        self.clock = clock
        self.troubles: dict[ObjectKey, str] = {}
        """Why it couldn't bring objects further, by their keys; of the last ones that are tried again."""
        self.queue: WorkQueue[ObjectKey] = WorkQueue(clock, retry_first_s, retry_longest_s)
        self._periodic = periodic
        self._workers = Workers(self.queue, self._work, workers, name)
        self._synced = [source.connect(self.queue) for source in sources]

    async def reconcile(self, key: ObjectKey) -> None:
        """Bring what a key stands for one step further. Not called where nothing fills the queue."""

    async def prepare(self) -> None:
        """Called each time before work begins, once all sources have been read."""

    async def run(self) -> None:
        for synced in self._synced:
            await synced.wait()
        await self.prepare()
        async with asyncio.TaskGroup() as tasks, self._workers.at_work():
            for periodic in self._periodic:
                tasks.create_task(self._repeat(periodic), name=f"{self.name}, now and then")
            await asyncio.get_running_loop().create_future()  # until cancelled

    async def _work(self, key: ObjectKey) -> None:
        work = Timed(self.reconcile(key))
        try:
            await work
        except asyncio.CancelledError:
            self.queue.add(key)  # for the workers of the next start, if there is one
            raise
        except StatusError as error:
            if key.namespace and namespace_is_going(error, key.namespace):
                self._is_done_with(key)
            else:
                if error.code not in {404, 409} or self.queue.failures(key) >= limits.CONTROLLER_STALE_TRIES:
                    logger.info("%s: %s/%s will be tried again: %s", self.name, key.namespace, key.name, error.message)
                    self._note_trouble(key, error.message)
                self.queue.retry(key)
        except ConnectionError as error:
            logger.info("%s: %s/%s will be tried again: %s", self.name, key.namespace, key.name, error)
            self._note_trouble(key, str(error))
            self.queue.retry(key)
        except Exception as error:  # one object a controller can't digest must not keep it from all others
            logger.exception("%s: %s/%s could not be reconciled", self.name, key.namespace, key.name)
            self._note_trouble(key, f"{type(error).__name__}: {error}; the server's log says more")
            self.queue.retry(key)
        else:
            self._is_done_with(key)
        finally:
            self._finish(key, work.took_s)

    def _is_done_with(self, key: ObjectKey) -> None:
        self.queue.forget(key)
        if self.troubles:
            self.troubles.pop(key, None)

    def _note_trouble(self, key: ObjectKey, why: str) -> None:
        self.troubles.pop(key, None)
        if len(self.troubles) >= limits.CONTROLLER_TROUBLES:
            del self.troubles[next(iter(self.troubles))]
        self.troubles[key] = why[: limits.CONTROLLER_TROUBLE_CHARS]

    def _finish(self, key: ObjectKey, took_s: float) -> None:
        """Let a key come up again, one that takes long not at once: changes gather meanwhile, and others have their share of the time."""
        if took_s <= limits.RECONCILE_SHORT_S or self.clock.waits_for_work:
            self.queue.done(key)
        else:
            rest_s = min(took_s * limits.RECONCILE_RESTS, limits.RECONCILE_RESTS_LONGEST_S)
            self.clock.work.begin()
            asyncio.get_running_loop().call_later(rest_s, self._rested, key)

    def _rested(self, key: ObjectKey) -> None:
        self.clock.work.end()
        self.queue.done(key)

    async def _repeat(self, periodic: Periodic) -> None:
        await self.clock.sleep(periodic.first_s)
        while True:
            try:
                delay_s = await periodic.action()
            except (StatusError, ConnectionError) as error:
                logger.info("%s will be tried again: %s", self.name, error)
                delay_s = limits.PERIODIC_RETRY_S
            await self.clock.sleep(delay_s)
