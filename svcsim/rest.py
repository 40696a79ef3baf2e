"""When a cluster has done all there was to do: what is ready on its event loop, and what is under way beside it.

A clock that is stepped or sped up moves on only then, so that nothing in the cluster is late, however slow the machine is. A virtual loop
knows by itself when nothing is left to do; of any other this has to be found out.
"""

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Any


class Work:
    """What is under way and comes back to the event loop by itself: a commit in its thread, a request that is held back.

    The loop can't see it, so whoever sets it off counts it here.
    """

    def __init__(self) -> None:
        self._under_way = 0
        self._then: Callable[[], object] | None = None

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self._under_way > 0

    def __enter__(self) -> None:
        self.begin()

    def __exit__(self, *raised: object) -> None:
        self.end()

    def begin(self) -> None:
        self._under_way += 1

    def end(self) -> None:
        self._under_way -= 1
        if not self._under_way and self._then is not None:
            then, self._then = self._then, None
            then()

    def when_over(self, then: Callable[[], object]) -> None:
        """Call back once what is under way is over. One at a time may ask."""
        self._then = then


class Rest:
    """Tells when nothing is ready on the event loop, and no work under way.

    While somebody waits for that, every callback that is scheduled is counted. What is ready runs in the order in which it was scheduled,
    so once a whole turn has passed in which nobody scheduled anything, nothing is ready. The loop's own ``call_soon`` is replaced for that
    long and no longer: a loop of our own class that counts would slow every callback of every request, at all times.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._asked: list[Callable[[], object]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        """The one whose callbacks are being counted."""
        self._scheduled = 0
        self._before = 0

    def ask(self, callback: Callable[[], object]) -> None:
        """Have a callback called at rest. Several are called one after the other, each at a rest of its own."""
        if callback not in self._asked:
            self._asked.append(callback)
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._call_soon = self._loop.call_soon
            vars(self._loop)["call_soon"] = self._counted
            self._watch_a_turn()

    def forget(self, callback: Callable[[], object]) -> None:
        """Don't call it any more."""
        if callback in self._asked:
            self._asked.remove(callback)

    async def come(self) -> None:
        """Wait until there is rest."""
        came: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        tell = partial(came.set_result, None)
        self.ask(tell)
        try:
            await came
        finally:
            self.forget(tell)

    def _counted(self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None) -> asyncio.Handle:
        self._scheduled += 1
        return self._call_soon(callback, *args, context=context)

    def _watch_a_turn(self) -> None:
        self._before = self._scheduled
        self._call_soon(self._look)

    def _look(self) -> None:
        if not self._asked:
            if self._loop is not None:
                del vars(self._loop)["call_soon"]
            self._loop = None
        elif self._work:
            self._work.when_over(self._watch_a_turn)
        elif self._scheduled != self._before:
            self._watch_a_turn()
        else:
            self._asked.pop(0)()
            self._watch_a_turn()
