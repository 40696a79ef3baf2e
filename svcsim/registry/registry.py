"""One generic registry for all kinds: create, get, list, update, patch, delete and watch.

It owns the order of a write (decode, default, admission, strategy, validation, store) and the meaning of every option, and asks the
kind's declaration for all that differs between kinds.
"""

from collections.abc import AsyncIterator, Callable
from typing import NamedTuple, Protocol

from svcsim.meta.types import Object
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, Target, WatchOptions, WriteOptions
from svcsim.storage.contract import Record


class Listing(NamedTuple):
    """One page of a collection."""

    records: list[Record]
    revision: int
    continue_token: str
    remaining: int | None


class Deletion(NamedTuple):
    """What a delete came to: the object as it was or is, and whether it is gone or only terminating."""

    record: Record
    gone: bool


class WatchEvent(NamedTuple):
    """One event as one watcher sees it. ``type`` is ADDED, MODIFIED, DELETED or BOOKMARK; ``body`` is the object's JSON.

    ``line`` is the whole encoded event (``{"type":…,"object":…}\\n``), the same bytes object for every watcher that sees it so.
    """

    type: str
    body: bytes
    line: bytes


Patcher = Callable[[Object], Object]
"""Gives the patched object for the current one, without changing it. Raises `StatusError`."""


class Admission(Protocol):
    """The admission chain as the registry sees it."""

    async def mutate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Change ``new`` in place, or raise `StatusError`. ``operation`` is CREATE, UPDATE, DELETE or CONNECT."""
        ...

    async def validate(self, operation: str, target: Target, new: Object | None, old: Object | None, caller: Caller) -> None:
        """Raise `StatusError` if this may not be."""
        ...


class Registry(Protocol):
    """The verbs. Each raises `StatusError` for what the client is to be told. Records hold bytes ready to be served."""

    async def get(self, target: Target, resource_version: str = "") -> Record: ...

    async def list(self, target: Target, options: ListOptions) -> Listing: ...

    async def watch(self, target: Target, options: WatchOptions) -> AsyncIterator[list[WatchEvent]]:
        """Opens at once (410 and 400 are raised here), then yields batches until its time is up. Raises `StatusError` when it breaks."""
        ...

    async def create(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> Record:
        """``obj`` is as it was sent. For a sub-resource (binding) the parent is written."""
        ...

    async def update(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """The second value says whether it was created."""
        ...

    async def patch(self, target: Target, patcher: Patcher, caller: Caller, options: WriteOptions) -> Record: ...

    async def delete(self, target: Target, caller: Caller, options: DeleteOptions) -> Deletion: ...

    async def delete_collection(self, target: Target, caller: Caller, which: ListOptions, options: DeleteOptions) -> list[Record]: ...
