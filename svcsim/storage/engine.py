"""The part of LMDB that is used here, with the types it is used with.

py-lmdb's own types say ``bytes | memoryview`` everywhere, since a transaction can be asked for either. Ours are all asked for ``bytes``.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Literal, Protocol, Self, overload


class Table(Protocol):
    """A named database inside the environment."""


class Cursor(Protocol):
    """A place in a table."""

    def set_range(self, key: bytes) -> bool:
        """Go to the first entry whose key is not smaller; False when there is none."""
        ...

    def next(self) -> bool:
        """Go on by one entry; False at the end."""
        ...

    def last(self) -> bool:
        """Go to the last entry; False when there is none."""
        ...

    def key(self) -> bytes:
        """The key of the entry that the cursor is on."""
        ...

    def value(self) -> bytes:
        """The value of the entry that the cursor is on."""
        ...

    def item(self) -> tuple[bytes, bytes]: ...

    # Entries, or their keys alone, from this one on; the cursor stays on the last one given.
    @overload
    def iternext(self) -> Iterator[tuple[bytes, bytes]]: ...
    @overload
    def iternext(self, keys: Literal[True], values: Literal[False]) -> Iterator[bytes]: ...


class Transaction(AbstractContextManager["Transaction"], Protocol):
    """A snapshot to read from, or a write in the making. As a context: committed, or aborted by an exception."""

    def __enter__(self) -> Self: ...

    def get(self, key: bytes, default: bytes | None = None, db: Table | None = None) -> bytes | None:
        """The value under a key."""
        ...

    def put(self, key: bytes, value: bytes, *, append: bool = False, db: Table | None = None) -> bool:
        """Set it; ``append`` where the key is known to be the last."""
        ...

    def replace(self, key: bytes, value: bytes, db: Table | None = None) -> bytes | None:
        """Set it, and tell what was there."""
        ...

    def pop(self, key: bytes, db: Table | None = None) -> bytes | None:
        """Delete it, and tell what was there."""
        ...

    def delete(self, key: bytes, *, db: Table | None = None) -> bool:
        """Delete it; False when it wasn't there."""
        ...

    def stat(self, db: Table | None = None) -> dict[str, int]:
        """Figures of a table: ``psize``, ``branch_pages``, ``leaf_pages``, ``overflow_pages``, ``entries``, …."""
        ...

    def cursor(self, db: Table | None = None) -> Cursor:
        """A cursor that lives no longer than this."""
        ...

    def commit(self) -> None: ...

    def abort(self) -> None:
        """Forget it. Does nothing once it has ended."""
        ...


class Environment(Protocol):
    def begin(self, *, write: bool = False) -> Transaction:
        """A transaction; one that writes at a time."""
        ...

    def open_db(self, key: bytes) -> Table:
        """A table, made if need be."""
        ...

    def set_mapsize(self, map_size: int) -> None:
        """Change the limit of its size. Never below what is used, and never inside a transaction."""
        ...

    def info(self) -> dict[str, int]:
        """Figures: ``last_pgno``, ``map_size``, …."""
        ...

    def sync(self, force: bool = False) -> None: ...

    def close(self) -> None:
        """Let go of the file."""
        ...
