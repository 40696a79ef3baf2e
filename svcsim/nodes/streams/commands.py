"""Commands that run in a container for a client (`exec`), or the container's own shell (`attach`): from first word to exit code."""

import asyncio
import posixpath

from svcsim import limits
from svcsim.meta.streaming import CommandClient
from svcsim.meta.types import Object
from svcsim.nodes.containers.lives import Life
from svcsim.nodes.images.base_image import not_started, not_there
from svcsim.nodes.shell.execution import find_program
from svcsim.nodes.shell.exit_codes import KILLED, NOT_EXECUTABLE, NOT_FOUND
from svcsim.nodes.shell.expansion import ARGUMENTS_TOO_LONG, ExpansionError
from svcsim.nodes.shell.interpreter import Shell
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.parameters import Parameters
from svcsim.nodes.shell.process import ExitError, Work
from svcsim.nodes.shell.programs.shells import COMMANDS
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.tree import Disk
from svcsim.nodes.shell.variables import Variables
from svcsim.nodes.streams.running import Running
from svcsim.nodes.streams.world import Inside

INTERRUPTED = 130
_OUT_OF_MEMORY = 2
_OUT_OF_STACK = 139


async def run_command(words: list[str], inside: Inside, client: CommandClient) -> int:
    """Run a command for a client; gives its exit code."""
    streams = Streams(client.read, client.write, client.write_error)
    if not client.wanted.tty:
        return await _run(words, inside, streams)
    terminal = Terminal(streams)
    inside.world.terminal = terminal
    variables = {**inside.environment, "TERM": "xterm"}
    async with asyncio.TaskGroup() as tasks:
        helpers = [tasks.create_task(terminal.run()), tasks.create_task(_follow_size(terminal, client))]
        try:
            code = await _in_foreground(terminal, words, inside._replace(environment=variables))
        finally:
            for helper in helpers:
                helper.cancel()
    return code


async def _in_foreground(terminal: Terminal, words: list[str], inside: Inside) -> int:
    code = KILLED

    async def run() -> None:
        nonlocal code
        code = await _run(words, inside, terminal.streams)

    try:
        await terminal.foreground(run())
    except InterruptedError:
        return INTERRUPTED
    return code


async def _follow_size(terminal: Terminal, client: CommandClient) -> None:
    while (size := await client.resized()) is not None:
        terminal.size = size


async def _run(words: list[str], inside: Inside, streams: Streams) -> int:
    return await run_words(words, inside, streams, Work(command_memory(inside)))


def command_memory(inside: Inside) -> Disk:
    """What one command has of the memory of all."""
    return Disk(2 * limits.SIMULATED_DISK_BYTES, inside.memory)


async def run_words(words: list[str], inside: Inside, streams: Streams, work: Work) -> int:
    """Run a command line; gives its exit code."""
    world, environment, directory = inside.world, inside.environment, inside.directory
    if sum(map(len, words)) > limits.SHELL_TEXT_CHARS:
        await streams.complain(f"exec: {ARGUMENTS_TOO_LONG}\n".encode())
        return NOT_EXECUTABLE
    wrong, code = _not_runnable(words[0], inside)
    if wrong:
        await streams.complain(f"{not_started(words[0], wrong)}\n".encode("utf-8", "replace"))
        return code
    parameters = Parameters(posixpath.basename(words[0]), directory=directory)
    shell = Shell(world, COMMANDS, work, parameters, Variables.inherited(environment, parameters, world, work))
    try:
        return await shell.start(words, streams, environment, directory, work.pid)
    except ExitError as error:
        return error.code
    except ExpansionError as error:
        await shell.say_error(streams, str(error))
        return _OUT_OF_MEMORY
    except RecursionError:  # what real programs die of, too, whose stack is used up
        await streams.complain(b"Segmentation fault\n")
        return _OUT_OF_STACK


def _not_runnable(name: str, inside: Inside) -> tuple[str, int]:
    """Why a runtime can't start a program, in its words, and the exit code that stands for it."""
    node, _ = find_program(inside.world, name, inside.environment, inside.directory)
    if node is None:
        return not_there(name), NOT_FOUND
    if node.is_directory:
        return "is a directory", NOT_EXECUTABLE
    return ("permission denied", NOT_EXECUTABLE) if not node.mode & 0o111 else ("", 0)


async def unless_it_ends(running: Running, life: Life, doing: "asyncio.Task[int]") -> int:
    """What is being done in a container, which is killed with it."""
    over = asyncio.get_running_loop().create_task(life.until(lambda pod: not running.goes_on_in(pod)))
    try:
        await asyncio.wait((doing, over), return_when=asyncio.FIRST_COMPLETED)
        return doing.result() if doing.done() else KILLED
    finally:
        for task in (doing, over):
            task.cancel()
        await asyncio.wait((doing, over))


def status_of(words: list[str], code: int) -> Object:
    """The Status that tells a client how its command ended."""
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    shown = " ".join(words)[: limits.LONG_WARNING_CHARS]
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"command terminated with non-zero exit code: error executing command [{shown}], exit code {code}",
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
