"""The HTTPS endpoint at which reviews come in, and the line that tells of each."""

import asyncio
import base64
import json
import os
import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.certificates import self_signed
from svcsim.cli.verbs.webhook.answers import Answer
from svcsim.cli.verbs.webhook.programs import Program, ProgramError
from svcsim.cli.verbs.webhook.registration import KINDS
from svcsim.cli.verbs.webhook.schemas import Schemas
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.printing.harmless import one_line
from svcsim.server.http.front import HttpFront
from svcsim.wall import stopwatch

HOST = "127.0.0.1"
_CUT = "svcsim webhook serve was ended before there was an answer"


class AnsweredReview(NamedTuple):
    """What became of one review."""

    request: Object
    response: Object
    trouble: str
    took_s: float
    notes: tuple[str, ...] = ()
    """What of the answer comes to nothing, or to a failure."""


class Endpoint:
    """Answers reviews at ``/mutate`` and ``/validate``."""

    def __init__(self, program: Program, schemas: Schemas, tell: Callable[[AnsweredReview], None]) -> None:
        self._program = program
        self._schemas = schemas
        self._tell = tell
        self._front = HttpFront(self._handle)
        self._under_way: set[asyncio.Timeout] = set()
        """The time limit of each review: there is none until the endpoint begins to close."""
        self._idle = asyncio.Event()
        self._ends_at_s: float | None = None
        """When the end comes, by the event loop's time."""
        self.ca_pem = b""

    async def start(self, port: int) -> int:
        """Listen, with a certificate that is made for it. Raises `OSError`."""
        self.ca_pem, key = self_signed("svcsim-webhook", (HOST,))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as directory:  # only files can be loaded
            path = Path(directory) / "pair.pem"
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(self.ca_pem + key)
            context.load_cert_chain(path)
        return await self._front.start(HOST, port, context)

    @property
    def under_way(self) -> int:
        """How many reviews have no answer yet."""
        return len(self._under_way)

    async def finish(self) -> None:
        """Answer pending reviews, and those that still come in meanwhile, for a moment. Later the rest are answered with an error."""
        if self._ends_at_s is None:
            self._end_in(limits.WEBHOOK_END_S)
        while self._under_way:
            self._idle.clear()
            await self._idle.wait()

    def cut(self) -> None:
        """Wait for none of them any longer."""
        self._end_in(0)

    def _end_in(self, seconds: float) -> None:
        self._ends_at_s = asyncio.get_running_loop().time() + seconds
        for limit in self._under_way:
            if not limit.expired():
                limit.reschedule(self._ends_at_s)

    async def close(self) -> None:
        await self._front.close(limits.WEBHOOK_END_S)

    async def _handle(self, request: Request) -> Response:
        started = stopwatch()
        function = request.path.strip("/")
        if request.method != "POST" or function not in KINDS:
            return _text(404, "reviews are POSTed to /" + " or /".join(KINDS))
        try:
            if request.unread is not None:
                request.body = await request.unread.read(limits.ADMISSION_ANSWER_BYTES)
            review = decode_json(request.body)
        except StatusError as error:
            return _text(error.code, error.message)
        if not isinstance(review, dict) or not isinstance(review.get("request"), dict):
            return _text(400, "this is no AdmissionReview with a request")
        try:
            answer = await self._answer(function, review)
            body = encode(answer.review)
        except (ProgramError, StatusError) as error:
            self._tell(AnsweredReview(review["request"], {}, str(error), stopwatch() - started))
            return _text(500, str(error))
        notes = (*answer.notes, *self._schemas.notes(review["request"], answer.response))
        self._tell(AnsweredReview(review["request"], answer.response, "", stopwatch() - started, notes))
        return Response(200, body)

    async def _answer(self, function: str, review: Object) -> Answer:
        """The program's, unless the end comes first. Raises `ProgramError`."""
        limit = asyncio.timeout_at(self._ends_at_s)
        try:
            async with limit:
                self._under_way.add(limit)
                return await self._program.answer(function, review)
        except TimeoutError:
            raise ProgramError(_CUT) from None
        finally:
            self._under_way.discard(limit)
            if not self._under_way:
                self._idle.set()


def _text(status: int, text: str) -> Response:
    return Response(status, text.encode(), "text/plain; charset=utf-8")


def line_of(reviewed: AnsweredReview) -> str:
    """What was asked, and what was answered, for people."""
    request, response = reviewed.request, reviewed.response
    resource = request.get("resource") or {}
    kind = "/".join(filter(None, (resource.get("resource"), request.get("subResource"))))
    where = "/".join(filter(None, (request.get("namespace"), request.get("name") or "(no name yet)")))
    who = (request.get("userInfo") or {}).get("username")
    dry = " (dry run)" if request.get("dryRun") else ""
    verdict = _verdict(response, reviewed.trouble) + "".join(f"; note: {note}" for note in reviewed.notes)
    told = f"{request.get('operation')} {kind} {where} by {who}{dry}: {verdict} ({reviewed.took_s * 1e3:.1f} ms)"
    return one_line(told)


def _verdict(response: Object, trouble: str) -> str:
    """What was answered: what is no answer never gets here, other than as what went wrong."""
    if trouble:
        return f"failed: {trouble}"
    warned = "".join(f"; warns: {text}" for text in response.get("warnings") or ())
    if not response["allowed"]:
        status = response.get("status") or {}
        return f"denied: {status.get('message') or status.get('reason') or 'without a reason'}{warned}"
    operations = json.loads(base64.b64decode(response.get("patch") or "") or b"[]")
    paths = ", ".join(str(one["path"]) for one in operations)
    return f"allowed{', changes ' + paths if paths else ''}{warned}"
