"""Work on many things, a few of them at a time: so that what each waits for is waited for once, and nobody else is kept waiting long."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def side_by_side(items: Sequence[T], work: Callable[[T], Awaitable[R]], at_once: int) -> list[R]:
    """What the work on each item comes to, in their order. After a failure nothing more is begun; it is raised once what was is over."""
    waiting = deque(enumerate(items))
    done: dict[int, R] = {}

    async def go_on() -> None:
        try:
            while waiting:
                place, item = waiting.popleft()
                done[place] = await work(item)
        finally:
            waiting.clear()

    for outcome in await asyncio.gather(*[go_on() for _ in items[:at_once]], return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
    return [done[place] for place in range(len(items))]
