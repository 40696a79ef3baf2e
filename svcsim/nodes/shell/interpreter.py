"""The shell itself: carries out the syntax tree of a script, with the builtins of `builtins.py` and the programs of `programs/`."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from svcsim import limits
from svcsim.nodes.shell.branches import run_case, run_if
from svcsim.nodes.shell.conditions import holds
from svcsim.nodes.shell.control_flow import BreakError, ReturnError
from svcsim.nodes.shell.execution import start_program
from svcsim.nodes.shell.exit_codes import NOT_FOUND, SYNTAX
from svcsim.nodes.shell.expansion import NO_ROOM, Expander, ExpansionError, UnsetError
from svcsim.nodes.shell.functions import define_function
from svcsim.nodes.shell.jobs import Jobs, sleep_as_job
from svcsim.nodes.shell.loops import run_loop
from svcsim.nodes.shell.options import ERREXIT
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.pipelines import run_piped
from svcsim.nodes.shell.pipes import PipeBuffer
from svcsim.nodes.shell.process import ExitError, Work, World
from svcsim.nodes.shell.redirections import Redirected
from svcsim.nodes.shell.running_shell import Commands, RunningShell
from svcsim.nodes.shell.scanner import ShellSyntaxError, UnfinishedError
from svcsim.nodes.shell.scripts import read_script
from svcsim.nodes.shell.simple_commands import run_simple_command
from svcsim.nodes.shell.streams import Streams, Write
from svcsim.nodes.shell.syntax import (
    ArithmeticCommand,
    CaseClause,
    Command,
    CommandPipeline,
    ConditionalCommand,
    FunctionDefinition,
    Group,
    IfClause,
    Script,
    SimpleCommand,
)
from svcsim.nodes.shell.traps import ERR, handle_signals, run_exit_trap, run_trap
from svcsim.nodes.shell.variables import Variables

_NO_CONDITION = nullcontext()


class TooDeepError(ExpansionError):
    """Functions, subshells or programs are nested too deeply. It ends all of them."""


@dataclass(slots=True)
class Shell:
    """One shell, or a subshell of one."""

    world: World
    commands: Commands
    work: Work
    parameters: Parameters
    variables: Variables
    depth: int = 0
    """How many functions, subshells and programs have started one another to come to this one."""
    is_subshell: bool = False
    is_first: bool = False
    """True for the container's main shell, the one that receives signals sent to the container."""
    traps: dict[str, str] = field(default_factory=dict)
    """Actions by the names of their signals; an empty action ignores the signal."""
    functions: dict[str, FunctionDefinition] = field(default_factory=dict)
    jobs: Jobs = field(init=False)
    nested_traces: int = 0
    """How many command substitutions it runs in, as the prompt of ``set -x`` shows."""
    stderr: Write | None = None
    """The standard error of the last simple command."""
    _conditions: int = 0
    """Depth of nested conditions (``if``, ``&&``, ``!``), in which ``set -e`` doesn't apply."""

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.world, self.work)

    @property
    def status(self) -> int:
        """The exit code of the last command."""
        return self.parameters.status

    @status.setter
    def status(self, code: int) -> None:
        self.parameters.status = code

    @property
    def directory(self) -> str:
        """The working directory."""
        return self.parameters.directory

    # From its start to its end.

    @contextmanager
    def at_work(self, pid: int | None) -> Iterator[None]:
        """While it runs as a process: a new one, or one that it replaces and whose process id it takes over."""
        self.parameters.pid, self.is_subshell = self.work.new_pid() if pid is None else pid, False
        own = str(self.parameters.pid)
        self.work.shells.setdefault(own, [])
        try:
            yield
        finally:
            self.work.shells.pop(own, None)

    async def run_text(self, text: str, streams: Streams) -> int:
        """Run a script; returns its exit code. Errors are printed."""
        try:
            await self.effort(len(text))
            return await self.run(await read_script(text, bash=self.parameters.is_bash), streams)
        except ExitError as error:
            return error.code
        except (ShellSyntaxError, ExpansionError) as error:
            if isinstance(error, UnsetError) and error.name.isupper():
                self.work.observer.puzzled(str(error))  # the real image may set it
            await self.say_error(streams, str(error))
            return NOT_FOUND if self.parameters.is_bash and isinstance(error, UnsetError) else SYNTAX
        except ReturnError as error:
            return error.status
        except BreakError:
            return self.status

    async def run_line(self, text: str, streams: Streams, *, is_last: bool = False) -> None:
        """Run a command as it is typed. Raises `ExitError` at the end of the shell, and `UnfinishedError` if another line is needed."""
        try:
            await self.run(await read_script(text, bash=self.parameters.is_bash, more_may_come=not is_last), streams)
        except UnfinishedError:
            raise
        except (ShellSyntaxError, ExpansionError) as error:
            await self.say_error(streams, str(error))
            self.status = SYNTAX
        except (BreakError, ReturnError):
            pass  # there is nothing to leave

    async def end(self, status: int, streams: Streams) -> int:
        """Run the trap for the end of the shell; returns the exit code, which the trap may change."""
        return await run_exit_trap(self, status, streams)

    def release(self) -> None:
        """Give back the memory of its variables."""
        self.variables.release()

    # Scripts, pipelines and commands.

    async def run(self, script: Script, streams: Streams) -> int:
        """Run a script; returns its exit code. Raises `ExitError`, `ExpansionError`, `BreakError`, `ReturnError`."""
        parameters = self.parameters
        for index, item in enumerate(script):
            if (item.operator == "&&" and parameters.status != 0) or (item.operator == "||" and parameters.status == 0):
                continue
            if item.operator == "||":
                self.work.missed = ""  # the script expects that it may not be there
            parameters.line = parameters.lines_before + item.line
            is_tested = index + 1 < len(script) and script[index + 1].operator != ";"
            with self._in_condition() if is_tested else _NO_CONDITION:
                running = self._in_background if item.in_background else self._pipeline
                parameters.status = await running(item.pipeline, streams)
            await handle_signals(self, streams)
            if parameters.status and not self._conditions and not is_tested and not item.pipeline.negated:
                if ERR in self.traps:
                    parameters.line = parameters.lines_before + item.line
                    await run_trap(self, ERR, streams)
                if ERREXIT in parameters.options:
                    raise ExitError(parameters.status)
        return parameters.status

    async def run_condition(self, script: Script, streams: Streams) -> bool:
        """Run the condition of an ``if`` or a loop; returns whether it holds."""
        with self._in_condition():
            try:
                return await self.run(script, streams) == 0
            finally:
                self.work.missed = ""

    @contextmanager
    def _in_condition(self) -> Iterator[None]:
        """While commands run that may fail without effect on the shell."""
        self._conditions += 1
        try:
            yield
        finally:
            self._conditions -= 1

    async def _pipeline(self, pipeline: CommandPipeline, streams: Streams) -> int:
        if not pipeline.negated:
            return await self._commands(pipeline.commands, streams)
        with self._in_condition():
            return int(await self._commands(pipeline.commands, streams) == 0)

    def _commands(self, commands: tuple[Command, ...], streams: Streams) -> Awaitable[int]:
        return self.carry_out(commands[0], streams) if len(commands) == 1 else run_piped(self, commands, streams)

    async def _in_background(self, pipeline: CommandPipeline, streams: Streams) -> int:
        """Run a background command to completion at once, except ``sleep``, of which only the end is recorded."""
        command = pipeline.commands[0]
        if not isinstance(command, SimpleCommand):
            raise ExpansionError("only single commands are simulated in the background")
        words = await self.expander().words(command.words)
        if words[:1] == ["exec"]:
            words = words[1:]
        now, status = self.world.now(), 0
        if words[:1] == ["sleep"]:
            ends_at, status = sleep_as_job(words[1:], now)
        elif words and (words[0] == "tail" or words[0] in self.functions):
            raise ExpansionError(f"{words[0]}: not simulated in the background")
        else:
            silent = streams._replace(read=_nothing)
            ends_at, status = now, await self.in_subshell(lambda inner: inner.carry_out(command, silent), silent)
        self.parameters.latest_job = str(self.jobs.add(ends_at, status).pid)
        return 0

    async def carry_out(self, command: Command, streams: Streams) -> int:
        """Run one command; returns its exit code. Raises as `run` does."""
        await self.work.step(self.world)
        if isinstance(command, SimpleCommand):
            return await run_simple_command(self, command, streams)
        async with Redirected(self, command, streams) as redirected:
            if redirected.streams is None:
                return 1
            streams = redirected.streams
            match command:
                case Group(body, subshell=True):
                    return await self.in_subshell(lambda inner: inner.run(body, streams), streams)
                case Group(body):
                    return await self.run(body, streams)
                case IfClause():
                    return await run_if(self, command, streams)
                case CaseClause():
                    return await run_case(self, command, streams)
                case FunctionDefinition():
                    define_function(self, command)
                    return 0
                case ConditionalCommand():
                    return 0 if await holds(self, command.test, streams) else 1
                case ArithmeticCommand():
                    return 0 if await self.expander().number(command.expression) else 1
                case _:
                    return await run_loop(self, command, streams)

    def start(
        self, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None = None
    ) -> Awaitable[int]:
        """Run a program, see `start_program`."""
        return start_program(self, words, streams, environment, directory, pid)

    # Subshells.

    async def in_subshell(self, doing: Callable[[RunningShell], Awaitable[int]], streams: Streams) -> int:
        """Have a subshell run something; returns its exit code."""
        with self.forked() as inner:
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
    def forked(self) -> "Iterator[Shell]":
        """A subshell, for as long as it runs. Raises `TooDeepError`."""
        self.check_depth()
        parameters = replace(self.parameters)
        inner = replace(
            self,
            parameters=parameters,
            variables=self.variables.forked(parameters),
            depth=self.depth + 1,
            is_subshell=True,
            is_first=False,
            traps={},
            functions=dict(self.functions),
        )
        try:
            yield inner
        finally:
            inner.release()

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """While a function, a trap or ``eval`` runs. Raises `TooDeepError`."""
        self.check_depth()
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def check_depth(self) -> None:
        """Raises `TooDeepError` if nothing may be nested any deeper."""
        if self.depth >= limits.SHELL_LEVELS:
            raise TooDeepError("Maximum function recursion depth exceeded")

    # Words and output.

    def expander(self) -> Expander:
        """Expands words with the variables and parameters of now."""
        return Expander(self.variables, self.parameters, self.world.tree, self._output, self.effort)

    async def _output(self, text: str) -> str:
        """The output of a script, for a command substitution."""
        buffer = PipeBuffer(self.work.memory)
        try:
            with self.forked() as inner:
                inner.nested_traces += 1 if self.parameters.is_bash else 0
                inner.parameters.lines_before = self.parameters.line - 1
                self.status = await inner.run_text(text, Streams(_nothing, buffer.write, self._complain))
            if buffer.size_bytes > limits.SHELL_MOST_SAID_BYTES:
                raise ExpansionError(NO_ROOM)
            return b"".join(buffer.pieces).decode("utf-8", "surrogateescape")
        finally:
            buffer.release()

    async def _complain(self, data: bytes) -> None:
        """Write to the standard error of the last simple command, which is that of its command substitutions, too."""
        if self.stderr is not None:
            await self.stderr(data)

    async def say_error(self, streams: Streams, what: str) -> None:
        """Print an error in the shell's own name."""
        self.work.complained(what, self.world)
        await streams.complain(f"{self.parameters.name}: {what}\n".encode("utf-8", "surrogateescape"))

    async def effort(self, size_bytes: int) -> None:
        """See `Work.effort`."""
        await self.work.effort(self.world, size_bytes)


async def _nothing() -> bytes:
    return b""
