"""Long work on one thing, on a thread of its own, so that the event loop goes on meanwhile.

Many things are worked through slice by slice; one large body can't be cut so easily. A thread that runs Python lets go of the interpreter
every fraction of a millisecond, so whatever waits on the loop has its turn. What is done aside is pure: it reads what it is given, and
nobody else writes to that. On virtual time there are no threads, and nobody to be kept waiting.
"""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Generic, ParamSpec, TypeVar

from svcsim import limits
from svcsim.virtual_loop import VirtualLoop

P = ParamSpec("P")
T = TypeVar("T")
_OTHERS_WAIT = ContextVar("others_wait", default=False)


class LongError(Exception):
    """Work that turned out to be long while others wait for it."""


def give_way() -> None:
    """Said by work that turns out to be long, at a moment at which it can be begun anew: if others wait for it, that is done aside."""
    if _OTHERS_WAIT.get() and not isinstance(asyncio.get_running_loop(), VirtualLoop):
        raise LongError


async def aside(size_bytes: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function gives; called aside where it works on that many bytes."""
    if size_bytes <= limits.ASIDE_BYTES:  # nearly always: nothing else is asked first, not even which loop this is
        return function(*args, **kwargs)
    return await _in_thread(function, *args, **kwargs)


async def aside_if_long(size_bytes: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`aside`, also for a small value if the function says that it takes long (`give_way`)."""
    if size_bytes <= limits.ASIDE_BYTES:
        token = _OTHERS_WAIT.set(True)
        try:
            return function(*args, **kwargs)
        except LongError:
            pass
        finally:
            _OTHERS_WAIT.reset(token)
    return await _in_thread(function, *args, **kwargs)


async def _in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualLoop):
        return function(*args, **kwargs)
    return await loop.run_in_executor(None, lambda: function(*args, **kwargs))


class MadeAside(Generic[T]):
    """What takes long to make, since a library has to be loaded for it: made aside when it is first wanted."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None

    async def get(self) -> T:
        """The thing."""
        if self._made is None:
            self._made = await aside(limits.ASIDE_BYTES + 1, self._make)
        return self._made
