"""Retrying a write if another client has changed the object in the meantime."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from svcsim import limits
from svcsim.meta.errors import StatusError

T = TypeVar("T")


async def retry_on_conflict(attempt: Callable[[], Awaitable[T]]) -> T:
    """What ``attempt`` gives, which reads an object and writes it; called again, up to `limits.CONFLICT_TRIES` times, after a 409.

    Raises the last conflict where none of them gets through, and any other error at once.
    """
    for _ in range(limits.CONFLICT_TRIES - 1):
        try:
            return await attempt()
        except StatusError as error:
            if error.code != 409:
                raise
    return await attempt()
