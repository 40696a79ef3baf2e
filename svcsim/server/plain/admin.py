"""What a simulated cluster answers beyond the API: its status, its clock, its journal and its faults, below ``/svcsim/v1``.

These are plain paths, open to administrators alone, and served by the same pipeline as everything else, so that they work the same over
the wire and in process.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qs

from svcsim import limits
from svcsim.clock import Clock, format_micro_time
from svcsim.meta import errors
from svcsim.meta.codec import decode_sent_json, encode
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import Object
from svcsim.registry.reads import parse_revision
from svcsim.storage.contract import CompactedError, Event, EventType, FutureRevisionError, Store

ROOT = "/svcsim/v1"

FaultHandler = Callable[[Object], Awaitable[Object]]
"""Puts a fault in place, or takes one back (``{"remove": id}``); answers with what it did."""


@dataclass(slots=True)
class Admin:
    clock: Clock
    store: Store
    status: Callable[[], Object]
    fault: FaultHandler

    def routes(self) -> dict[str, Handler]:
        return {
            f"{ROOT}/status": self._status,
            f"{ROOT}/clock": self._clock,
            f"{ROOT}/journal": self._journal,
            f"{ROOT}/faults": self._faults,
        }

    async def _status(self, request: Request) -> Response:
        _only(request, "GET")
        return _json(self.status())

    async def _clock(self, request: Request) -> Response:
        """GET tells the time; PUT ``{"speed": x}`` sets the pace, ``{"step": seconds}`` moves a paused clock on."""
        _only(request, "GET", "PUT")
        if request.method == "PUT":
            wish = decode_sent_json(request.body)
            if not isinstance(wish, dict):
                raise errors.bad_request("the clock expects a JSON object with speed or step")
            speed, step = wish.get("speed"), wish.get("step")
            if speed is not None:
                if not isinstance(speed, int | float) or isinstance(speed, bool) or not _is_pace(speed):
                    bounds = f"from {limits.SLOWEST_PACE:g} to {limits.FASTEST_PACE:g}"
                    raise errors.bad_request(f"the clock's speed must be 0 (paused) or a number {bounds}")
                self.clock.set_speed(float(speed))
            if step is not None:
                if not isinstance(step, int | float) or isinstance(step, bool) or step < 0:
                    raise errors.bad_request("a step must be a number of seconds, zero or more")
                await self.clock.step(float(step))
        return _json({"now": format_micro_time(self.clock.now()), "speed": self.clock.speed})

    async def _journal(self, request: Request) -> Response:
        """Every committed write from ``since`` on, a JSON line each, for as long as the reader stays."""
        _only(request, "GET")
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

    async def _faults(self, request: Request) -> Response:
        _only(request, "POST")
        wish = decode_sent_json(request.body)
        if not isinstance(wish, dict):
            raise errors.bad_request("a fault must be a JSON object")
        return _json(await self.fault(wish))


def _is_pace(speed: float) -> bool:
    return speed == 0 or limits.SLOWEST_PACE <= speed <= limits.FASTEST_PACE


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


def _only(request: Request, *methods: str) -> None:
    if request.method not in methods:
        raise errors.method_not_allowed(methods)


def _json(body: Object) -> Response:
    return Response(200, encode(body))
