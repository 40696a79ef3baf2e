"""The shell around every controller: caches that follow the cluster, a queue of keys to look at, workers that reconcile them.

A controller itself is then what is its own: which objects concern which key, and a pure function from what is seen to what is to be
done. A failed reconcile is tried again later; a conflict only means that the cache was behind.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from svcsim import limits
from svcsim.client.cache import Cache, Handler, ObjectKey, key_of
from svcsim.client.queue import WorkQueue
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

logger = logging.getLogger(__name__)


class ControlLoop:
    """Runs ``reconcile(key)`` for every key in ``queue`` once all ``caches`` have been filled."""

    def __init__(
        self,
        name: str,
        clock: Clock,
        reconcile: Callable[[ObjectKey], Awaitable[None]],
        caches: Sequence[Cache],
        workers: int = limits.CONTROLLER_WORKERS,
    ) -> None:
        self.name = name
        self.queue: WorkQueue[ObjectKey] = WorkQueue(clock)
        self._reconcile = reconcile
        self._caches = caches
        self._workers = workers

    def enqueue(self, obj: Object) -> None:
        """Have an object looked at."""
        self.queue.add(key_of(obj))

    def enqueuing(self) -> Handler:
        """A cache handler that has every object that changes looked at."""
        return lambda _change, obj, _before: self.enqueue(obj)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for cache in self._caches:
                tasks.create_task(cache.run(), name=f"{self.name} follows {cache.reflector.collection.plural}")
            for cache in self._caches:
                await cache.synced.wait()
            for number in range(self._workers):
                tasks.create_task(self._work(), name=f"{self.name} {number}")

    async def _work(self) -> None:
        while True:
            key = await self.queue.get()
            try:
                await self._reconcile(key)
            except StatusError as error:
                if error.code not in {404, 409}:
                    logger.info("%s: %s/%s will be tried again: %s", self.name, key.namespace, key.name, error.message)
                self.queue.retry(key)
            except ConnectionError as error:
                logger.info("%s: %s/%s will be tried again: %s", self.name, key.namespace, key.name, error)
                self.queue.retry(key)
            except Exception:  # one object a controller can't digest must not keep it from all others
                logger.exception("%s: %s/%s could not be reconciled", self.name, key.namespace, key.name)
                self.queue.retry(key)
            else:
                self.queue.forget(key)
            finally:
                self.queue.done(key)
