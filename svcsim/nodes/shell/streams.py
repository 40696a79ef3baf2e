"""What programs read from and write to."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

Read = Callable[[], Awaitable[bytes]]
Write = Callable[[bytes], Awaitable[None]]


class Streams(NamedTuple):
    """``read`` gives nothing at the end of the input."""

    read: Read
    write: Write
    complain: Write
