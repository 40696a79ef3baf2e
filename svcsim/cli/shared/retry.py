"""Retrying a write if another client has changed the object in the meantime: `svcsim.client.retry` for commands, which block."""

from collections.abc import Callable
from typing import TypeVar

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

T = TypeVar("T")


def retry_on_conflict(attempt: Callable[[Object], T], obj: Object, read: Callable[[], Object], *, tries: int, pause_s: float = 0.0) -> T:
    """What ``attempt`` makes of an object; after a conflict it is called again with the object as ``read`` finds it then.

    Before the third try and each that follows, it waits. Raises the last conflict where none gets through, and any other error at once.
    """
    for number in range(1, tries):
        try:
            return attempt(obj)
        except StatusError as error:
            if error.reason != "Conflict":
                raise
        if number > 1 and pause_s:
            from svcsim.wall import wall_sleep

            wall_sleep(pause_s)
        obj = read()
    return attempt(obj)
