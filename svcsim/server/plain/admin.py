"""What a simulated cluster answers beyond the API: its status, its clock, its journal, its faults and its machines, below ``/svcsim/v1``.

These are plain paths, open to administrators alone, and served by the same pipeline as everything else, so that they work the same over
the wire and in process.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import parse_qs

from svcsim.client.api import Client
from svcsim.clock import Clock
from svcsim.meta import errors
from svcsim.meta.codec import encode
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import Object
from svcsim.registry.reads import parse_revision
from svcsim.server.plain.clock_path import ClockPath
from svcsim.server.plain.faults_path import FaultHandler, FaultsPath
from svcsim.server.plain.nodes_path import NodesHandler, NodesPath
from svcsim.server.requests.methods import check_method
from svcsim.storage.contract import CompactedError, Event, EventType, FutureRevisionError, Store

ROOT = "/svcsim/v1"


NoteTime: TypeAlias = Callable[[], Awaitable[None]]
"""Writes down where the clock stands, and its pace."""


@dataclass(slots=True)
class Admin:
    clock: Clock
    store: Store
    status: Callable[[], Object]
    fault: FaultHandler
    nodes: NodesHandler
    client_of: Callable[[Request], Client]
    """Gives a client that asks in the name of whoever made a request."""
    note_time: NoteTime

    def routes(self) -> dict[str, Handler]:
        return {
            f"{ROOT}/status": self._status,
            f"{ROOT}/clock": ClockPath(self.clock, self.client_of, self.note_time).answer,
            f"{ROOT}/journal": self._journal,
            f"{ROOT}/faults": FaultsPath(self.fault).answer,
            f"{ROOT}/nodes": NodesPath(self.nodes).answer,
        }

    async def _status(self, request: Request) -> Response:
        check_method(request, ("GET",))
        return _json(self.status())

    async def _journal(self, request: Request) -> Response:
        """Every committed write from ``since`` on, a JSON line each, for as long as the reader stays."""
        check_method(request, ("GET",))
        query = parse_qs(request.query)
        since = parse_revision(query.get("since", [str(self.store.revision)])[0])
        try:
            watcher = self.store.at(since).watch()
        except CompactedError as error:
            raise errors.expired(str(error)) from error
        except FutureRevisionError as error:
            raise errors.too_large_resource_version(error.revision, error.current) from error

        async def lines() -> AsyncIterator[bytes]:
            try:
                async for batch in watcher:
                    yield b"".join([journal_line(event) for event in batch])
            finally:
                watcher.close()

        return Response(200, stream=lines())


def journal_line(event: Event) -> bytes:
    """One committed write as the journal tells it."""
    key = event.record.key
    head = encode(
        {
            "revision": event.record.revision,
            "type": EventType(event.type).name,
            "resource": key.resource,
            "namespace": key.namespace,
            "name": key.name,
        }
    )
    return head[:-1] + b',"object":' + event.record.body + b"}\n"


def _json(body: Object) -> Response:
    return Response(200, encode(body))
