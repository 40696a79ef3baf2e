"""Work on many things, a few of them at a time: so that what each waits for is waited for once, and nobody else is kept waiting long."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def side_by_side(items: Sequence[T], work: Callable[[T], Awaitable[R]], at_once: int) -> list[R]:
    """What the work on each item comes to, in their order. Raises the first failure, once the others that were begun are over."""
    done: list[R] = []
    for start in range(0, len(items), at_once):
        for outcome in await asyncio.gather(*map(work, items[start : start + at_once]), return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome
            done.append(outcome)
    return done
