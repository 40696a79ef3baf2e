"""One generic registry for all kinds: the verbs in one place.

It owns the order of a write and the meaning of every option, and asks a kind's declaration for all that differs between kinds. Each verb
raises `StatusError` for whatever is the client's to know; records hold bytes that are ready to be served.
"""

from collections.abc import Awaitable
from typing import TypeVar

from svcsim.meta import errors
from svcsim.meta.types import Object
from svcsim.registry import reads, worked_out
from svcsim.registry.answering import Answerer
from svcsim.registry.core import Core, translate
from svcsim.registry.deletion import Deleter, Deletion
from svcsim.registry.kind import NO_ANSWERS, Answers
from svcsim.registry.listings import Listing, WholeList
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, Target, WatchOptions, WriteOptions
from svcsim.registry.resource import Window
from svcsim.registry.shown import record_in_version, records_in_version, whole_list_in_version
from svcsim.registry.versions import in_stored_fields
from svcsim.registry.watching import Watches, Watching
from svcsim.registry.writes import Patcher, Writer
from svcsim.storage.contract import ReadView, Record, StoreError

T = TypeVar("T")


class RegistryView:
    """The reading verbs, asked of a view of the store: of the newest state (`Registry`), or of a past one (`Registry.at`)."""

    def __init__(self, core: Core, view: ReadView, watches: Watches) -> None:
        self.core = core
        self._view = view
        self._watches = watches

    def at(self, revision: int) -> "RegistryView":
        """The reading verbs on the state at a revision. Raises 410 and 504 for one that can't be read."""
        try:
            return RegistryView(self.core, self._view.at(revision), self._watches)
        except StoreError as error:
            raise translate(error) from error

    async def get(self, target: Target, resource_version: str = "") -> Record:
        """One object, not older than the version asked for."""
        record = await reads.get(self._view, target, resource_version)
        return record if target.resource.as_it_is else await record_in_version(self.core, target.resource, record)

    async def list(self, target: Target, options: ListOptions) -> Listing:
        """A page of a collection."""
        return await self._shown(target, await reads.list_page(self.core, self._view, target, in_stored_fields(target.resource, options)))

    async def whole_list(self, target: Target, options: ListOptions) -> WholeList | Listing:
        """A collection that is long and wanted whole, while it is being read; else what `list` gives."""
        found = await reads.whole_or_page(self.core, self._view, target, in_stored_fields(target.resource, options))
        if isinstance(found, WholeList):
            return await whole_list_in_version(self.core, target.resource, found)
        return await self._shown(target, found)

    async def _shown(self, target: Target, listing: Listing) -> Listing:
        if target.resource.as_it_is:
            return listing
        return listing._replace(records=await records_in_version(self.core, target.resource, listing.records))

    async def watch(self, target: Target, options: WatchOptions) -> Watching:
        """Open a watch (400, 410 and 504 are raised here); the batches then come until its time is up, or `StatusError` ends them."""
        return await self._watches.open(self._view, target, in_stored_fields(target.resource, options))


class Registry(RegistryView):
    """All verbs, on the newest state."""

    def __init__(self, core: Core, answers: Answers = NO_ANSWERS) -> None:
        """``answers`` are given for the kinds and subresources that leave theirs to the composition root."""
        super().__init__(core, core.store, Watches(core))
        self._writer = Writer(core)
        self._deleter = Deleter(core)
        self._answerer = Answerer(core, self._writer, self._deleter, answers)
        self._answers = answers

    async def worked_out(self, target: Target) -> Record:
        """An object that is worked out and never stored. Raises 404."""
        return await worked_out.get(self._answers, target)

    async def all_worked_out(self, target: Target, options: ListOptions) -> list[Record]:
        """A collection of such objects."""
        return await worked_out.listed(self._answers, target, options)

    async def create(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> Record:
        return await _finished(caller, self._writer.create(target, obj, caller, options))

    async def answer(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> Object:
        """What a kind that is answered and never stored makes of an object."""
        return await _finished(caller, self._answerer.answer(target, obj, caller, options))

    async def act(
        self, target: Target, window: Window, body: Object, caller: Caller, options: WriteOptions, asked: Target | None = None
    ) -> Object | Record:
        """Create a subresource: its own answer, or the record of the object that was written or deleted (a binding, an eviction).

        ``asked`` is what the request is about, where that stands for the subresource.
        """
        return await _finished(caller, self._answerer.act(target, window, body, caller, options, asked or target))

    async def connect(self, target: Target, options: Object, caller: Caller) -> Object:
        """The options of a connection (exec, attach, port-forward) as admission leaves them. Raises `StatusError` if it may not be."""
        return await _finished(caller, self._answerer.connect(target, options, caller))

    async def update(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Replace an object; the second value says whether it was created."""
        return await _finished(caller, self._writer.update(target, obj, caller, options))

    async def patch(self, target: Target, patcher: Patcher, caller: Caller, options: WriteOptions) -> Record:
        """Change an object; concurrent patches follow each other."""
        return await _finished(caller, self._writer.patch(target, patcher, caller, options))

    async def apply(self, target: Target, obj: Object, caller: Caller, options: WriteOptions) -> tuple[Record, bool]:
        """Server-side apply; the second value says whether it created the object."""
        return await _finished(caller, self._writer.apply(target, obj, caller, options))

    async def delete(self, target: Target, caller: Caller, options: DeleteOptions) -> Deletion:
        """Delete an object, or begin to."""
        if why := target.resource.kind.strategy.undeletable(target.name):
            raise errors.forbidden(target.resource.group_resource, target.name, why)
        return await _finished(caller, self._deleter.delete(target, caller, options))

    async def delete_collection(self, target: Target, caller: Caller, which: ListOptions, options: DeleteOptions) -> Listing:
        """Delete all that a list would show, and show it as it was deleted."""
        which = in_stored_fields(target.resource, which)
        return await _finished(caller, self._deleter.delete_collection(target, caller, which, options))


async def _finished(caller: Caller, write: Awaitable[T]) -> T:
    """What a write comes to. However it ends, admission lets go of what it held for it."""
    try:
        return await write
    finally:
        while caller.on_finish:
            caller.on_finish.pop()()
