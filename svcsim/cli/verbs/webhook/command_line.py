"""A command that answers reviews: it is run for each."""

import asyncio
import json
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from svcsim import limits
from svcsim.cli.verbs.webhook.answers import Answer, AnswerError, of_command
from svcsim.cli.verbs.webhook.programs import ProgramError, end_group
from svcsim.clock import Clock
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object


class CommandLine:
    """A command that is run for each review: it reads the AdmissionReview on stdin, and writes one, or its response alone, on stdout."""

    settings: Mapping[str, Json] = {}
    notes: tuple[str, ...] = ()
    mistake = ""

    def __init__(self, words: list[str], timeout_s: float, *, mutating: bool) -> None:
        self.functions: tuple[str, ...] = ("mutate",) if mutating else ("validate",)
        self._words = words
        self._timeout_s = timeout_s
        self._clock = Clock()
        self._room = asyncio.Semaphore(limits.WEBHOOK_COMMANDS_AT_ONCE)
        self.changed = asyncio.Event()

    async def start(self) -> None:
        """What it answers shows with the first review; that there is such a program shows now."""
        if why := _why_not_run(self._words[0]):
            raise ProgramError(f"{self._words[0]} can't be run: {why}")

    async def answer(self, function: str, review: Object) -> Answer:
        late = f"had {limits.WEBHOOK_COMMANDS_AT_ONCE} other reviews to answer for"
        try:
            async with self._clock.timeout(self._timeout_s * limits.WEBHOOK_OWN_SHARE), self._room:
                late = "took longer than"
                status, out, said = await self._run(json.dumps(review).encode())
        except TimeoutError:
            raise ProgramError(f"{self._words[0]} {late} {self._timeout_s:g} seconds") from None
        if status:
            last = said.decode(errors="replace").strip().splitlines()
            raise ProgramError(f"{self._words[0]} {_ending(status)}{': ' + last[-1] if last else ''}")
        try:
            return of_command(function, review, decode_json(out))
        except StatusError as error:
            raise ProgramError(f"{self._words[0]} wrote no JSON: {error.message}") from error
        except AnswerError as error:
            raise ProgramError(f"{self._words[0]} {error}") from error

    async def _run(self, body: bytes) -> tuple[int, bytes, bytes]:
        """Its status, and what it wrote. It is over when the command itself has ended, even if something that it started has its output."""
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as said:
            given.write(body)
            given.seek(0)
            try:
                process = await asyncio.create_subprocess_exec(*self._words, stdin=given, stdout=out, stderr=said, start_new_session=True)
            except OSError as error:
                raise ProgramError(f"{self._words[0]} can't be run: {(error.strerror or str(error)).lower()}") from error
            try:
                status = await process.wait()
            finally:
                await end_group(process)
            return status, self._written(out), self._written(said)

    def _written(self, file: IO[bytes]) -> bytes:
        file.seek(0)
        text = file.read(limits.ADMISSION_ANSWER_BYTES + 1)
        if len(text) > limits.ADMISSION_ANSWER_BYTES:
            raise ProgramError(f"{self._words[0]} wrote more than {limits.ADMISSION_ANSWER_BYTES} bytes")
        return text

    async def follow(self) -> None:
        """Each review runs it as it is then."""

    async def close(self) -> None:
        """None runs longer than its review, and what it started doesn't either."""


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"was killed by {signal.Signals(-status).name if -status in set(signal.Signals) else f'signal {-status}'}"


def _why_not_run(program: str) -> str:
    """Why there is nothing that could be run; empty if there is."""
    if shutil.which(program) is not None:
        return ""
    return "it is no program" if Path(program).exists() else "there is no such program"
