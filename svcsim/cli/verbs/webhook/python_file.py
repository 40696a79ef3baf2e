"""A user's Python file that answers reviews, in a process of its own, all that come at once side by side."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from svcsim import limits
from svcsim.cli.verbs.webhook import worker
from svcsim.cli.verbs.webhook.answers import Answer, AnswerError, of_function
from svcsim.cli.verbs.webhook.programs import ProgramError
from svcsim.cli.verbs.webhook.worker_process import Question, WorkerProcess
from svcsim.clock import Clock
from svcsim.meta.types import Json, Object

_CLOSE = 0.8
"""How much of a name has to be right for it to be taken for a misspelled one."""
_FLAGS = {"TIMEOUT": "--timeout", "NAME": "--name", "NAMESPACE": "--namespace", "PORT": "--port"}
_Look = tuple[int, ...]
"""What identifies the current state of a file; empty if there is none."""
Tell = Callable[[str], None]
"""Says a line to the user."""


class PythonFile:
    """A file that defines functions. It is loaded anew whenever it, or a module beside it, changes."""

    def __init__(self, path: Path, timeout_s: float, tell: Tell) -> None:
        self.functions: tuple[str, ...] = ()
        self.settings: Mapping[str, Json] = {}
        self.notes: tuple[str, ...] = ()
        self.mistake = ""
        self.changed = asyncio.Event()
        self._path = path
        self._timeout_s = timeout_s
        self._tell = tell
        self._clock = Clock()
        self._room = asyncio.Semaphore(limits.WEBHOOK_FUNCTIONS_AT_ONCE)
        self._worker: WorkerProcess | None = None
        self._retired: list[WorkerProcess] = []
        """The former workers that still have pending questions."""
        self._loading: asyncio.Task[str] | None = None
        """Loads it; what comes of it is why it can't be run at all, or nothing."""
        self._files: tuple[str, ...] = (str(path),)
        self._seen = self._looks()
        """How what is loaded looked."""
        self._beside = _look_beside(path)
        """And what lay beside it: what it couldn't import may come to be there."""
        self._untold = False
        """Whether it has become another, and nobody was told."""

    async def start(self) -> None:
        await self._load()
        if self.mistake:
            raise ProgramError(self.mistake)

    async def answer(self, function: str, review: Object) -> Answer:
        answer = await self._said(Question(function, review["request"]))
        if "error" in answer:
            raise ProgramError(str(answer["error"]))
        try:
            return of_function(function, review, answer["returned"], answer["left"])
        except AnswerError as error:
            raise ProgramError(f"{function} {error}") from error

    async def follow(self) -> None:
        while True:
            await self._clock.sleep(limits.WEBHOOK_FILE_POLL_S)
            await self._begin_where_it_changed()

    async def close(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])
        for process in (*self._retired, self._worker):
            if process is not None:
                await process.close()

    def _looks(self) -> tuple[_Look, ...]:
        return tuple(_look_of(Path(file)) for file in self._files)

    async def _said(self, question: Question) -> Object:
        """The process's answer, in time. Where there is none, it says what took so long: the function only if it was called."""
        late = f"had {limits.WEBHOOK_FUNCTIONS_AT_ONCE} other reviews to answer for"
        try:
            async with self._clock.timeout(self._timeout_s * limits.WEBHOOK_OWN_SHARE), self._room:
                late = "was not loaded within"
                process = await self._present()
                if question.function not in self.functions:
                    raise ProgramError(f"{self._path.name} defines no {question.function}(request) any longer")
                late = "was kept busy by another review for"
                return await process.ask(question)
        except TimeoutError:
            late = "took longer than" if question.begun else late
            raise ProgramError(f"{self._path.name} {late} {self._timeout_s:g} seconds") from None

    async def _present(self) -> WorkerProcess:
        """The process that is to be asked. Raises `ProgramError`."""
        await self._loaded_as_it_is()
        if not self.mistake and not self._is_usable():
            await self._loaded_anew()
        if self.mistake or self._worker is None:
            raise ProgramError(self.mistake)
        return self._worker

    def _is_usable(self) -> bool:
        return self._worker is not None and self._worker.usable

    async def _loaded_as_it_is(self) -> None:
        """Load the file again if it has changed, so that a saved change takes effect at once. Raises `ProgramError`."""
        await self._begin_where_it_changed()
        await self._loaded()

    async def _begin_where_it_changed(self) -> None:
        """Load it where it isn't as it was. What loads the one before, which may hang, is ended."""
        if self._is_loading() and self._has_changed():
            await self._break_off()
        if self._has_changed():
            self._begin()

    def _has_changed(self) -> bool:
        return self._looks() != self._seen or (bool(self.mistake) and _look_beside(self._path) != self._beside)

    def _is_loading(self) -> bool:
        return self._loading is not None and not self._loading.done()

    async def _break_off(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])

    async def _loaded(self) -> None:
        """Wait for what loads it, if anything does. That goes on for others where one has waited long enough. Raises `ProgramError`."""
        loading = None
        while self._loading is not None and self._loading is not loading:  # another may have begun in its place
            loading = self._loading
            await asyncio.wait([loading])
            if self._loading is loading and not loading.cancelled() and (why := loading.result()):
                raise ProgramError(why)

    async def _loaded_anew(self) -> None:
        self._begin()
        await self._loaded()

    def _begin(self) -> None:
        """Load it as it is at this moment, unless that is under way."""
        if self._is_loading():
            return
        self._untold |= self._has_changed()
        self._seen, self._beside = self._looks(), _look_beside(self._path)
        self._loading = asyncio.create_task(self._load_and_tell())

    async def _load_and_tell(self) -> str:
        """Load it, and tell what it has become, each time: between two looks it may be asked, and changed, more than once."""
        await self._retire()
        try:
            await self._load()
        except ProgramError as error:
            self._tell(str(error))
            return str(error)
        if self._untold:
            self._untold = False
            self._tell(self.mistake or f"{self._path.name} was loaded again")
            if not self.mistake:
                self.changed.set()
        return ""

    async def _load(self) -> None:
        """A new process with the file as it is now. Raises `ProgramError` where there can't be one, whatever the file says."""
        process = await WorkerProcess.start(self._path)
        try:
            hello = await self._hello(process)
        except asyncio.CancelledError:
            await process.close()
            raise
        if "error" in hello:
            self.mistake = str(hello["error"])
            await process.close()
            return
        self._worker = process
        before = dict(zip(self._files, self._seen, strict=True))
        self._files = tuple(dict.fromkeys((str(self._path), *hello["files"])))
        self._seen = tuple(before.get(file) or _look_of(Path(file)) for file in self._files)
        if not hello["functions"]:
            self.mistake = f"{self._path.name} defines neither mutate(request) nor validate(request)"
            return
        self.mistake = ""
        self.functions = tuple(hello["functions"])
        self.settings = hello["settings"]
        self.notes = tuple(_misspelled(self._path.name, hello["names"]))

    async def _hello(self, process: WorkerProcess) -> Object:
        """What it says of the file, or what is wrong with that."""
        try:
            async with self._clock.timeout(self._timeout_s):
                return await process.hello()
        except TimeoutError:
            return {"error": f"{self._path.name} was not loaded within {self._timeout_s:g} seconds"}
        except ProgramError as error:
            return {"error": str(error)}

    async def _retire(self) -> None:
        process, self._worker = self._worker, None
        if process is not None:
            self._retired = [*(one for one in self._retired if not one.over), process]
            await process.retire()


def _misspelled(file: str, names: list[str]) -> Iterator[str]:
    """What a file calls almost as something is called that would be read, and what is said by a flag alone."""
    missing = [name for name in (*worker.FUNCTIONS, *worker.SETTINGS) if name not in names]
    for name in names:
        if name in _FLAGS:
            yield f"{name} in {file} means nothing: say {_FLAGS[name]}"
        elif close := get_close_matches(name, missing, n=1, cutoff=_CLOSE):
            yield f'{name} in {file} means nothing; did you mean "{close[0]}"?'


def _look_of(path: Path) -> _Look:
    """What of a file becomes another whenever it does, also where it is replaced by one of the same age."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _look_beside(path: Path) -> tuple[tuple[str, _Look], ...]:
    """The modules and directories beside a file, each as it looks: those of modules that can't be imported nobody tells."""
    try:
        with os.scandir(path.parent) as found:
            names = sorted(one.name for one in found if one.name.endswith(".py") or (one.is_dir() and one.name.isidentifier()))
    except OSError:
        return ()
    modules = [name for name in names if name != "__pycache__"]
    return tuple((name, _look_of(path.parent / name) if name.endswith(".py") else ()) for name in modules)
