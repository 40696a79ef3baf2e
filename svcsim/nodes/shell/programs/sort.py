"""``sort``: lines in their order."""

import heapq
import re
from collections.abc import Callable

from svcsim import limits
from svcsim.nodes.shell.process import Process, Program, Saying, Usage


async def sort(process: Process) -> int:
    flags, paths = process.flags("nru", "kt")
    key, backwards = _key(flags), "r" in flags
    pieces: list[list[bytes]] = []
    for path in paths or ["-"]:
        async for lines in process.lines(await process.content(path)):
            process.hold(sum(map(len, lines)) + limits.SHELL_PIECE_COSTS_BYTES * len(lines))
            pieces.append(sorted(lines, key=key, reverse=backwards))
    said, before = Saying(process), None
    for line in heapq.merge(*pieces, key=key, reverse=backwards):
        if line != before or "u" not in flags:
            await said.add(line.decode("utf-8", "surrogateescape") + "\n")
        before = line
    await said.flush()
    return 0


def _key(flags: dict[str, str]) -> Callable[[bytes], tuple[float, bytes, bytes]]:
    """By what lines are sorted: a number, the text of a field, the whole line. Raises `Usage`."""
    wanted = _FIELDS.fullmatch(flags.get("k", "1"))
    if wanted is None:
        raise Usage("such a key isn't simulated here")
    first, last, separator = int(wanted[1]), int(wanted[2] or 0), flags.get("t", "").encode()
    by_number = "n" in flags or "n" in wanted[3]

    def key(line: bytes) -> tuple[float, bytes, bytes]:
        field = line
        if "k" in flags:
            field = (separator or b" ").join(line.split(separator or None)[first - 1 : last or None])
        return (_number(field), b"", line) if by_number else (0.0, field, line)

    return key


_FIELDS = re.compile(r"([1-9]\d{0,3})(?:,([1-9]\d{0,3}))?(n?)")


def _number(text: bytes) -> float:
    found = re.match(rb"\s*(-?\d{1,18}(?:\.\d{1,18})?)", text)
    return float(found[1]) if found else 0.0


SORT: dict[str, Program] = {"sort": sort}
