"""What a list comes to: a page, or a long collection while it is read."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from svcsim.meta.budget import Portion
from svcsim.storage.contract import Record


class Listing(NamedTuple):
    """One page of a collection."""

    records: list[Record]
    revision: int
    continue_token: str
    remaining: int | None
    held: Portion | None = None
    """What the records take of the memory for lists: goes with the answer that is made of them."""


class WholeList(NamedTuple):
    """A long collection that is handed on as it is read."""

    revision: int
    first: list[bytes]
    rest: AsyncIterator[tuple[int, list[bytes]]]
    """The next bodies, slice by slice, each with the revision."""
