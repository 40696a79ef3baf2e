"""What a program that is pretended to run sees: its arguments, its streams, its environment, and the world around it."""

import posixpath
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.network import Network
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import WhileClause
from svcsim.nodes.shell.tree import IS_DIRECTORY, NO_MEMORY, NOT_FOUND, Disk, FileError, Tree, naming, resolve


class ProcessUser(NamedTuple):
    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """As the image's list of users has it; empty for one that isn't in there."""
        return "root" if self.uid == 0 else ""


PIDS_APART = 6
"""How far apart the numbers of processes are."""
_FIRST_STARTED = 8
"""The number of the first one that a command starts, of those that need one."""


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
    """What the command was started at, if at one."""

    @property
    def processes(self) -> "Sequence[ListedProcess]":
        """Those that were there before, in the order of their numbers."""
        ...

    def now(self) -> float:
        """The cluster's time."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let that much of the cluster's time pass."""
        ...

    async def turn(self) -> None:
        """Let others go first."""
        ...

    async def look(self) -> None:
        """See what others have done by now."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to one of them."""
        ...


class Deadline:
    """A moment by which something is to be at its end."""

    def __init__(self, at: float) -> None:
        self.at = at


class DeadlineError(Exception):
    """That moment has come."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__(deadline.at)
        self.deadline = deadline


class ExitError(Exception):
    """The shell, or the program, ends here."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code & 0xFF


@dataclass(slots=True)
class Job:
    """What was started in the background."""

    pid: int
    number: int
    """Among those of its shell, which calls it ``%1`` by that."""
    ends_at: float
    status: int

    def runs(self, now: float) -> bool:
        return self.ends_at > now


class Gathering(Protocol):
    """What a command says on its way into a file."""

    def put(self, world: World) -> None:
        """Put what there is of it into the file. Raises `FileError`."""
        ...


@dataclass(slots=True)
class Work:
    """What one command of a client's may use: so many steps without letting time pass, and memory for what is on its way."""

    memory: Disk
    steps: int = 0
    """Since it last let time pass: what goes round and round without a pause is killed."""
    gathering: "dict[int, Gathering]" = field(default_factory=dict)
    """What is on its way into files, which others see once time passes."""
    loops: int = 0
    """How many of them are under way, one within the other."""
    pid: int = 7
    """The number of the process that does it."""
    given_pids: int = 0
    """How many processes have got numbers that it has started."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """Those in the background of all its shells, by their numbers as words."""
    shells: dict[str, list[str]] = field(default_factory=dict)
    """The shells at work, by their numbers as words, with the names of the signals that are on their way to them."""
    looked_at_bytes: int = 0
    """Since others last had a turn for it."""
    missed: str = ""
    """The path at which a command complained last that nothing is there."""
    believed: bool = False
    """Whether a host outside of the cluster answered, of which nobody knows what it would say."""
    deadlines: list[Deadline] = field(default_factory=list)
    """Of what is under way, the innermost last."""
    thrown: int = 0
    """How often it has been asked for a number by chance."""

    def new_pid(self) -> int:
        """The number of a process that is started."""
        self.given_pids += 1
        return _FIRST_STARTED + (self.given_pids - 1) * PIDS_APART

    async def step(self, world: World) -> None:
        """One more command. Raises `ExitError`."""
        self.steps += 1
        if self.steps > limits.SHELL_STEPS:
            raise ExitError(KILLED)
        if self.steps % limits.SHELL_STEPS_A_TURN == 0:
            await world.turn()

    async def effort(self, world: World, size_bytes: int) -> None:
        """So much was looked at, or said: others have a turn after each piece. Raises `ExitError`."""
        self.looked_at_bytes += size_bytes
        if self.looked_at_bytes >= limits.SHELL_PIECE_BYTES:
            self.looked_at_bytes = 0
            await self.step(world)
            await world.turn()

    def give_time(self, until: float) -> Deadline:
        """Have what is done next end at a moment."""
        deadline = Deadline(until)
        self.deadlines.append(deadline)
        return deadline

    async def rest(self, world: World, seconds: float) -> None:
        """Let time pass. Raises `FileError` where what was said until then has no room in its file, and `DeadlineError`."""
        self.steps = 0
        for one in self.gathering.values():
            one.put(world)
        await self.in_time(world, seconds, world.sleep)

    async def in_time(self, world: World, seconds: float, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Let time pass up to the first deadline. Raises `DeadlineError`."""
        first = min(self.deadlines, key=lambda one: one.at, default=None)
        if first is None or world.now() + seconds <= first.at:
            await sleep(seconds)
            return
        await sleep(max(first.at - world.now(), 0.0))
        if world.now() >= first.at:
            raise DeadlineError(first)

    async def nap(self, world: World, seconds: float) -> None:
        """As `rest`, but being asked to end wakes it up."""
        await self.rest(world, seconds)

    def turn_ended(self, variables: dict[str, str], world: World) -> None:
        """The outermost loop has gone round once more, and left these variables."""

    def loop_begins(self, loop: WhileClause, *, stops_at_failures: bool) -> None:
        """A loop is under way, which may never end."""

    def follows_for_ever(self) -> None:
        """What is done from now on never ends."""

    def heard_signal(self) -> str:
        """The name of a signal that has come in by now, each said once; empty for none."""
        return ""

    def complained(self, text: str, world: World) -> None:
        """A command has told what is wrong."""
        if NOT_FOUND in text or NO_PLACE in text:
            self.missed = world.tree.missed

    def asks_others(self) -> None:
        """A program asks somebody outside of its container."""

    def puzzled(self, why: str) -> None:
        """A program has met something that it can't make use of."""


