"""Long work on one thing, on a thread of its own, so that the event loop goes on meanwhile.

Many things are worked through slice by slice; one large body can't be cut so easily. A thread that runs Python lets go of the interpreter
every fraction of a millisecond, so whatever waits on the loop has its turn. What is done aside is pure: it reads what it is given, and
nobody else writes to that. On virtual time there are no threads, and nobody to be kept waiting.
"""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from svcsim import limits
from svcsim.clock import VirtualLoop

P = ParamSpec("P")
T = TypeVar("T")


async def aside(size_bytes: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function gives; called aside where it works on that many bytes."""
    if size_bytes <= limits.ASIDE_BYTES:
        return function(*args, **kwargs)
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualLoop):
        return function(*args, **kwargs)
    return await loop.run_in_executor(None, lambda: function(*args, **kwargs))
