"""Starts programs and script files by the names of their commands."""

import posixpath
import re
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from functools import partial

from svcsim import limits
from svcsim.nodes.shell.exit_codes import MISUSE, NOT_EXECUTABLE, NOT_FOUND, TROUBLE
from svcsim.nodes.shell.process import Process, Usage, World
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.tree import FileError, Node, resolve
from svcsim.nodes.shell.variables import Variables

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ANSWERING = frozenset(("grep", "sort", "test", "[", "[["))
"""Programs that answer no with 1."""
_FOR_BASH = re.compile(r"#!.*\bbash\b")
"""The first line of a script file for bash."""


async def start_program(
    shell: RunningShell, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None
) -> int:
    """Run a program or a script file by its name or path; returns its exit code.

    ``pid`` is its process id if it replaces another process (``exec``).
    """
    shell.check_depth()
    name = words[0]
    node, path = find_program(shell.world, name, environment, directory)
    if node is None:
        await shell.say_error(streams, f"{name}: not found")
        return NOT_FOUND
    if node.is_directory or not node.mode & 0o111:
        await shell.say_error(streams, f"{name}: Permission denied")
        return NOT_EXECUTABLE
    program_name = posixpath.basename(path)
    program = shell.commands.programs.get(program_name) if node.program else None
    if program is None:
        return await _run_script_file(shell, path, words, streams, environment, directory, pid)
    process = Process(
        posixpath.basename(name),
        words[1:],
        streams,
        environment,
        directory,
        shell.world,
        shell.work,
        partial(_start_from_program, shell, pid),
        shell.depth + 1,
        name,
        pid,
        parent_pid=shell.parameters.pid if pid is None else shell.parameters.parent_pid,
        umask=shell.parameters.umask,
    )
    try:
        return await program(process)
    except Usage as error:
        shell.work.observer.puzzled(str(error))
        await process.complain(str(error))
        return _code_for_wrong(program_name)
    except FileError as error:
        await process.complain(f"{error.path}: {error}" if error.path else str(error))
        return _code_for_wrong(program_name)
    finally:
        shell.work.memory.take(-process.held_bytes)


def _code_for_wrong(program_name: str) -> int:
    """The exit code of a program that can't do what it is asked to."""
    return TROUBLE if program_name in _ANSWERING else MISUSE


def start_in_place(shell: RunningShell, words: list[str], streams: Streams, pid: int | None = None) -> Awaitable[int]:
    """Run a program with the environment and the working directory of the shell."""
    return shell.start(words, streams, shell.variables.environment(), shell.parameters.directory, pid)


async def _start_from_program(
    shell: RunningShell, pid: int | None, words: list[str], streams: Streams, environment: dict[str, str], directory: str
) -> int:
    """Run a program that another program starts, and that may replace it under this process id."""
    with shell.forked() as inner:
        return await inner.start(words, streams, environment, directory, pid)


async def _run_script_file(
    shell: RunningShell, path: str, words: list[str], streams: Streams, environment: dict[str, str], directory: str, pid: int | None
) -> int:
    """Run a file as a script, in a shell of its own that has nothing but the environment from this one."""
    content = (await shell.world.tree.find(path).read()).decode("utf-8", "surrogateescape")
    with shell.forked() as inner:
        inner.parameters = replace(
            inner.parameters,
            name=words[0],
            arguments=words[1:],
            directory=directory,
            options=frozenset(),
            latest_job="",
            lines_before=0,
            is_bash=_FOR_BASH.match(content) is not None if content.startswith("#!") else shell.parameters.is_bash,
        )
        inner.variables = Variables.inherited(environment, inner.parameters, inner.world, inner.work)
        inner.functions = {}
        with inner.at_work(pid):
            return await inner.end(await inner.run_text(content, streams), streams)


def find_program(world: World, name: str, environment: Mapping[str, str], directory: str) -> tuple[Node | None, str]:
    """The file that the name of a command leads to, and its path; None if there is none."""
    if not name:
        return None, ""
    paths = [name] if "/" in name else [f"{place or '.'}/{name}" for place in environment.get("PATH", DEFAULT_PATH).split(":")]
    for path in paths[: limits.SHELL_LEVELS]:
        absolute = path if path.startswith("/") and "/" not in name else resolve(path, directory)
        try:
            node = world.tree.find(absolute)
        except FileError:
            continue
        if "/" in name or not node.is_directory:
            return node, absolute
    return None, ""
