"""What a scenario asks of a cluster, and what it is answered: a refusal is an answer, too, that the scenario may expect."""

from collections.abc import Callable
from typing import NamedTuple

import orjson

from svcsim.client.transport import Stream, Transport
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object


class Answer(NamedTuple):
    """What the last request was answered."""

    status: int = 0
    body: bytes = b""


class Recorded:
    """A transport that remembers the last answer and tells of every request. See `svcsim.client.transport.Transport`."""

    hands_over = False

    def __init__(self, transport: Transport, on_answer: Callable[[str], None]) -> None:
        self.answer = Answer()
        self._transport = transport
        self._on_answer = on_answer

    async def send(self, request: Request) -> Response:
        """Ask and wait for the whole answer."""
        response = await self._transport.send(request)
        self.answer = Answer(response.status, response.body)
        self._on_answer(f"{request.method} {request.path}{'?' + request.query if request.query else ''} → {response.status}")
        return response

    def stream(self, request: Request) -> Stream:
        """Ask for an answer that goes on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        await self._transport.close()


class TargetClusterError(Exception):
    """Something this cluster can't be asked for, a kind it doesn't have above all; the message says what was meant."""


def body_of(answer: Answer) -> Object:
    """An answer's JSON map; empty where it has none."""
    try:
        body = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {"body": body}
