"""A simulated program and what it can use: its arguments, streams and environment, its container, and the work that it may do."""

import posixpath
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.nodes.shell.devices import NO_DEVICE, Endless, endless_of, output_at
from svcsim.nodes.shell.exit_codes import BROKEN_PIPE, KILLED
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.network import Network
from svcsim.nodes.shell.observers import NoObserver, Observer
from svcsim.nodes.shell.streams import Read, Streams
from svcsim.nodes.shell.tree import IS_DIRECTORY, NO_MEMORY, NOT_FOUND, UMASK, Disk, FileError, Node, Tree, naming, resolve


class ProcessUser(NamedTuple):
    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The user's name in the image's `/etc/passwd`, or an empty string."""
        return "root" if self.uid == 0 else ""


PIDS_APART = 6
"""The distance between the process ids of a container."""
_FIRST_STARTED = 8
"""The process id of the first process that a command starts."""


class ListedProcess(NamedTuple):
    """A process as `ps` shows it."""

    pid: int
    user: str
    command: str


class World(Protocol):
    """The container that a program runs in."""

    tree: Tree
    hostname: str
    user: ProcessUser
    network: Network
    terminal: Terminal | None
    """The terminal of the command, or None."""

    @property
    def processes(self) -> "Sequence[ListedProcess]":
        """The processes that were there before the command, by process id."""
        ...

    def now(self) -> float:
        """The cluster's time."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for that much of the cluster's time."""
        ...

    async def turn(self) -> None:
        """Yield to the event loop."""
        ...

    async def look(self) -> None:
        """Take up the changes that others have made to the container meanwhile."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal, by its number, to one of those processes."""
        ...


class Deadline:
    """The time by which a program has to end (``timeout``)."""

    def __init__(self, at: float) -> None:
        self.at = at


class DeadlineError(Exception):
    """A program has reached its deadline."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__(deadline.at)
        self.deadline = deadline


class ExitError(Exception):
    """The shell or the program exits."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code & 0xFF


@dataclass(slots=True)
class Job:
    """A background job."""

    pid: int
    number: int
    """Its job number in its shell: 1 for ``%1``."""
    ends_at: float
    status: int

    def runs(self, now: float) -> bool:
        return self.ends_at > now


class Gathering(Protocol):
    """Output that is redirected to a file, and not written yet."""

    def put(self, world: World) -> None:
        """Write it to the file. Raises `FileError`."""
        ...


