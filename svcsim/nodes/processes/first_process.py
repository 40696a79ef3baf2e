"""One process of a container, which lives in the container's past: it is run, whenever somebody looks, up to the moment at which they do.

It has a time of its own, which goes on when it sleeps. Nothing waits meanwhile, neither a task nor a timer: it is a coroutine that whoever
looks goes on with (`FirstProcess.go_on`).
"""

import math
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from typing import Any

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.types import Object
from svcsim.nodes.containers.environment import TooLongError, expanded_words
from svcsim.nodes.containers.said import Said
from svcsim.nodes.images.base_image import may_be_in_image
from svcsim.nodes.processes.long_loops import FirstWork, LoopObserver, PuzzledError
from svcsim.nodes.shell.exit_codes import KILLED
from svcsim.nodes.shell.expansion import ARGUMENTS_TOO_LONG
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.tree import Node
from svcsim.nodes.streams.commands import command_memory, run_words
from svcsim.nodes.streams.world import Inside, Refresh

_PAUSE = object()
_FIRST_STREAMS = ("/proc/1/fd/1", "/proc/1/fd/2")
"""Where the process with the number 1 writes to: its container's log."""
_INIT, _OTHER = 1, 7
"""The numbers of a container's process, and of one that is at work beside it."""
_NOT_HANDED_OVER = 255
"""The exit code where a runtime has made all ready, and the kernel refuses to hand it over."""
Enter = Callable[["OwnTime"], AbstractAsyncContextManager[Inside]]
"""Lets a process into its container, as that is at the process's own time."""


class OwnTime:
    """The time of one process."""

    def __init__(self, now: float) -> None:
        self._now = now
        self._napping: float | None = None
        """Since when."""

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += max(seconds, 0.0)
        await _pause()

    async def turn(self) -> None:
        await turn()

    async def nap(self, until: float) -> None:
        """Up to a moment, or to an earlier one at which it is woken."""
        self._napping, self._now = self._now, until
        await _pause()
        self._napping = None

    def wake(self, at: float) -> None:
        """End a nap at a moment."""
        if self._napping is not None:
            self._now = max(min(self._now, at), self._napping)

    def skip(self, seconds: float) -> None:
        """Leave a part of it out."""
        self._now += seconds


