"""What is to be told of a claim or a volume, as an event."""

from typing import NamedTuple


class Notice(NamedTuple):
    """``kind`` is Normal or Warning."""

    kind: str
    reason: str
    message: str