@dataclass(slots=True)
class Work:
    """The work of one command of a client, over all its shells and programs: what it has done, and what it may still do."""

    memory: Disk
    observer: Observer = field(default_factory=NoObserver)
    steps: int = 0
    """Steps since the last sleep. A busy loop is killed at `SHELL_STEPS`."""
    gathering: "dict[int, Gathering]" = field(default_factory=dict)
    """Redirected output by the ids of its objects. It is written before time passes, so that others see it."""
    loops: int = 0
    """How many loops are running, one within the other."""
    pid: int = 7
    """The process id of the command."""
    given_pids: int = 0
    """How many process ids it has given to processes that it has started."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """The background jobs of all its shells, by process id as a word."""
    shells: dict[str, list[str]] = field(default_factory=dict)
    """The running shells by process id as a word, each with the names of the signals that it hasn't handled yet."""
    looked_at_bytes: int = 0
    """Bytes of work since the last turn of the event loop."""
    piece_steps: int = 1
    """As so many commands counts a piece of `SHELL_PIECE_BYTES` of that."""
    missed: str = ""
    """The path of the file that a command last reported as missing."""
    believed: bool = False
    """Whether it has had an invented answer from an external host, so that its exit code is a guess."""
    deadlines: list[Deadline] = field(default_factory=list)
    """The deadlines of the programs that are running, the innermost last."""
    thrown: int = 0
    """How many values of ``$RANDOM`` it has given, and how often it has opened ``/dev/urandom``."""

    def new_pid(self) -> int:
        """A process id for a process that is started."""
        self.given_pids += 1
        return _FIRST_STARTED + (self.given_pids - 1) * PIDS_APART

    async def step(self, world: World) -> None:
        """Account for one command or loop turn. Raises `ExitError` after too many of them without a pause."""
        self.steps += 1
        if self.steps > limits.SHELL_STEPS:
            raise ExitError(KILLED)
        if self.steps % limits.SHELL_STEPS_A_TURN == 0:
            await world.turn()

    async def effort(self, world: World, size_bytes: int) -> None:
        """Account for work done, and yield to the event loop every `SHELL_PIECE_BYTES`. Raises `ExitError`."""
        self.looked_at_bytes += size_bytes
        if self.looked_at_bytes >= limits.SHELL_PIECE_BYTES:
            self.looked_at_bytes = 0
            self.steps += self.piece_steps - 1
            await self.step(world)
            await world.turn()

    def device_input(self, node: Node, streams: Streams, world: World) -> Read | None:
        """What comes from a device; None for any other file. Raises `FileError`."""
        if not node.device:
            return None
        if node.device == "0":
            return streams.read
        if node.device == "tty":
            if world.terminal is None:
                raise FileError(NO_DEVICE)
            return world.terminal.streams.read
        at_first = self.memory.left_bytes
        most = min(limits.SHELL_ENDLESS_BYTES, at_first // 4)

        def check(number: int) -> None:
            if number * limits.SHELL_PIECE_BYTES > limits.SHELL_MEMORY_BYTES:
                raise ExitError(KILLED)
            if at_first - self.memory.left_bytes > most:
                raise ExitError(BROKEN_PIPE)

        def chance() -> str:
            self.thrown += 1
            return f"{world.hostname} {world.now()} {self.thrown}"

        return endless_of(node, check, chance) or _nothing_comes

    def give_time(self, until: float) -> Deadline:
        """Set a deadline for what runs next."""
        deadline = Deadline(until)
        self.deadlines.append(deadline)
        return deadline

    async def rest(self, world: World, seconds: float) -> None:
        """Let time pass. Raises `DeadlineError`, and `FileError` if redirected output doesn't fit on its disk."""
        self.steps = 0
        for one in self.gathering.values():
            one.put(world)
        await self.in_time(world, seconds, world.sleep)

    async def in_time(self, world: World, seconds: float, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Let time pass, at most up to the first deadline. Raises `DeadlineError`."""
        first = min(self.deadlines, key=lambda one: one.at, default=None)
        if first is None or world.now() + seconds <= first.at:
            await sleep(seconds)
            return
        await sleep(max(first.at - world.now(), 0.0))
        if world.now() >= first.at:
            raise DeadlineError(first)

    async def nap(self, world: World, seconds: float) -> None:
        """Like `rest`, but a signal that asks the process to end wakes it up."""
        await self.rest(world, seconds)

    @property
    def is_limited(self) -> bool:
        """Whether there is a time limit for what is running."""
        return bool(self.deadlines)

    def follows_for_ever(self) -> None:
        """Tell the observer that the command goes on for ever, unless there is a time limit."""
        if not self.is_limited:
            self.observer.never_ends()

    def asks_others(self) -> None:
        """Tell the observer that a program sends a request to another container or host."""
        self.observer.asks_others()

    def complained(self, text: str, world: World) -> None:
        """Remember which file was missing, if that is what an error message says."""
        if NOT_FOUND in text or NO_PLACE in text:
            self.missed = world.tree.missed


async def _nothing_comes() -> bytes:
    """``/dev/null``."""
    return b""


NO_PLACE = "nonexistent directory"
"""The shell's error for a file in a directory that doesn't exist."""
FOR_EVER_S = 10.0 * 365 * 86400
"""The duration of a wait without an end, in seconds."""


class Usage(Exception):  # noqa: N818 - no error: the program's answer to how it was called
    """A program was given wrong arguments; the message is printed behind its name."""


class Start(Protocol):
    """Starts another program in the same container; returns its exit code."""

    async def __call__(self, words: list[str], streams: Streams, environment: dict[str, str], directory: str) -> int: ...


@dataclass(slots=True)
class Process:
    """A program that is running."""

    name: str
    args: list[str]
    streams: Streams
    environment: dict[str, str]
    directory: str
    world: World
    work: Work
    start: Start
    depth: int = 0
    """How many functions, subshells and programs have started one another to come to this one."""
    called: str = ""
    """The word by which it was started."""
    pid: int | None = None
    """Its process id if it has replaced another process (``exec``); other programs have none before they ask for it."""
    held_bytes: int = 0
    """Bytes of memory that it holds until it ends."""
    parent_pid: int = 0
    """The process id of the shell that has started it; 0 if it was started from outside of the container."""
    umask: int = UMASK
    """The mode bits that its new files and directories go without."""

    async def say(self, text: str) -> None:
        await self.give(text.encode("utf-8", "surrogateescape"))

    async def give(self, data: bytes) -> None:
        """Write bytes to standard output. Raises `ExitError` if a pipe has no memory left for them."""
        await self.streams.write(data)
        await self.effort(len(data))

    async def effort(self, size_bytes: int = limits.SIMULATED_FILE_COSTS_BYTES) -> None:
        """See `Work.effort`. The default is what a look at a file counts for, or a change to one."""
        await self.work.effort(self.world, size_bytes)

    async def complain(self, text: str) -> None:
        self.work.complained(text, self.world)
        await self.streams.complain(f"{self.name}: {text}\n".encode("utf-8", "surrogateescape"))

    def path(self, path: str) -> str:
        """An argument as an absolute path."""
        return resolve(path, self.directory)

    def hold(self, size_bytes: int) -> None:
        """Take memory. Raises `FileError` if there is none left."""
        try:
            self.work.memory.take(size_bytes)
        except FileError:
            raise FileError(NO_MEMORY) from None
        self.held_bytes += size_bytes

    def release(self, size_bytes: int) -> None:
        """Give some memory back before the end of the program."""
        self.work.memory.take(-size_bytes)
        self.held_bytes -= size_bytes

    async def whole_input(self) -> bytes:
        """All of standard input. Raises `FileError` if it doesn't fit in memory."""
        return await self._whole(self.streams.read)

    async def _whole(self, read: Read) -> bytes:
        if isinstance(read, Endless):
            raise FileError(NO_MEMORY)
        pieces: list[bytes] = []
        while piece := await read():
            self.hold(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    async def beginning(self, read: Endless, size_bytes: int) -> bytes:
        """So many bytes of what has no end. Raises `FileError` if they don't fit in memory."""
        self.hold(size_bytes)
        pieces: list[bytes] = []
        for left in range(size_bytes, 0, -limits.SHELL_PIECE_BYTES):
            pieces.append(read.next()[:left])
            await self.world.turn()
        return b"".join(pieces)

    def input(self, path: str) -> Read | None:
        """What comes in for ``-``, or from a device; None for any other file. Raises `FileError`."""
        if path == "-":
            return self.streams.read
        with naming(path):
            return self.work.device_input(self.world.tree.find(self.path(path)), self.streams, self.world)

    async def put(self, path: str, data: bytes, *, append: bool = False) -> None:
        """Write data to a file, a device or one of the program's own streams. Raises `FileError`."""
        tree, absolute = self.world.tree, self.path(path)
        write = output_at(tree, absolute, self.streams, self.world.terminal)
        if write is None:
            tree.write(absolute, data, self.world.now(), append=append, umask=self.umask)
        else:
            await write(data)

    async def content(self, path: str) -> bytes:
        """The content of a file, or all of standard input for ``-``. Raises `FileError`."""
        coming = self.input(path)
        if coming is not None:
            return await self._whole(coming)
        with naming(path):
            node = self.world.tree.find(self.path(path))
            if node.is_directory:
                raise FileError(IS_DIRECTORY)
        data = await node.read()
        await self.effort(len(data) + limits.SIMULATED_FILE_COSTS_BYTES)
        return data

    async def lines(self, content: bytes) -> AsyncIterator[list[bytes]]:
        """The lines of a content without their newlines, in batches. Raises `FileError` if a line doesn't fit in memory."""
        start = 0
        while start < len(content):
            end = content.find(b"\n", start + limits.SHELL_PIECE_BYTES) + 1 or len(content)
            if end - start > limits.SHELL_TEXT_CHARS:
                self.hold(2 * (end - start))
            found = content[start:end].split(b"\n")
            yield found if found[-1] else found[:-1]
            await self.effort(end - start)
            start = end

    def flags(self, known: str, with_value: str = "") -> tuple[dict[str, str], list[str]]:
        """Short options with their values, also several in one word, and the other arguments. Raises `Usage` for an unknown one."""
        flags: dict[str, str] = {}
        rest = list(self.args)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            word = rest.pop(0)
            if word == "--":
                break
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                if letter in with_value:
                    if not letters and not rest:
                        raise Usage(f"option requires an argument -- '{letter}'")
                    flags[letter], letters = (letters or rest.pop(0)), ""
                elif letter in known:
                    flags[letter] = ""
                else:
                    raise Usage(f"unrecognized option '{word}'" if word.startswith("--") else f"invalid option -- '{letter}'")
        return flags, rest


class Saying:
    """Buffered standard output: written a piece at a time, since all of it together may not fit in memory."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._bits: list[str] = []
        self._chars = 0

    async def add(self, text: str) -> None:
        self._bits.append(text)
        self._chars += len(text) + limits.SHELL_PIECE_COSTS_BYTES  # nothing, said often enough, is much, too
        if self._chars >= limits.SHELL_PIECE_BYTES:
            await self.flush()

    async def flush(self) -> None:
        """Write what is in the buffer."""
        text, chars, self._bits, self._chars = "".join(self._bits), self._chars, [], 0
        await self._process.say(text) if text else await self._process.effort(chars)


Program = Callable[[Process], Awaitable[int]]


def base(path: str) -> str:
    """The last part of a path."""
    return posixpath.basename(path.rstrip("/")) or "/"
