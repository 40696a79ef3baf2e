"""One generic registry for all kinds: the verbs in one place.

It owns the order of a write and the meaning of every option, and asks a kind's declaration for all that differs between kinds. Each verb
raises `StatusError` for what the client is to be told; records hold bytes that are ready to be served.
"""

from typing import TypeAlias

from svcsim import limits
from svcsim.clock import turn
from svcsim.registry import reads
from svcsim.registry.answering import Answerer
from svcsim.registry.core import Core
from svcsim.registry.deletion import Deleter, Deletion
from svcsim.registry.options import Caller, DeleteOptions, ListOptions, Target, WatchOptions
from svcsim.registry.reads import Listing, WholeList
from svcsim.registry.versions import in_stored_fields, shown
from svcsim.registry.watching import Watches, Watching
from svcsim.registry.writes import Writer
from svcsim.storage.contract import Record

Records: TypeAlias = list[Record]


class Registry:
    """The verbs."""

    def __init__(self, core: Core) -> None:
        self.core = core
        writer, self._deleter, self._watches = Writer(core), Deleter(core), Watches(core)
        answerer = Answerer(core, writer, self._deleter)
        # What these say of themselves is all there is to say.
        self.create, self.update, self.patch, self.apply = writer.create, writer.update, writer.patch, writer.apply
        self.answer, self.act, self.connect = answerer.answer, answerer.act, answerer.connect

    async def get(self, target: Target, resource_version: str = "") -> Record:
        """One object, not older than the version asked for."""
        return shown(self.core, target.resource, await reads.get(self.core, target, resource_version))

    async def list(self, target: Target, options: ListOptions) -> Listing:
        """A page of a collection."""
        listing = await reads.list_page(self.core, target, in_stored_fields(target.resource, options))
        if target.resource.stored is None:
            return listing
        return listing._replace(records=await self._all_shown(target, listing.records))

    async def whole_list(self, target: Target, options: ListOptions) -> WholeList | None:
        """A collection that is long and wanted whole, while it is being read; None where `list` is the way."""
        return await reads.whole(self.core, target, in_stored_fields(target.resource, options))

    async def _all_shown(self, target: Target, records: Records) -> Records:
        """Records as the version asked for shows them. A long conversion lets others have their turn."""
        seen: Records = []
        for start in range(0, len(records), limits.CONVERTED_SLICE_RECORDS):
            seen += [shown(self.core, target.resource, record) for record in records[start : start + limits.CONVERTED_SLICE_RECORDS]]
            await turn()
        return seen

    async def watch(self, target: Target, options: WatchOptions) -> Watching:
        """Open a watch (400, 410 and 504 are raised here); the batches then come until its time is up, or `StatusError` ends them."""
        return await self._watches.open(target, in_stored_fields(target.resource, options))

    async def delete(self, target: Target, caller: Caller, options: DeleteOptions) -> Deletion:
        """Delete an object, or begin to."""
        record, gone = await self._deleter.delete(target, caller, options)
        return Deletion(shown(self.core, target.resource, record), gone)

    async def delete_collection(self, target: Target, caller: Caller, which: ListOptions, options: DeleteOptions) -> Records:
        """Delete all that a list would show."""
        which = in_stored_fields(target.resource, which)
        return await self._all_shown(target, await self._deleter.delete_collection(target, caller, which, options))
