"""``/svcsim/v1/faults``: what is broken on purpose, and the webhooks that are answered for.

A fault lasts until it is removed, and its client may be gone by then: killed, or cut off. So it can be bound to a hold, an answer that goes
on for as long as its reader stays; all its faults end with the hold.
"""

from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

from svcsim import limits
from svcsim.clock import loop_sleep
from svcsim.meta import errors
from svcsim.meta.codec import decode_sent_json, encode
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.server.requests.methods import check_method

FaultHandler: TypeAlias = Callable[[Object], Object]
"""Puts a fault in place, or takes one back (``{"remove": id}``); answers with what it did."""


class FaultsPath:
    """POST of a fault puts it in place; POST ``{"hold": true}`` is answered with a line that names the hold, and lasts.

    A fault with ``"heldBy": name`` is taken back when that hold ends, if it wasn't before.
    """

    def __init__(self, fault: FaultHandler) -> None:
        self._fault = fault
        self._held: dict[str, list[str]] = {}
        """The faults of each hold."""
        self._made = 0

    async def answer(self, request: Request) -> Response:
        check_method(request, ("POST",))
        wish = decode_sent_json(request.body)
        if not isinstance(wish, dict):
            raise errors.bad_request("a fault must be a JSON object")
        if wish.get("hold") is True:
            return Response(200, stream=self._hold())
        return Response(200, encode(self._placed(wish)))

    def _placed(self, wish: Object) -> Object:
        hold = wish.pop("heldBy", None)
        if hold is None:
            return self._fault(wish)
        if not isinstance(hold, str) or hold not in self._held:
            raise errors.bad_request("the hold that the fault is bound to has ended")
        answer = self._fault(wish)
        if "id" in answer:
            self._held[hold].append(answer["id"])
        return answer

    async def _hold(self) -> AsyncIterator[bytes]:
        """An empty line now and then shows whether the reader is still there, even where nobody could say that it left."""
        self._made += 1
        name = f"hold-{self._made}"
        self._held[name] = []
        try:
            yield encode({"hold": name}) + b"\n"
            while True:
                await loop_sleep(limits.FAULT_HOLD_S)
                yield b"\n"
        finally:
            for fault_id in self._held.pop(name):
                self._fault({"remove": fault_id})
