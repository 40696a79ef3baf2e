"""The shell itself: carries out what `language.py` has read, with the programs of `programs/`."""

import hashlib
import posixpath
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count, pairwise
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.nodes.shell.conditions import holds
from svcsim.nodes.shell.durations import sleep_seconds
from svcsim.nodes.shell.expansion import NO_ROOM, Expander, ExpansionError, UnsetError
from svcsim.nodes.shell.fields import USUAL
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.options import ALLEXPORT, ERREXIT, NOGLOB, PIPEFAIL, XTRACE, letters_of
from svcsim.nodes.shell.parser import parse
from svcsim.nodes.shell.pipes import Collected, reader, reads_lines
from svcsim.nodes.shell.process import ExitError, Job, Process, Program, Usage, Work, World
from svcsim.nodes.shell.redirections import Redirected
from svcsim.nodes.shell.scanner import ShellSyntaxError, UnfinishedError
from svcsim.nodes.shell.signals import EXIT, KILL, NUMBERS, ends
from svcsim.nodes.shell.streams import Streams, Write
from svcsim.nodes.shell.syntax import (
    ArithmeticCommand,
    ArithmeticFor,
    Assignment,
    CaseClause,
    Command,
    CommandPipeline,
    ConditionalCommand,
    ForClause,
    FunctionDefinition,
    Group,
    IfClause,
    Script,
    SimpleCommand,
    WhileClause,
    Word,
)
from svcsim.nodes.shell.tree import FileError, Node, resolve

NOT_FOUND, NOT_EXECUTABLE, SYNTAX, MISUSE = 127, 126, 2, 1
KILLED_BY_TERM = 143
FAILED = "ERR"
"""What bash calls the trap for commands that fail."""
_BY_SIGNAL = 128
"""What a signal has ended has an exit code that is so much more than its number."""
_FIRST_KEY = "0"
_INIT = 1
_LARGEST_CHANCE = 0x7FFF
_ALWAYS_OF_BASH = "hBc"
"""What is in its ``$-`` of itself."""
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TRACED = "+ "
"""What stands before a command that is traced."""
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_FOR_BASH = re.compile(r"#!.*\bbash\b")
"""How a file begins that is run by that shell."""


