"""A scenario that waits for Nodes or Leases watches them: nodes write every heartbeat only while a client watches.

The journal that a run follows shows what is written, but doesn't cause heartbeats to be written.
"""

import asyncio

from svcsim.client.api import Client
from svcsim.client.discovery import ApiResource
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError

SAID_BY_NODES = ("Lease", "Node")
_AGAIN_AFTER_S = 1.0


class Onlooker:
    """Watches them from the first wait for one until the run is over."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._watching: dict[str, asyncio.Task[None]] = {}

    async def look_at(self, found: ApiResource) -> None:
        """A step waits for an object of a type."""
        if found.kind not in SAID_BY_NODES or found.kind in self._watching:
            return
        began = asyncio.Event()
        self._watching[found.kind] = asyncio.create_task(self._watch(found, began), name=f"{found.kind} objects are looked at")
        await began.wait()

    async def _watch(self, found: ApiResource, began: asyncio.Event) -> None:
        collection = self._client.resource(found.api_version, found.plural)
        try:
            while True:
                try:
                    async with collection.watch((await collection.list(limit=1)).revision) as events:
                        began.set()
                        async for _ in events:
                            pass
                except StatusError:
                    began.set()
                    await self._clock.sleep(_AGAIN_AFTER_S)
        except ConnectionError:
            pass  # whoever follows the journal finds that too
        finally:
            began.set()

    async def look_away(self) -> None:
        """The run is over."""
        for watching in self._watching.values():
            watching.cancel()
        if self._watching:
            await asyncio.wait(self._watching.values())
