"""Evaluates ``[[ … ]]``: tests of files, numbers, patterns and regular expressions."""

from svcsim.nodes.shell.arithmetic import SumError, evaluate
from svcsim.nodes.shell.execution import start_in_place
from svcsim.nodes.shell.expansion import ExpansionError
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.options import XTRACE
from svcsim.nodes.shell.regular import RegularError, groups_found
from svcsim.nodes.shell.running_shell import RunningShell
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.syntax import CompoundTest, TestExpression
from svcsim.nodes.shell.tracing import trace

_OF_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_NUMBER_OF_WORDS = {"-z": False, "-n": True, "": True}
_MATCHED = "BASH_REMATCH"


async def holds(shell: RunningShell, test: TestExpression | CompoundTest, streams: Streams) -> bool:
    """Whether a test holds. Raises `ExpansionError`."""
    if isinstance(test, TestExpression):
        return await _one_holds(shell, test, streams)
    if test.operator == "!":
        return not await holds(shell, test.parts[0], streams)
    for part in test.parts:
        if await holds(shell, part, streams) is (test.operator == "||"):
            return test.operator == "||"
    return test.operator == "&&"


async def _one_holds(shell: RunningShell, test: TestExpression, streams: Streams) -> bool:
    value = await shell.expander().text(test.words[0])
    if XTRACE in shell.parameters.options and len(test.words) == 1:
        await trace(shell, streams, "[[", test.operator or "-n", value or "''", "]]")
    if test.operator in _NUMBER_OF_WORDS:
        return bool(value) is _NUMBER_OF_WORDS[test.operator]
    if test.operator == "-v":
        return shell.variables.get(value) is not None
    if len(test.words) == 1:
        return await start_in_place(shell, ["test", test.operator, value], streams) == 0
    if test.operator == "=~":
        expression = await shell.expander().regular(test.words[1])
        await _trace_two(shell, streams, value, test.operator, expression)
        return await _matched(shell, value, expression)
    if test.operator in {"=", "==", "!="}:
        pattern = await shell.expander().pattern(test.words[1])
        await _trace_two(shell, streams, value, test.operator, pattern)
        return await matches(Glob(pattern), value, shell.effort) is (test.operator != "!=")
    other = await shell.expander().text(test.words[1])
    await _trace_two(shell, streams, value, test.operator, other)
    if test.operator in {"<", ">"}:
        return value < other if test.operator == "<" else value > other
    if test.operator in _OF_NUMBERS:
        try:
            value, other = (str(evaluate(text, shell.variables)) for text in (value, other))
        except SumError as error:
            raise ExpansionError(f"[[: {error}") from None
    return await start_in_place(shell, ["test", value, test.operator, other], streams) == 0


async def _trace_two(shell: RunningShell, streams: Streams, value: str, operator: str, other: str) -> None:
    if XTRACE in shell.parameters.options:
        await trace(shell, streams, "[[", value or "''", operator, other or "''", "]]")


async def _matched(shell: RunningShell, value: str, expression: str) -> bool:
    """Whether a regular expression matches. Its groups are assigned to ``BASH_REMATCH``."""
    try:
        found = await groups_found(expression, value, shell.effort)
    except RegularError as error:
        raise ExpansionError(f"[[: {error}") from None
    shell.variables.set_array(_MATCHED, found or [])
    return found is not None
