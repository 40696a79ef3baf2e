"""A `worker` as its parent process sees it: questions go in as they come, and each answer goes to the task that waits for it."""

import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from svcsim import limits
from svcsim.cli.verbs.webhook import worker
from svcsim.cli.verbs.webhook.programs import ProgramError, end_group
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

_SHOWN_BYTES = 100
"""The part of an invalid answer that a message shows."""


@dataclass(slots=True)
class Question:
    """What a function is asked, and how far that has come."""

    function: str
    request: Object
    begun: bool = False
    """Whether the function has been called."""
    answer: "asyncio.Future[Object]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class WorkerProcess:
    """One process with a file as it was when it was started.

    It can't be made to leave a function that hangs. So where an answer is no longer waited for, the process is retired: nobody asks it
    anything more, and it is ended once those are answered who have already asked.
    """

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.usable = True
        """Whether it can be asked."""
        self._name = name
        self._process = process
        self._hello: asyncio.Future[Object] = asyncio.get_running_loop().create_future()
        self._asked = 0
        """How many questions there have been: each has its number."""
        self._open: dict[int, Question] = {}
        """The questions without an answer, also those whose caller no longer waits."""
        self._why = f"{name} ended without an answer"
        """The error for pending questions when it ends."""
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, path: Path) -> "WorkerProcess":
        """Raises `ProgramError`."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-u", "-P", worker.__file__, str(path))
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, limit=limits.ADMISSION_ANSWER_BYTES, start_new_session=True
            )
        except OSError as error:
            raise ProgramError(f"{path.name} can't be run: {(error.strerror or str(error)).lower()}") from error
        return cls(path.name, process)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._reading.done()

    async def hello(self) -> Object:
        """What it says by itself when it has loaded the file. Raises `ProgramError`."""
        return await self._hello

    async def ask(self, question: Question) -> Object:
        """The answer. Raises `ProgramError`."""
        assert self._process.stdin is not None
        if self.over:
            raise ProgramError(self._why)
        self._asked += 1
        self._open[self._asked] = question
        asked = {"number": self._asked, "function": question.function, "request": question.request}
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            await self._process.stdin.drain()
            return await question.answer
        except ConnectionError:  # it has ended; why is told when all is read that it has said
            return await question.answer
        except asyncio.CancelledError:
            self.usable = False
            raise
        finally:
            question.answer.cancel()
            await self._leave_if_done()

    async def retire(self) -> None:
        """Ask it nothing more."""
        self.usable = False
        await self._leave_if_done()

    async def close(self) -> None:
        """End it now, even if questions are pending."""
        self.usable = False
        await end_group(self._process)
        await self._reading

    async def _leave_if_done(self) -> None:
        if not self.usable and all(question.answer.done() for question in self._open.values()):
            await self.close()

    async def _read(self) -> None:
        """Read until it ends, or breaks the protocol: then pending questions fail with the reason, and it is ended."""
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._take(line)
        except ProgramError as error:
            self._why = str(error)
        except (ConnectionError, ValueError) as error:
            self._why = f"{self._name} ended, or answered too much: {error}"
        self.usable = False
        await end_group(self._process)
        for answer in (self._hello, *(question.answer for question in self._open.values())):
            if not answer.done():
                answer.set_exception(ProgramError(self._why))
        if not self._hello.cancelled():
            self._hello.exception()  # retrieved here, since a caller that has gone away doesn't

    def _take(self, line: bytes) -> None:
        try:
            said = decode_json(line)
        except StatusError as error:
            raise ProgramError(f"what {self._name} answered is no JSON: {error.message}") from error
        number = said.get("number") if isinstance(said, dict) else None
        if not isinstance(said, dict) or not (number in self._open or (number == 0 and not self._hello.done())):
            raise ProgramError(f"{self._name} wrote something else among its answers: {line[:_SHOWN_BYTES].decode(errors='replace')}")
        if number == 0:
            self._hello.set_result(said)
        elif said.get("begun") is True:
            self._open[number].begun = True
        elif not (answer := self._open.pop(number).answer).done():
            answer.set_result(said)
