"""An event about a claim or a volume."""

from typing import NamedTuple


class Notice(NamedTuple):
    """``kind`` is Normal or Warning."""

    kind: str
    reason: str
    message: str