class BreakError(Exception):
    """``break`` or ``continue``: so many loops are left."""

    def __init__(self, levels: int, *, goes_on: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.goes_on = goes_on


class TooDeepError(ExpansionError):
    """Too much is run within what is run, so that all of it ends."""


class ReturnError(Exception):
    """``return``: the function is left."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


@dataclass(slots=True)
class Shell:
    """One shell, or a subshell of one."""

    world: World
    commands: "Commands"
    work: Work
    variables: dict[str, str]
    exported: dict[str, None]
    directory: str = "/"
    arguments: Sequence[str] = ()
    name: str = "sh"
    status: int = 0
    options: frozenset[str] = frozenset()
    """As `options.py` calls them."""
    depth: int = 0
    pid: int = 0
    """Its number, which its subshells have for theirs."""
    is_subshell: bool = False
    is_first: bool = False
    """Whether it is the one that signals to its container come to."""
    traps: dict[str, str] = field(default_factory=dict)
    """What it was told to do when a signal comes, or at its end; nothing at all, where that is empty."""
    functions: dict[str, FunctionDefinition] = field(default_factory=dict)
    arrays: dict[str, dict[str, str]] = field(default_factory=dict)
    """Its lists, with their values by their keys: numbers as words, in their order, or what is said of those that are ``keyed``."""
    keyed: frozenset[str] = frozenset()
    parent_pid: int = 0
    """The number of the shell that has started it."""
    started_at: float = 0.0
    inner_traces: int = 0
    """How many scripts that words are made of it is in, each of which has one more sign before what is traced."""
    is_bash: bool = False
    """Whether it knows what only that shell knows."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """Those in the background, by their numbers as words; the last one is the latest."""
    latest_job: str = ""
    """The number of the one that it has started last, or before it whoever it is a subshell of."""
    _locals: list[dict[str, str | None]] = field(default_factory=list)
    """What variables were before functions had them for their own, the innermost last."""
    _tested: int = 0
    """How many conditions we are in, in which a failure is no failure."""
    _held_bytes: int = 0
    """What its variables take of the memory, but for those that it began with."""
    _stderr: Write | None = None
    """Where the last command complained."""

    @property
    def stops_at_failures(self) -> bool:
        return ERREXIT in self.options

    # What `Variables` asks for.

    def get(self, name: str) -> str | None:
        """The value of a variable, also of those that have signs for names."""
        if name in self.variables:
            return self.variables[name]
        if name == "IFS":
            return USUAL
        if name in self.arrays:
            return self.arrays[name].get(_FIRST_KEY)
        if name.isdigit():
            place = int(name[:6])
            return self.name if place == 0 else self.arguments[place - 1] if place <= len(self.arguments) else None
        special: dict[str, str | None] = {
            "?": str(self.status),
            "#": str(len(self.arguments)),
            "$": str(self.pid),
            "PPID": str(self.parent_pid),
            "!": self.latest_job or None,
            "-": letters_of(self.options) + (_ALWAYS_OF_BASH if self.is_bash else ""),
            "PWD": self.directory,
        }
        if name == "RANDOM":
            return str(self._chance())
        if name == "SECONDS" and self.is_bash:
            return str(int(self.world.now() - self.started_at))
        return self.variables.get("IFS", USUAL)[:1].join(self.arguments) if name in {"@", "*"} else special.get(name)

    def _chance(self) -> int:
        """A number that is the same in the same place whenever a scenario is replayed."""
        self.work.thrown += 1
        words = f"{self.world.hostname} {self.world.now()} {self.pid} {self.work.thrown}"
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=2).digest()) & _LARGEST_CHANCE

    def set(self, name: str, value: str) -> None:
        """Raises `ExpansionError` where there would be too much of it."""
        if len(value) > limits.SHELL_TEXT_CHARS or len(self.variables) > limits.SHELL_WORDS:
            raise ExpansionError(NO_ROOM)
        if name == "SECONDS" and self.is_bash:
            self.started_at = self.world.now() - (int(value[:9]) if value.isdecimal() else 0)
            return
        if name in self.arrays:
            self.set_element(name, _FIRST_KEY, value)
            return
        self._hold(_size_bytes(value) - _size_bytes(self.variables.get(name)))
        self.variables[name] = value
        if ALLEXPORT in self.options:
            self.exported[name] = None

    def elements(self, name: str) -> dict[str, str]:
        """The values of a list by their keys, in their order; of what is no list, the one value as its first."""
        found = self.arrays.get(name)
        if found is None:
            value = self.get(name)
            return {} if value is None else {_FIRST_KEY: value}
        return found

    def is_keyed(self, name: str) -> bool:
        return name in self.keyed

    def set_element(self, name: str, key: str, value: str) -> None:
        """Raises `ExpansionError` where there would be too much of it."""
        before = self.variables.pop(name, None)
        elements = self.arrays.setdefault(name, {} if before is None else {_FIRST_KEY: before})
        if len(value) > limits.SHELL_TEXT_CHARS or len(key) > limits.SHELL_TRIMMED_CHARS or len(elements) > limits.SHELL_WORDS:
            raise ExpansionError(NO_ROOM)
        self._hold(_size_bytes(value) + _size_bytes(key) - (_size_bytes(elements[key]) + _size_bytes(key) if key in elements else 0))
        is_between = name not in self.keyed and key not in elements and bool(elements) and int(key) < int(next(reversed(elements)))
        elements[key] = value
        if is_between:
            self.work.looked_at_bytes += len(elements) * limits.SHELL_PIECE_COSTS_BYTES
            self.arrays[name] = {one: elements[one] for one in sorted(elements, key=int)}

    def set_all(self, name: str, values: list[str]) -> None:
        """Have a list of values."""
        self.unset(name)
        self.arrays[name] = {}
        for place, value in enumerate(values):
            self.set_element(name, str(place), value)

    def declare(self, name: str, *, keyed: bool) -> None:
        """Have it be a list."""
        self.arrays.setdefault(name, {})
        if keyed:
            self.keyed |= {name}

    def unset(self, name: str) -> None:
        array, _, rest = name.partition("[")
        if rest and array in self.arrays:
            former = self.arrays[array].pop(rest.removesuffix("]"), None)
            self._hold(-_size_bytes(former) - _size_bytes(None if former is None else rest[:-1]))
            return
        for key, value in self.arrays.pop(name, {}).items():
            self._hold(-_size_bytes(value) - _size_bytes(key))
        self.keyed -= {name}
        self._hold(-_size_bytes(self.variables.pop(name, None)))
        self.exported.pop(name, None)

    def _hold(self, size_bytes: int) -> None:
        """Take so much of the memory for variables, or give it back; those of the shell that it comes from aren't its own."""
        more = max(size_bytes, -self._held_bytes)
        if self._held_bytes + more > limits.SHELL_VARIABLES_BYTES:
            raise ExpansionError(NO_ROOM)
        try:
            self.work.memory.take(more)
        except FileError:
            raise ExpansionError(NO_ROOM) from None
        self._held_bytes += more

    def release(self) -> None:
        """It has ended, and its variables with it."""
        self.work.memory.take(-self._held_bytes)
        self._held_bytes = 0

    def environment(self) -> dict[str, str]:
        """What its programs are given."""
        return {name: self.variables[name] for name in self.exported if name in self.variables}

    # Running scripts.

    @contextmanager
    def at_work(self, pid: int | None) -> Iterator[None]:
        """While it runs as a process of its own, which has this number if it has come in the place of another one."""
        self.pid, self.is_subshell = self.work.new_pid() if pid is None else pid, False
        self.work.shells.setdefault(str(self.pid), [])
        try:
            yield
        finally:
            self.work.shells.pop(str(self.pid), None)

    async def run_text(self, text: str, streams: Streams) -> int:
        """Run a script; gives its exit code. What is wrong with it is said."""
        try:
            await self.effort(len(text))
            return await self.run(await read_script(text, bash=self.is_bash), streams)
        except ExitError as error:
            return error.code
        except (ShellSyntaxError, ExpansionError) as error:
            if isinstance(error, UnsetError) and error.name.isupper():
                self.work.puzzled(str(error))  # its image may have set it
            await self.say_error(streams, str(error))
            return NOT_FOUND if self.is_bash and isinstance(error, UnsetError) else SYNTAX
        except ReturnError as error:
            return error.status
        except BreakError:
            return self.status

    async def run_line(self, text: str, streams: Streams, *, is_last: bool = False) -> None:
        """Run what was typed. Raises `ExitError` where the shell is to end, and `UnfinishedError` where more has to be typed."""
        try:
            await self.run(await read_script(text, bash=self.is_bash, more_may_come=not is_last), streams)
        except UnfinishedError:
            raise
        except (ShellSyntaxError, ExpansionError) as error:
            await self.say_error(streams, str(error))
            self.status = SYNTAX
        except (BreakError, ReturnError):
            pass  # there is nothing to leave

    async def say_error(self, streams: Streams, what: str) -> None:
        """Complain in the shell's own name."""
        self.work.complained(what, self.world)
        await streams.complain(f"{self.name}: {what}\n".encode("utf-8", "surrogateescape"))

    async def run(self, script: Script, streams: Streams) -> int:
        """Run what was read. Raises `ExitError`, `ExpansionError`, `BreakError`."""
        for index, step in enumerate(script):
            if (step.operator == "&&" and self.status != 0) or (step.operator == "||" and self.status == 0):
                continue
            following = script[index + 1].operator if index + 1 < len(script) else ";"
            running = self._in_background if step.in_background else self._pipeline
            self._tested += following != ";"
            if step.operator == "||":
                self.work.missed = ""  # the script knows that it may not be there
            try:
                self.status = await running(step.pipeline, streams)
            finally:
                self._tested -= following != ";"
            while self.is_first and (signal := self.work.heard_signal()):
                await self._trapped(signal, streams)
            while not self.is_subshell and (sent := self.work.shells.get(str(self.pid))):
                await self._heed(sent.pop(0), streams)
            if self.status and not self._tested and following == ";" and not step.pipeline.negated:
                if FAILED in self.traps:
                    await self._trapped(FAILED, streams)
                if self.stops_at_failures:
                    raise ExitError(self.status)
        return self.status

    async def _trapped(self, name: str, streams: Streams) -> None:
        """Do what a trap says, which leaves the status of what was done last as it is."""
        status, text = self.status, self.traps.get(name, "")
        if text:
            with self.deeper():
                await self.run(await read_script(text, bash=self.is_bash), streams)
        self.status = status

    async def _heed(self, name: str, streams: Streams) -> None:
        """A signal of somebody's whom it has started, or of its own. What has the number 1 isn't ended by what it hasn't agreed to."""
        if name in self.traps and name != KILL:
            await self._trapped(name, streams)
        elif self.pid != _INIT and ends(name):
            raise ExitError(_BY_SIGNAL + NUMBERS[name])

    async def send(self, pid: str, name: str, streams: Streams) -> bool:
        """Send a signal to a shell or to what was started in the background; whether there is such a one. `EXIT` asks that alone."""
        itself = pid == str(self.pid) and not self.is_subshell
        sent, job = self.work.shells.get(pid), self.work.jobs.get(pid)
        if job is not None and not job.runs(self.world.now()):
            job = None
        if name == EXIT:
            return itself or sent is not None or job is not None
        if itself:
            await self._heed(name, streams)
        elif sent is not None:
            sent.append(name)
        elif job is not None and ends(name):
            job.ends_at, job.status = self.world.now(), _BY_SIGNAL + NUMBERS[name]
        return itself or sent is not None or job is not None

    async def end(self, status: int, streams: Streams) -> int:
        """It ends; gives its exit code, which may be another by what it was told to do then."""
        text, self.status = self.traps.pop(EXIT, ""), status
        if not text:
            return status
        try:
            await self.run(await read_script(text, bash=self.is_bash), streams)
        except ExitError as error:
            return error.code
        except (ShellSyntaxError, ExpansionError) as error:
            await self.say_error(streams, str(error))
        except (BreakError, ReturnError):
            pass  # there is nothing to leave
        return status

    async def _pipeline(self, pipeline: CommandPipeline, streams: Streams) -> int:
        commands = pipeline.commands
        if pipeline.negated:
            self._tested += 1
        try:
            if len(commands) == 1:
                status = await self.carry_out(commands[0], streams)
            else:
                status = await self._piped(commands, streams)
        finally:
            self._tested -= pipeline.negated
        return int(status == 0) if pipeline.negated else status

    async def _piped(self, commands: tuple[Command, ...], streams: Streams) -> int:
        """One after the other, each with all that the one before has said: none of them goes on for ever."""
        source, before, failed = streams.read, Collected(self.work.memory), 0
        try:
            for command, following in pairwise(commands):
                collected = Collected(self.work.memory)
                try:
                    status = await self._in_subshell(command, Streams(source, collected.write, streams.complain))
                finally:
                    before.release()
                    before = collected
                failed = status or failed
                source = reader(collected.pieces, by_lines=reads_lines(following))
            status = await self._in_subshell(commands[-1], streams._replace(read=source))
            return status or (failed if PIPEFAIL in self.options else 0)
        finally:
            before.release()

    async def _in_subshell(self, command: Command, streams: Streams) -> int:
        return await self._ended_subshell(lambda inner: inner.carry_out(command, streams), streams)

    async def _ended_subshell(self, doing: "Callable[[Shell], Awaitable[int]]", streams: Streams) -> int:
        with self._forked() as inner:
            try:
                status = await doing(inner)
            except ExitError as error:
                status = error.code
            except TooDeepError:
                raise
            except ExpansionError as error:
                await self.say_error(streams, str(error))
                status = SYNTAX
            return await inner.end(status, streams)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """While something is run within what is run. Raises `ExpansionError` where that goes on and on."""
        self._check_depth()
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def _check_depth(self) -> None:
        if self.depth >= limits.SHELL_LEVELS:
            raise TooDeepError("Maximum function recursion depth exceeded")

    @contextmanager
    def _forked(self) -> "Iterator[Shell]":
        """A subshell, as long as it is there. Raises `ExpansionError` where they are too deep."""
        self._check_depth()
        inner = replace(
            self,
            variables=dict(self.variables),
            exported=dict(self.exported),
            depth=self.depth + 1,
            is_subshell=True,
            is_first=False,
            traps={},
            functions=dict(self.functions),
            arrays={name: dict(elements) for name, elements in self.arrays.items()},
            jobs={},
            _locals=[*self._locals],
            _held_bytes=0,
        )
        try:
            yield inner
        finally:
            inner.release()

    async def carry_out(self, command: Command, streams: Streams) -> int:
        """One command of a script. Raises as `run` does."""
        await self.work.step(self.world)
        if isinstance(command, SimpleCommand):
            return await self._simple(command, streams)
        async with Redirected(self, command, streams) as redirected:
            if redirected.streams is None:
                return 1
            if isinstance(command, Group):
                return await self._group(command, redirected.streams)
            if isinstance(command, IfClause):
                return await self._if(command, redirected.streams)
            if isinstance(command, CaseClause):
                return await self._case(command, redirected.streams)
            if isinstance(command, FunctionDefinition):
                self._define(command)
                return 0
            if isinstance(command, ConditionalCommand):
                return int(not await holds(self, command.test, redirected.streams))
            if isinstance(command, ArithmeticCommand):
                return int(await self.expander().number(command.expression) == 0)
            return await self._looped(command, redirected.streams)

    async def _group(self, group: Group, streams: Streams) -> int:
        if not group.subshell:
            return await self.run(group.body, streams)
        return await self._ended_subshell(lambda inner: inner.run(group.body, streams), streams)

    async def _if(self, command: IfClause, streams: Streams) -> int:
        for condition, body in command.branches:
            if await self._holds(condition, streams):
                return await self.run(body, streams)
        if command.otherwise is not None:
            return await self.run(command.otherwise, streams)
        return 0

    async def _case(self, command: CaseClause, streams: Streams) -> int:
        if self.is_bash and XTRACE in self.options:
            await self.trace(streams, command.head)
        value = await self.expander().text(command.word)
        for patterns, body in command.branches:
            for pattern in patterns:
                if await matches(Glob(await self.expander().pattern(pattern)), value, self.effort):
                    return await self.run(body, streams)
        return 0

    def _define(self, function: FunctionDefinition) -> None:
        before = self.functions.get(function.name)
        self._hold(limits.SHELL_PIECE_COSTS_BYTES * (function.size_chars - (0 if before is None else before.size_chars)))
        self.functions[function.name] = function

    async def _call(self, function: FunctionDefinition, words: list[str], streams: Streams) -> int:
        arguments, self.arguments = self.arguments, words[1:]
        self._locals.append({})
        try:
            with self.deeper():
                return await self.carry_out(function.body, streams)
        except ReturnError as error:
            return error.status
        finally:
            self.arguments = arguments
            for name, value in self._locals.pop().items():
                if value is None:
                    self.unset(name)
                else:
                    self.set(name, value)

    @property
    def in_function(self) -> bool:
        """Whether what is run is a function's."""
        return bool(self._locals)

    def localize(self, name: str) -> None:
        """Have a variable be the function's own from now on."""
        self._locals[-1].setdefault(name, self.variables.get(name))

    async def _in_background(self, pipeline: CommandPipeline, streams: Streams) -> int:
        """What only sleeps is waited for later; what else is started so is done at once, since nothing of it goes on for ever."""
        command = pipeline.commands[0]
        words = await self.expander().words(command.words) if isinstance(command, SimpleCommand) else []
        now, status = self.world.now(), 0
        words = words[words[:1] == ["exec"] :]
        if words[:1] == ["sleep"]:
            ends_at, status = _slept(words[1:], now)
        elif words and (words[0] == "tail" or words[0] in self.functions):
            raise ExpansionError(f"{words[0]}: not simulated in the background")
        else:
            status, ends_at = await self._in_subshell(command, streams._replace(read=_nothing)), now
        latest = next(reversed(self.jobs.values()), None)
        if len(self.jobs) >= limits.SHELL_JOBS:
            self.jobs = {pid: job for pid, job in self.jobs.items() if job.runs(now) or job is latest}
        if len(self.work.jobs) >= limits.SHELL_JOBS:
            self.work.jobs = {pid: job for pid, job in self.work.jobs.items() if job.runs(now)}
        if len(self.jobs) >= limits.SHELL_JOBS or len(self.work.jobs) >= limits.SHELL_JOBS:
            raise ExpansionError("Cannot fork")
        taken = {job.number for job in self.jobs.values() if job.runs(now)}
        number = next(number for number in count(1) if number not in taken)
        job = Job(self.work.new_pid(), number, ends_at, status)
        self.latest_job = str(job.pid)
        self.jobs[self.latest_job] = self.work.jobs[self.latest_job] = job
        return 0

    def job(self, word: str) -> Job | None:
        """The latest of a number among its jobs, ``%1``, or the latest of all, ``%%``; None where there is no such one."""
        found = (job for job in reversed(self.jobs.values()) if word in {"%", "%%", "%+", f"%{job.number}"})
        return next(found, None)

    async def wait(self, pid: str) -> int:
        """Wait for a job, or for all of them; gives how it ended. Being asked to end ends the wait."""
        waited = list(self.jobs.values()) if not pid else [self.jobs[pid]] if pid in self.jobs else []
        if not waited:
            return NOT_FOUND if pid else 0
        left_s = max(job.ends_at for job in waited) - self.world.now()
        if left_s > 0:
            await self.work.nap(self.world, left_s)
        if any(job.runs(self.world.now()) for job in waited):
            return KILLED_BY_TERM
        return waited[0].status if pid else 0

    async def _holds(self, condition: Script, streams: Streams) -> bool:
        self._tested += 1
        try:
            return await self.run(condition, streams) == 0
        finally:
            self._tested -= 1
            self.work.missed = ""

    async def _looped(self, command: WhileClause | ForClause | ArithmeticFor, streams: Streams) -> int:
        values = iter(await self._values(command) if isinstance(command, ForClause) else ())
        if isinstance(command, WhileClause):
            self.work.loop_begins(command, stops_at_failures=self.stops_at_failures)
        self.work.loops += 1
        try:
            return await self._turns(command, values, streams)
        finally:
            self.work.loops -= 1

    async def _turns(self, command: WhileClause | ForClause | ArithmeticFor, values: Iterator[str], streams: Streams) -> int:
        status, is_first = 0, True
        while True:
            try:
                if not await self._goes_round(command, values, streams, is_first=is_first):
                    return status
                is_first = False
                await self.work.step(self.world)
                status = await self.run(command.body, streams)
                if self.work.loops == 1:
                    self.work.turn_ended(self.variables, self.world)
            except BreakError as error:
                if error.levels > 1:
                    raise BreakError(error.levels - 1, goes_on=error.goes_on) from None
                if not error.goes_on:
                    return 0

    async def _goes_round(
        self, command: WhileClause | ForClause | ArithmeticFor, values: Iterator[str], streams: Streams, *, is_first: bool
    ) -> bool:
        """Make ready for the next turn of a loop; whether there is one."""
        if isinstance(command, WhileClause):
            return await self._holds(command.condition, streams) is not command.until
        if isinstance(command, ArithmeticFor):
            await self.expander().number(command.first if is_first else command.next)
            return any(piece.text.strip() for piece in command.condition) is False or await self.expander().number(command.condition) != 0
        value = next(values, None)
        if value is None:
            return False
        if self.is_bash and XTRACE in self.options:
            await self.trace(streams, command.head)
        self.set(command.name, value)
        return True

    async def _values(self, command: ForClause) -> list[str]:
        return list(self.arguments) if command.words is None else await self.expander().words(command.words)

    # Simple commands.

    def expander(self) -> Expander:
        """What works words out, as things are now."""
        return Expander(self, self.world.tree, self.directory, self._output, self.effort, globs=NOGLOB not in self.options)

    async def effort(self, size_bytes: int) -> None:
        """As `Work.effort`."""
        await self.work.effort(self.world, size_bytes)

    async def _output(self, text: str) -> str:
        """What a script says, for ``$(…)``."""
        collected = Collected(self.work.memory)
        try:
            with self._forked() as inner:
                inner.inner_traces += self.is_bash
                self.status = await inner.run_text(text, Streams(_nothing, collected.write, self._complain))
            if collected.said_bytes > limits.SHELL_MOST_SAID_BYTES:
                raise ExpansionError(NO_ROOM)
            return b"".join(collected.pieces).decode("utf-8", "surrogateescape")
        finally:
            collected.release()

    async def _complain(self, data: bytes) -> None:
        """Where the complaints of what is put into words go: wherever those of the last command went."""
        if self._stderr is not None:
            await self._stderr(data)

    async def _simple(self, command: SimpleCommand, streams: Streams) -> int:
        self._stderr = streams.complain
        expander = self.expander()
        words = await expander.words(command.words)
        values = await self._values_of(command, expander, lasting=not words)
        if XTRACE in self.options:
            assigned = [f"{name}={shown(value) if value else ''}" for name, value in values.items()]
            for part in (*([one] for one in assigned), [*map(shown, words)]) if self.is_bash else ((*assigned, *map(shown, words)),):
                await self.trace(streams, *part)
        async with Redirected(self, command, streams) as redirected:
            if redirected.streams is None:
                return 1
            if not words:
                for one in command.assignments:
                    await self._assign_to_list(one)
                return self.status if any(_runs(one.value) for one in command.assignments) else 0
            function, builtin = self.functions.get(words[0]), self.commands.builtins.get(words[0])
            if function is None and builtin is not None and words[0] in self.commands.lasting:
                for name, value in values.items():
                    self.set(name, value)
                return await self._builtin(builtin, words, redirected.streams)
            if function is not None or builtin is not None:
                with self._set_meanwhile(values) if values else nullcontext():
                    if function is not None:
                        return await self._call(function, words, redirected.streams)
                    if builtin is not None:
                        return await self._builtin(builtin, words, redirected.streams)
            return await self.start(words, redirected.streams, {**self.environment(), **values}, self.directory)

    async def _values_of(self, command: SimpleCommand, expander: Expander, *, lasting: bool) -> dict[str, str]:
        """The values of a command's variables, one after the other: where they are ``lasting``, those that follow may be made of them."""
        values: dict[str, str] = {}
        for one in command.assignments:
            if one.elements is None and not one.subscript:
                values[one.name] = await self._assigned(one, expander)
                if lasting:
                    self.set(one.name, values[one.name])
        return values

    async def _assigned(self, one: Assignment, expander: Expander) -> str:
        value = await expander.text(one.value)
        return f"{self.get(one.name) or ''}{value}" if one.appends else value

    async def _assign_to_list(self, one: Assignment) -> None:
        """``name[key]=value`` and ``name=(values)``."""
        expander = self.expander()
        if one.subscript:
            key, value = await expander.key(one.name, one.subscript), await expander.text(one.value)
            before = self.elements(one.name).get(key, "") if one.appends else ""
            self.set_element(one.name, key, before + value)
        if one.elements is None:
            return
        found: list[tuple[str | None, str]] = []
        for subscript, word in one.elements:
            await self.effort(limits.SHELL_WORD_COSTS_BYTES)
            if subscript:
                found.append((await expander.key(one.name, subscript), await expander.text(word)))
            else:
                found += [(None, value) for value in await expander.words([word])]
        keyed = one.name in self.keyed
        if not one.appends:
            self.unset(one.name)
        self.declare(one.name, keyed=keyed)
        place = 1 + int(next(reversed(self.arrays[one.name]), -1)) if not keyed else 0
        for given, value in found:
            self.set_element(one.name, str(place) if given is None else given, value)
            place = place + 1 if given is None or keyed else int(given) + 1

    @contextmanager
    def _set_meanwhile(self, values: dict[str, str]) -> Iterator[None]:
        """Have variables be so for as long as a command runs: ``IFS=: read a b``."""
        before = {name: self.variables.get(name) for name in values}
        for name, value in values.items():
            self.set(name, value)
        try:
            yield
        finally:
            for name, former in before.items():
                if former is None:
                    self.unset(name)
                else:
                    self.set(name, former)

    async def trace(self, streams: Streams, *words: str) -> None:
        """Tell what is done next (``set -x``), wherever complaints go."""
        if words:
            sign = self.get("PS4") or _TRACED
            text = f"{sign[:1] * self.inner_traces}{sign}{' '.join(words)}\n"
            await self.effort(len(text))
            await streams.complain(text.encode("utf-8", "surrogateescape"))

    async def _builtin(self, builtin: "Builtin", words: list[str], streams: Streams) -> int:
        try:
            return await builtin(self, words[1:], streams)
        except FileError as error:
            await self.say_error(streams, f"{words[0]}: {error}")
            return 1

    async def start(self, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None = None) -> int:
        """Run a program by its name or its path; gives its exit code. ``pid`` is its number if it comes in the place of another process."""
        self._check_depth()
        name = words[0]
        node, path = self._find(name, environment, directory)
        if node is None:
            await self.say_error(streams, f"{name}: not found")
            return NOT_FOUND
        if node.is_directory or not node.mode & 0o111:
            await self.say_error(streams, f"{name}: Permission denied")
            return NOT_EXECUTABLE
        program = self.commands.programs.get(posixpath.basename(path)) if node.program else None
        if program is None:
            return await self._script_file(path, words, streams, environment, directory, pid)
        process = Process(
            posixpath.basename(name),
            words[1:],
            streams,
            environment,
            directory,
            self.world,
            self.work,
            partial(self._start_other, pid),
            self.depth + 1,
            name,
            pid,
            parent_pid=self.pid if pid is None else self.parent_pid,
        )
        try:
            return await program(process)
        except Usage as error:
            self.work.puzzled(str(error))
            await process.complain(str(error))
            return MISUSE
        except FileError as error:
            await process.complain(f"{error.path}: {error}" if error.path else str(error))
            return 1
        finally:
            self.work.memory.take(-process.held_bytes)

    async def _start_other(self, pid: int | None, words: list[str], streams: Streams, environment: dict[str, str], directory: str) -> int:
        """Run a program in the place of one that has this number."""
        with self._forked() as inner:
            return await inner.start(words, streams, environment, directory, pid)

    async def _script_file(
        self, path: str, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None
    ) -> int:
        content = (await self.world.tree.find(path).read()).decode("utf-8", "surrogateescape")
        with self._forked() as inner:
            inner.variables, inner.exported, inner.directory = dict(environment), dict.fromkeys(environment), directory
            inner.arguments, inner.name, inner.options, inner.functions = words[1:], words[0], frozenset(), {}
            inner.latest_job = ""
            inner.is_bash = self.is_bash if not content.startswith("#!") else _FOR_BASH.match(content) is not None
            with inner.at_work(pid):
                return await inner.end(await inner.run_text(content, streams), streams)

    def _find(self, name: str, environment: dict[str, str], directory: str) -> tuple[Node | None, str]:
        """What a command's name leads to, and where that is."""
        return find_program(self.world, name, environment, directory)


Builtin = Callable[[Shell, list[str], Streams], Awaitable[int]]
"""A command that changes the shell itself."""


class Commands(NamedTuple):
    """What there is to be run, by name."""

    builtins: dict[str, Builtin]
    lasting: frozenset[str]
    """Those of them after which variables stay as they were set for them."""
    programs: dict[str, Program]


def find_program(world: World, name: str, environment: dict[str, str], directory: str) -> tuple[Node | None, str]:
    """The file that a command's name leads to, and its path; None where there is none."""
    if not name:
        return None, ""
    paths = [name] if "/" in name else [f"{way or '.'}/{name}" for way in environment.get("PATH", DEFAULT_PATH).split(":")]
    for path in paths[: limits.SHELL_LEVELS]:
        absolute = path if path.startswith("/") and "/" not in name else resolve(path, directory)
        try:
            node = world.tree.find(absolute)
        except FileError:
            continue
        if "/" in name or not node.is_directory:
            return node, absolute
    return None, ""


def shown(word: str) -> str:
    """A word as one would have to write it."""
    return word if _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"


def _slept(words: Sequence[str], now: float) -> tuple[float, int]:
    """When a ``sleep`` that begins now ends, and how."""
    try:
        return now + sleep_seconds(words), 0
    except Usage:
        return now, MISUSE


def _size_bytes(value: str | None) -> int:
    """About what a variable takes."""
    return 0 if value is None else limits.SHELL_PIECE_COSTS_BYTES + (len(value) if value.isascii() else 4 * len(value))


async def read_script(text: str, *, bash: bool, more_may_come: bool = False) -> Script:
    """What a script says; a long one is read aside. Raises `ShellSyntaxError`."""
    if len(text) <= limits.SHELL_SCRIPT_CHARS and not more_may_come:
        return _parsed(text, bash=bash)
    return await aside(len(text) * limits.SHELL_PIECE_COSTS_BYTES, parse, text, bash=bash, more_may_come=more_may_come)


@lru_cache(maxsize=limits.SHELL_SCRIPTS)
def _parsed(text: str, *, bash: bool) -> Script:
    """Read what a loop may run again and again. Raises `ShellSyntaxError`."""
    return parse(text, bash=bash)


def _runs(word: Word) -> bool:
    return any(piece.kind == "command" for piece in word)


async def _nothing() -> bytes:
    return b""