NO_PLACE = "nonexistent directory"
"""What a shell says of a file whose directory isn't there."""
KILLED = 137
BROKEN_PIPE = 141
FOR_EVER_S = 10.0 * 365 * 86400
"""The longest that anything waits in a container."""


class Usage(Exception):  # noqa: N818 - no error: the program's answer to how it was called
    """A program can't make use of its arguments; the message is printed behind its name."""


class Start(Protocol):
    """Starts another program in the same surroundings; gives its exit code."""

    async def __call__(self, words: list[str], streams: Streams, environment: dict[str, str], directory: str) -> int: ...


@dataclass(slots=True)
class Process:
    """One program that runs."""

    name: str
    args: list[str]
    streams: Streams
    environment: dict[str, str]
    directory: str
    world: World
    work: Work
    start: Start
    depth: int = 0
    """How many programs have started one another to come to this one."""
    called: str = ""
    """The word by which it was started."""
    pid: int | None = None
    """Its number, if it has that from whoever it has come in the place of; others have none before it is asked for."""
    held_bytes: int = 0
    """What it has of the memory, until it ends."""
    parent_pid: int = 0
    """The number of the shell that has started it; 0 where somebody outside of the container has."""

    async def say(self, text: str) -> None:
        await self.give(text.encode("utf-8", "surrogateescape"))

    async def give(self, data: bytes) -> None:
        """Say what is no text, perhaps. Raises `ExitError` where nobody takes so much."""
        await self.streams.write(data)
        await self.effort(len(data))

    async def effort(self, size_bytes: int = limits.SIMULATED_FILE_COSTS_BYTES) -> None:
        """As `Work.effort`; a look at a file, or a change to one, where nothing else is said."""
        await self.work.effort(self.world, size_bytes)

    async def complain(self, text: str) -> None:
        self.work.complained(text, self.world)
        await self.streams.complain(f"{self.name}: {text}\n".encode("utf-8", "surrogateescape"))

    def path(self, path: str) -> str:
        """The absolute path that an argument means."""
        return resolve(path, self.directory)

    def hold(self, size_bytes: int) -> None:
        """Take so much memory. Raises `FileError` where there is none left."""
        try:
            self.work.memory.take(size_bytes)
        except FileError:
            raise FileError(NO_MEMORY) from None
        self.held_bytes += size_bytes

    def release(self, size_bytes: int) -> None:
        """Give so much of it back before its end."""
        self.work.memory.take(-size_bytes)
        self.held_bytes -= size_bytes

    async def whole_input(self) -> bytes:
        """All that comes in. Raises `FileError` where that is too much."""
        pieces: list[bytes] = []
        while piece := await self.streams.read():
            self.hold(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    async def content(self, path: str) -> bytes:
        """What is in a file, or comes in for ``-``. Raises `FileError`."""
        if path in {"-", "/dev/stdin"}:
            return await self.whole_input()
        with naming(path):
            node = self.world.tree.find(self.path(path))
            if node.is_directory:
                raise FileError(IS_DIRECTORY)
        data = await node.read()
        await self.effort(len(data) + limits.SIMULATED_FILE_COSTS_BYTES)
        return data

    async def lines(self, content: bytes) -> AsyncIterator[list[bytes]]:
        """The lines of a content without their ends, some at a time. Raises `FileError` for one that is as long as no memory."""
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
        """Short flags, also several in one word, and the rest. Raises `Usage` for one that isn't known."""
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
    """What a program says bit by bit, handed on a piece at a time: all of it together may be more than there is memory for."""

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
        """Hand on what there is."""
        text, chars, self._bits, self._chars = "".join(self._bits), self._chars, [], 0
        await self._process.say(text) if text else await self._process.effort(chars)


Program = Callable[[Process], Awaitable[int]]


def base(path: str) -> str:
    """The last part of a path."""
    return posixpath.basename(path.rstrip("/")) or "/"
