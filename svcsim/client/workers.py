"""Workers: as many tasks as there is work for at a time, up to a limit.

Most controllers never have work for more than one or two, and a task that waits is made and ended with its cluster like any other. So a
worker is started when a key is ready that none waits for, and stays from then on. Keys are worked on in the same order as if all workers
were there from the start: one that is started has its turn when one that was woken would have it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Generic, TypeVar

from svcsim import limits
from svcsim.client.queue import WorkQueue
from svcsim.clock import turn

K = TypeVar("K", bound=Hashable)


class Workers(Generic[K]):
    """Call ``work(key)`` for the keys of a queue, ``most`` of them at a time."""

    def __init__(self, queue: WorkQueue[K], work: Callable[[K], Awaitable[None]], most: int, name: str) -> None:
        self._queue = queue
        self._work = work
        self._most = most
        self._name = name

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """While this lasts, workers can be started in this context: until the caller is cancelled, or fails.

        They have a task group of their own. A shared one would end with any of its other tasks that fails, and accept no further tasks
        before that is known here; then the code that adds a key would fail.
        """
        context = copy_context()  # code that adds a key runs in another one, which workers mustn't inherit
        started = idle = 0

        def more() -> None:
            nonlocal started, idle
            while idle < len(self._queue) and started < self._most:
                tasks.create_task(run(), name=f"{self._name} {started}", context=context.copy())
                started += 1
                idle += 1

        async def run() -> None:
            nonlocal idle
            worked_on = 0
            while True:
                key = await self._queue.get()
                idle -= 1
                await self._work(key)
                idle += 1
                worked_on += 1
                if worked_on % limits.KEYS_A_TURN == 0:  # where there is nothing to be done for any, nothing is waited for
                    await turn()

        async with asyncio.TaskGroup() as tasks:
            more()
            with self._queue.telling(more):
                yield
