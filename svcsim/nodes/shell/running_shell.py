"""A shell as those see it that carry out one kind of its commands each."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from svcsim.nodes.shell.expansion import Expander
from svcsim.nodes.shell.jobs import Jobs
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.process import Program, Work, World
from svcsim.nodes.shell.streams import Streams, Write
from svcsim.nodes.shell.syntax import Command, FunctionDefinition, Script
from svcsim.nodes.shell.variables import Variables


class RunningShell(Protocol):
    """See `interpreter.Shell`."""

    world: World
    commands: "Commands"
    work: Work
    parameters: Parameters
    variables: Variables
    functions: dict[str, FunctionDefinition]
    traps: dict[str, str]
    jobs: Jobs
    depth: int
    is_subshell: bool
    is_first: bool
    nested_traces: int
    stderr: Write | None

    async def run(self, script: Script, streams: Streams) -> int: ...

    async def run_condition(self, script: Script, streams: Streams) -> bool: ...

    async def run_text(self, text: str, streams: Streams) -> int: ...

    async def carry_out(self, command: Command, streams: Streams) -> int: ...

    def start(
        self, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None = None
    ) -> Awaitable[int]: ...

    async def say_error(self, streams: Streams, what: str) -> None: ...

    async def effort(self, size_bytes: int) -> None: ...

    async def end(self, status: int, streams: Streams) -> int: ...

    async def in_subshell(self, doing: "Callable[[RunningShell], Awaitable[int]]", streams: Streams) -> int: ...

    def expander(self) -> Expander: ...

    def check_depth(self) -> None: ...

    def deeper(self) -> AbstractContextManager[None]: ...

    def forked(self) -> "AbstractContextManager[RunningShell]": ...

    def at_work(self, pid: int | None) -> AbstractContextManager[None]: ...


Builtin = Callable[[RunningShell, list[str], Streams], Awaitable[int]]
"""A command that changes the shell itself."""


class Commands(NamedTuple):
    """The commands that there are, by name."""

    builtins: dict[str, Builtin]
    special_builtins: frozenset[str]
    """The builtins before which assignments persist (POSIX 2.14)."""
    programs: dict[str, Program]
