"""Who answers reviews: a user's Python file in a process of its own, or a command that is run for each."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

from svcsim import limits
from svcsim.cli.verbs.webhook import worker
from svcsim.cli.verbs.webhook.answers import Answer, AnswerError, of_command, of_function
from svcsim.clock import Clock
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object

_CLOSE = 0.8
"""How much of a name has to be right for it to be taken for a misspelled one."""
_FLAGS = {"TIMEOUT": "--timeout", "NAME": "--name", "NAMESPACE": "--namespace", "PORT": "--port"}
_SHOWN_BYTES = 100
"""Of what is no answer, as a message shows it."""
Tell = Callable[[str], None]
"""Says a line to the user."""


class ProgramError(Exception):
    """No answer could be had; the message says why, in one line."""


class Program(Protocol):
    """Answers reviews."""

    functions: tuple[str, ...]
    """``mutate``, ``validate`` or both: what it can be registered for."""
    settings: Mapping[str, Json]
    """What it says of its registration itself."""
    notes: tuple[str, ...]
    """What in it may not mean what its author thinks."""

    async def start(self) -> None:
        """Raises `ProgramError` where it can't be."""
        ...

    async def answer(self, function: str, review: Object) -> Answer:
        """What is answered to a review. Raises `ProgramError`."""
        ...

    async def follow(self, changed: Callable[[], None]) -> None:
        """See to it, for ever, that it is as its files are now; call a function whenever it is another."""
        ...

    async def close(self) -> None: ...


class PythonFile:
    """A file that defines functions. One review at a time; it is loaded anew whenever it, or a module beside it, changes."""

    def __init__(self, path: Path, timeout_s: float, tell: Tell) -> None:
        self.functions: tuple[str, ...] = ()
        self.settings: Mapping[str, Json] = {}
        self.notes: tuple[str, ...] = ()
        self._path = path
        self._timeout_s = timeout_s
        self._tell = tell
        self._clock = Clock()
        self._turn = asyncio.Lock()
        self._asked = 0
        """How many questions there have been: each has its number."""
        self._process: asyncio.subprocess.Process | None = None
        self._trouble = ""
        self._files: tuple[str, ...] = (str(path),)
        self._seen = self._times()

    async def start(self) -> None:
        await self._load()
        if self._trouble:
            raise ProgramError(self._trouble)
        if not self.functions:
            raise ProgramError(f"{self._path.name} defines neither mutate(request) nor validate(request)")

    async def answer(self, function: str, review: Object) -> Answer:
        async with self._in_time(limits.WEBHOOK_TOLD_S), self._turn:
            if self._process is None and not self._trouble:
                await self._load()
            if self._trouble:
                raise ProgramError(self._trouble)
            self._asked += 1
            answer = await self._ask(self._asked, {"function": function, "request": review["request"]})
        if "error" in answer:
            raise ProgramError(str(answer["error"]))
        try:
            return of_function(function, review, answer["returned"], answer["left"])
        except AnswerError as error:
            raise ProgramError(f"{function} {error}") from error

    async def follow(self, changed: Callable[[], None]) -> None:
        while True:
            await self._clock.sleep(limits.WEBHOOK_FILE_POLL_S)
            if (times := self._times()) == self._seen:
                continue
            self._seen = times
            async with self._turn:
                await self._load()
            self._tell(self._trouble or f"{self._path.name} was loaded again")
            changed()

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await _end(process)

    def _times(self) -> tuple[int, ...]:
        return tuple(_changed_at(Path(file)) for file in self._files)

    async def _load(self) -> None:
        """A new process with the file as it is now."""
        await self.close()
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-u", "-P", worker.__file__, str(self._path))
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, limit=limits.ADMISSION_ANSWER_BYTES, start_new_session=True
        )
        self._trouble = ""
        try:
            async with self._in_time():
                hello = await self._ask(0)
        except ProgramError as error:
            hello = {"error": str(error)}
        if "error" in hello:
            self._trouble = str(hello["error"])
            await self.close()
            return
        self.functions = tuple(hello["functions"])
        self.settings = hello["settings"]
        self.notes = tuple(_misspelled(self._path.name, hello["names"]))
        self._files = tuple(dict.fromkeys((str(self._path), *hello["files"])))
        self._seen = self._times()

    @asynccontextmanager
    async def _in_time(self, less_s: float = 0.0) -> AsyncIterator[None]:
        """What takes longer raises `ProgramError`."""
        try:
            async with self._clock.timeout(self._timeout_s - less_s):
                yield
        except TimeoutError:
            raise ProgramError(f"{self._path.name} took longer than {self._timeout_s:g} seconds") from None

    async def _ask(self, number: int, asked: Object | None = None) -> Object:
        """The process's next line, which has to be the answer to this question: without one, to what it says by itself as it begins.

        A process that says anything else is ended, and so is one whose answer nobody waits for any longer: what is still to come of it
        would be taken for the next one's answer.
        """
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if asked is not None:
                process.stdin.write(json.dumps({"number": number, **asked}).encode() + b"\n")
                await process.stdin.drain()
            line = await process.stdout.readline()
        except asyncio.CancelledError:
            await self.close()
            raise
        except (ConnectionError, ValueError) as error:
            await self.close()
            raise ProgramError(f"{self._path.name} ended, or answered too much: {error}") from error
        if not line:
            await self.close()
            raise ProgramError(f"{self._path.name} ended without an answer")
        try:
            found = decode_json(line)
        except StatusError as error:
            await self.close()
            raise ProgramError(f"what {self._path.name} answered is no JSON: {error.message}") from error
        if not isinstance(found, dict) or found.get("number") != number:
            await self.close()
            raise ProgramError(f"{self._path.name} wrote something else among its answers: {line[:_SHOWN_BYTES].decode(errors='replace')}")
        return found


