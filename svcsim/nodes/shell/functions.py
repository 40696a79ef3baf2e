"""Functions that a script defines."""

from svcsim import limits
from svcsim.nodes.shell.control_flow import ReturnError
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import FunctionDefinition


def define_function(shell: RunningShell, function: FunctionDefinition) -> None:
    """Add a function, or replace it. Raises `ExpansionError` if there is no memory for it."""
    former = shell.functions.get(function.name)
    more_chars = function.size_chars - (0 if former is None else former.size_chars)
    shell.variables.hold(limits.SHELL_PIECE_COSTS_BYTES * more_chars)
    shell.functions[function.name] = function


async def call_function(shell: RunningShell, function: FunctionDefinition, words: list[str], streams: Streams) -> int:
    """Run a function with its own positional parameters; returns its exit code."""
    arguments, shell.parameters.arguments = shell.parameters.arguments, words[1:]
    try:
        with shell.variables.scope(), shell.deeper(), shell.parameters.counting_lines(0):
            return await shell.carry_out(function.body, streams)
    except ReturnError as error:
        return error.status
    finally:
        shell.parameters.arguments = arguments
