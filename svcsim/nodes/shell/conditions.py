"""What ``[[ … ]]`` finds: files, numbers, texts that match patterns or regular expressions."""

from typing import Protocol

from svcsim.nodes.shell.expansion import Expander, ExpansionError
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.options import XTRACE
from svcsim.nodes.shell.regular import RegularError, searched
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.shell.sums import SumError, worked_out
from svcsim.nodes.shell.syntax import CompoundTest, TestExpression

_OF_NUMBERS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_NUMBER_OF_WORDS = {"-z": False, "-n": True, "": True}
_MATCHED = "BASH_REMATCH"


class Testing(Protocol):
    """The shell that asks."""

    directory: str

    @property
    def options(self) -> frozenset[str]: ...

    async def trace(self, streams: Streams, *words: str) -> None: ...

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...

    def set_all(self, name: str, values: list[str]) -> None:
        """Have a list of values."""
        ...

    def environment(self) -> dict[str, str]: ...

    def expander(self) -> Expander: ...

    async def effort(self, size_bytes: int) -> None: ...

    async def start(self, words: list[str], streams: Streams, environment: dict[str, str], directory: str) -> int: ...


async def holds(shell: Testing, test: TestExpression | CompoundTest, streams: Streams) -> bool:
    """Whether it is so. Raises `ExpansionError`."""
    if isinstance(test, TestExpression):
        return await _one_holds(shell, test, streams)
    if test.operator == "!":
        return not await holds(shell, test.parts[0], streams)
    for part in test.parts:
        if await holds(shell, part, streams) is (test.operator == "||"):
            return test.operator == "||"
    return test.operator == "&&"


async def _one_holds(shell: Testing, test: TestExpression, streams: Streams) -> bool:
    value = await shell.expander().text(test.words[0])
    if XTRACE in shell.options and len(test.words) == 1:
        await shell.trace(streams, "[[", test.operator or "-n", value or "''", "]]")
    if test.operator in _NUMBER_OF_WORDS:
        return bool(value) is _NUMBER_OF_WORDS[test.operator]
    if test.operator == "-v":
        return shell.get(value) is not None
    if len(test.words) == 1:
        return await shell.start(["test", test.operator, value], streams, shell.environment(), shell.directory) == 0
    if test.operator == "=~":
        expression = await shell.expander().regular(test.words[1])
        await _trace_two(shell, streams, value, test.operator, expression)
        return _matched(shell, value, expression)
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
            value, other = (str(worked_out(text, shell)) for text in (value, other))
        except SumError as error:
            raise ExpansionError(f"[[: {error}") from None
    return await shell.start(["test", value, test.operator, other], streams, shell.environment(), shell.directory) == 0


async def _trace_two(shell: Testing, streams: Streams, value: str, operator: str, other: str) -> None:
    if XTRACE in shell.options:
        await shell.trace(streams, "[[", value or "''", operator, other or "''", "]]")


def _matched(shell: Testing, value: str, expression: str) -> bool:
    """Whether a regular expression is found; what its groups are is known from then on."""
    try:
        found = searched(expression, value)
    except RegularError as error:
        raise ExpansionError(f"[[: {error}") from None
    shell.set_all(_MATCHED, [] if found is None else [found[0], *(group or "" for group in found.groups())])
    return found is not None