class FirstProcess:
    """The process of one run of a container, or of its hook."""

    def __init__(
        self,
        words: tuple[str, ...],
        started_at: float,
        enter: Enter,
        message_path: str,
        said: Said,
        *,
        speaks: bool = False,
        spell_s: float = limits.FIRST_PROCESS_SPELL_S,
    ) -> None:
        """``speaks``: what it says is the log of its container, which others in there may write to. ``spell_s``: see `FirstWork`."""
        self._speaks, self._spell_s = speaks, spell_s
        self.started_at = started_at
        self.said = said
        self.exit_code = 0
        self.puzzled = False
        """Whether something in it wasn't understood after all."""
        self.endless = False
        """Whether it is known that it never ends."""
        self.message = ""
        """What is in the file into which it writes why it ended."""
        self._time = OwnTime(started_at)
        self._until = started_at
        self._coming: dict[str, float] = {}
        """Signals by their names, and when they come in."""
        self._heard: dict[str, float] = {}
        """The last of each that it knows of."""
        self._observer: LoopObserver | None = None
        self._over = False
        self.cut_off = False
        """Whether it was ended, and hadn't come to an end of its own."""
        self._look: Callable[[], None] | None = None
        self._refresh: Refresh | None = None
        self._running: Coroutine[Any, Any, None] = self._run(words, enter, message_path)

    @property
    def next_at(self) -> float:
        """When it goes on; never, if it has ended."""
        return math.inf if self._over else self._time.now()

    @property
    def look_at(self) -> float:
        """When to see how far it has come: once it has gone on, but for one that has long waited for others, and will a while longer."""
        return self.next_at if self._observer is None else self.next_at + self._observer.idle_s

    def rouse(self) -> None:
        """What it has waited for may be there now."""
        if self._observer is not None:
            self._observer.alike = 0

    @property
    def ended_s(self) -> float | None:
        """How long it ran; None for one that runs."""
        return self._time.now() - self.started_at if self._over else None

    async def refresh(self, pod: Object) -> None:
        """What is mounted into its container may have changed since it was run last."""
        if self._refresh is not None:
            await self._refresh(pod)

    def signal(self, name: str, at: float) -> None:
        """Send it a signal at a moment up to which it may not have been run yet; once, however often that is said of it."""
        if self._heard.get(name) != at:
            self._coming[name] = min(at, self._coming.get(name, math.inf))  # others' may be on its way already
            self.endless = False
            self._time.wake(at)

    async def go_on(self, until: float) -> None:
        """Up to its next pause. ``until`` is the moment up to which it will be run."""
        self._until = until
        went_well = False
        try:
            self._over = await self._resumed()
            went_well = True
        finally:
            if not went_well:
                self.end()
        self.said.pause()
        if self._look is not None:
            self._look()
        if self._over:
            self._look = self._refresh = self._observer = None

    def end(self) -> None:
        """It is gone."""
        self.cut_off = self.cut_off or not self._over
        self._running.close()
        self._over, self._look, self._refresh, self._observer = True, None, None, None

    @types.coroutine
    def _resumed(self) -> Generator[Any, Any, bool]:
        """Whether it has come to its end; what it waits for on its way is waited for, and told where that is given up."""
        try:
            waiting = self._running.send(None)
            while waiting is not _PAUSE:
                try:
                    got = yield waiting
                except BaseException as given_up:  # noqa: BLE001 - whatever it is, it's for what waits to deal with
                    waiting = self._running.throw(given_up)
                else:
                    waiting = self._running.send(got)
        except StopIteration:
            return True
        return False

    async def _run(self, words: tuple[str, ...], enter: Enter, message_path: str) -> None:
        try:
            await self._run_inside(words, enter, message_path)
        except TooLongError:
            self.said.write(f"exec {words[0]}: {ARGUMENTS_TOO_LONG}\n".encode(), self._time.now())
            self.exit_code = _NOT_HANDED_OVER

    async def _run_inside(self, words: tuple[str, ...], enter: Enter, message_path: str) -> None:
        async with enter(self._time) as inside:

            async def write(data: bytes) -> None:
                self.said.write(data, self._time.now())

            observer = LoopObserver(lambda: min((self._until, *self._coming.values())), self._skip, self._hear)
            work = FirstWork(
                command_memory(inside), observer, pid=_INIT if self._speaks else _OTHER, napping=self._nap, spell_s=self._spell_s
            )
            self._observer = observer
            if self._speaks:
                for stream in _FIRST_STREAMS:
                    inside.world.tree.mounted(stream, Node(0o700, self.started_at, mount=True, sink=self.said.put_in))

            def look() -> None:
                self.message = inside.world.tree.text(message_path)
                self.endless = observer.endless and not self._coming and not self._heard

            self._look, self._refresh = look, inside.refresh
            meant = expanded_words(words, inside.environment)
            try:
                self.exit_code = await run_words(meant, inside, Streams(_nothing, write, write), work)
            except PuzzledError:
                self.puzzled, self.exit_code = True, KILLED
            if self.exit_code and (work.believed or (work.missed and may_be_in_image(inside.world.tree, work.missed))):
                self.puzzled = True  # with what nobody here knows it would have come to another end

    async def _nap(self, seconds: float) -> None:
        now = self._time.now()
        await self._time.nap(min((now + seconds, *(max(at, now) for at in self._coming.values()))))

    def _hear(self) -> str:
        at, name = min(((at, name) for name, at in self._coming.items()), default=(math.inf, ""))
        if at > self._time.now():
            return ""
        self._heard[name] = self._coming.pop(name)
        return name

    def _skip(self, seconds: float) -> None:
        self.said.forget()
        self._time.skip(seconds)


async def _nothing() -> bytes:
    return b""


@types.coroutine
def _pause() -> Generator[Any, Any, None]:
    yield _PAUSE
