"""``awk``, as far as people pick words out of lines with it: ``awk -F: '{print $1, $NF}'``."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.process import Process, Saying, Usage
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import NO_MEMORY, FileError

_PRINTS = re.compile(r"\s*\{\s*print([^{}]*)\}\s*")
_ITEM = re.compile(r"\$(\d{1,4}|NF)|\"([^\"\\]*)\"")


class _Picking(NamedTuple):
    items: tuple[re.Match[str], ...]
    separator: str | None
    paths: tuple[str, ...]


def _is_understood(args: Sequence[str]) -> bool:
    """Whether it does what is simulated here, when it is called so."""
    return _read(args) is not None


def _read(args: Sequence[str]) -> _Picking | None:
    words, separator = list(args), None
    while words and words[0].startswith("-F"):
        given = words.pop(0)[2:]
        separator = given or (words.pop(0) if words else "")
    prints = _PRINTS.fullmatch(words[0]) if words else None
    if prints is None or separator == "":
        return None
    printed = prints[1].strip().removesuffix(";").rstrip()
    items = [_ITEM.fullmatch(item.strip()) for item in printed.split(",")] if printed else []
    found = tuple(item for item in items if item is not None)
    return _Picking(found, separator, tuple(words[1:])) if len(found) == len(items) else None


async def awk(process: Process) -> int:
    picking = _read(process.args)
    if picking is None:
        raise Usage("only '{print $N, …}' is simulated here")
    said = Saying(process)
    for path in picking.paths or ("-",):
        async for lines in process.lines(await process.content(path)):
            for line in lines:
                if len(line) > limits.SHELL_TEXT_CHARS:
                    raise FileError(NO_MEMORY)
                before = ""
                for word in _picked(line.decode("utf-8", "surrogateescape"), picking):
                    await said.add(f"{before}{word}")
                    before = " "
                await said.add("\n")
    await said.flush()
    return 0


def _picked(line: str, picking: _Picking) -> Iterator[str]:
    """What is printed of a line."""
    words = line.split(picking.separator) if picking.items else []
    for item in picking.items:
        number = len(words) if item[1] == "NF" else int(item[1] or 0)
        yield item[2] if item[1] is None else line if number == 0 else words[number - 1] if number <= len(words) else ""
    if not picking.items:
        yield line


AWK: dict[str, SimulatedProgram] = {
    "awk": SimulatedProgram(awk, understands=_is_understood, reads_beside=1, without_end="reads on"),
}
