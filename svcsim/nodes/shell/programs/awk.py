"""``awk``, as far as people pick words out of lines with it: ``awk -F: '{print $1, $NF}'``."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from svcsim.nodes.shell.process import Process, Program, Usage

_PRINTS = re.compile(r"\s*\{\s*print\s*([^{}]*?)\s*;?\s*\}\s*")
_ITEM = re.compile(r"\$(\d{1,4}|NF)|\"([^\"\\]*)\"")


class _Picking(NamedTuple):
    items: tuple[re.Match[str], ...]
    separator: str | None
    paths: tuple[str, ...]


def is_understood(args: Sequence[str]) -> bool:
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
    items = [_ITEM.fullmatch(item.strip()) for item in prints[1].split(",")] if prints[1] else []
    found = tuple(item for item in items if item is not None)
    return _Picking(found, separator, tuple(words[1:])) if len(found) == len(items) else None


async def awk(process: Process) -> int:
    picking = _read(process.args)
    if picking is None:
        raise Usage("only '{print $N, …}' is simulated here")
    for path in picking.paths or ("-",):
        content = await process.content(path)
        said = [_picked(line, picking) for line in content.decode("utf-8", "surrogateescape").splitlines()]
        await process.say("".join(f"{line}\n" for line in said))
    return 0


def _picked(line: str, picking: _Picking) -> str:
    words = line.split(picking.separator)

    def one(item: re.Match[str]) -> str:
        if item[1] is None:
            return item[2]
        number = len(words) if item[1] == "NF" else int(item[1])
        return line if number == 0 else words[number - 1] if number <= len(words) else ""

    return " ".join(map(one, picking.items)) if picking.items else line


AWK: dict[str, Program] = {"awk": awk}
