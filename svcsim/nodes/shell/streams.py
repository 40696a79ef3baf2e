"""Standard input, standard output and standard error."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

Read = Callable[[], Awaitable[bytes]]
Write = Callable[[bytes], Awaitable[None]]


class Streams(NamedTuple):
    """The streams of a program. ``read`` returns no bytes at the end of the input; ``complain`` writes to standard error."""

    read: Read
    write: Write
    complain: Write