class CommandLine:
    """A command that is run for each review: it reads the AdmissionReview on stdin, and writes one, or its response alone, on stdout."""

    settings: Mapping[str, Json] = {}
    notes: tuple[str, ...] = ()

    def __init__(self, words: list[str], timeout_s: float, *, mutating: bool) -> None:
        self.functions: tuple[str, ...] = ("mutate",) if mutating else ("validate",)
        self._words = words
        self._timeout_s = timeout_s
        self._clock = Clock()
        self._room = asyncio.Semaphore(limits.WEBHOOK_COMMANDS_AT_ONCE)

    async def start(self) -> None:
        """What it answers shows with the first review; that there is such a program shows now."""
        if why := _why_not_run(self._words[0]):
            raise ProgramError(f"{self._words[0]} can't be run: {why}")

    async def answer(self, function: str, review: Object) -> Answer:
        async with self._room:
            status, out, said = await self._run(json.dumps(review).encode())
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
                async with self._clock.timeout(self._timeout_s - limits.WEBHOOK_TOLD_S):
                    status = await process.wait()
            except TimeoutError:
                raise ProgramError(f"{self._words[0]} took longer than {self._timeout_s:g} seconds") from None
            finally:
                await _end(process)
            return status, self._written(out), self._written(said)

    def _written(self, file: IO[bytes]) -> bytes:
        file.seek(0)
        text = file.read(limits.ADMISSION_ANSWER_BYTES + 1)
        if len(text) > limits.ADMISSION_ANSWER_BYTES:
            raise ProgramError(f"{self._words[0]} wrote more than {limits.ADMISSION_ANSWER_BYTES} bytes")
        return text

    async def follow(self, changed: Callable[[], None]) -> None:
        """Each review runs it as it is then."""

    async def close(self) -> None:
        """None runs longer than its review, and what it started doesn't either."""


def _misspelled(file: str, names: list[str]) -> Iterator[str]:
    """What a file calls almost as something is called that would be read, and what is said by a flag alone."""
    missing = [name for name in (*worker.FUNCTIONS, *worker.SETTINGS) if name not in names]
    for name in names:
        if name in _FLAGS:
            yield f"{name} in {file} means nothing: say {_FLAGS[name]}"
        elif close := get_close_matches(name, missing, n=1, cutoff=_CLOSE):
            yield f'{name} in {file} means nothing; did you mean "{close[0]}"?'


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"was killed by {signal.Signals(-status).name if -status in set(signal.Signals) else f'signal {-status}'}"


def _why_not_run(program: str) -> str:
    """Why there is nothing that could be run; empty if there is."""
    if shutil.which(program) is not None:
        return ""
    return "it is no program" if Path(program).exists() else "there is no such program"


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process that leads a group, with all that it started there and left running."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
