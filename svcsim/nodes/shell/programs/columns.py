"""Programs that take lines apart and put them together again: ``cut``, ``tr``, ``uniq``, ``rev``, ``tac``."""

import re
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.tree import NO_MEMORY, FileError

_RANGE = re.compile(r"(\d{0,9})(-?)(\d{0,9})")
_TO_THE_END = 10**9
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
    "space": "\t\n\v\f\r ", "punct": "!-/:-@[-`{-~", "print": " -~", "graph": "!-~", "cntrl": "\0-\x1f\x7f",
}  # fmt: skip
_CLASS = re.compile(r"\[:(\w+):\]")
_BYTES = 256


class _Range(NamedTuple):
    first: int
    last: int


def _ranges(text: str) -> tuple[_Range, ...]:
    """``1,3-5,7-``. Raises `Usage`."""
    found = [_RANGE.fullmatch(part) for part in text.split(",")[: limits.SHELL_LEVELS]]
    ranges = [
        _Range(int(one[1] or 1), int(one[3] or (_TO_THE_END if one[2] else one[1]))) for one in found if one is not None and one[0] != "-"
    ]
    if len(ranges) < text.count(",") + 1 or any(not 1 <= one.first <= one.last for one in ranges):
        raise Usage(f"invalid range '{text}'")
    return _apart(sorted(ranges))


def _apart(ranges: list[_Range]) -> tuple[_Range, ...]:
    """The same without what more than one of them has."""
    found = ranges[:1]
    for one in ranges[1:]:
        if one.first <= found[-1].last:
            found[-1] = _Range(found[-1].first, max(found[-1].last, one.last))
        else:
            found.append(one)
    return tuple(found)


async def cut(process: Process) -> int:
    flags, paths = process.flags("sn", "dfcb")
    kind = next((letter for letter in "fcb" if letter in flags), None)
    if kind is None:
        raise Usage("expected a list of bytes, characters, or fields")
    ranges, delimiter, said = _ranges(flags[kind]), flags.get("d", "\t"), Saying(process)
    if len(delimiter) != 1:
        raise Usage("the delimiter must be a single character")
    for path in paths or ["-"]:
        async for lines in process.lines(await process.content(path)):
            for each in lines:
                line = _line(each)
                if kind != "f":
                    await said.add("".join(line[one.first - 1 : one.last] for one in ranges) + "\n")
                elif delimiter in line:
                    parts = line.split(delimiter)
                    await said.add(delimiter.join(part for one in ranges for part in parts[one.first - 1 : one.last]) + "\n")
                elif "s" not in flags:
                    await said.add(f"{line}\n")
    await said.flush()
    return 0


def _line(line: bytes) -> str:
    """Raises `FileError` for one for which there is no memory."""
    if len(line) > limits.SHELL_TEXT_CHARS:
        raise FileError(NO_MEMORY)
    return line.decode("utf-8", "surrogateescape")


def _characters(text: str) -> bytes:
    """A set of ``tr``'s, with its ranges and classes written out."""
    plain = unescaped(_CLASS.sub(lambda found: _CLASSES.get(found[1], found[0]), text[: limits.SHELL_TRIMMED_CHARS]))
    given, found, at = plain.encode("utf-8", "surrogateescape"), bytearray(), 0
    while at < len(given):
        if given[at + 1 : at + 2] == b"-" and at + 2 < len(given) and given[at] <= given[at + 2]:
            found += bytes(range(given[at], given[at + 2] + 1))
            at += 3
        else:
            found.append(given[at])
            at += 1
    return bytes(found)


async def translate(process: Process) -> int:
    """``tr [-cds] SET [SET]``."""
    flags, sets = process.flags("cCds")
    if not sets or len(sets) > 2 or (len(sets) == 1 and not flags.keys() & {"d", "s"}):
        raise Usage("missing operand")
    first = _characters(sets[0])
    if flags.keys() & {"c", "C"}:
        first = bytes(one for one in range(_BYTES) if one not in set(first))
    second = _characters(sets[1]) if len(sets) > 1 else b""
    removed = first if "d" in flags else b""
    table = bytearray(range(_BYTES))
    if second and "d" not in flags:
        for place, one in enumerate(first):
            table[one] = second[min(place, len(second) - 1)]
    squeezed = (second or first) if "s" in flags else b""
    repeats = re.compile(b"([" + b"".join(re.escape(bytes((one,))) for one in set(squeezed)) + rb"])\1+") if squeezed else None
    before = b""
    while piece := await process.streams.read():
        for start in range(0, len(piece), limits.SHELL_PIECE_BYTES):
            data = piece[start : start + limits.SHELL_PIECE_BYTES].translate(bytes(table), removed)
            if repeats is not None:
                kept = repeats.sub(rb"\1", data)
                data = kept[1:] if kept[:1] == before and before in squeezed and before else kept
                before = kept[-1:] or before
            await process.give(data)
            await process.effort(limits.SHELL_PIECE_BYTES)
    return 0


async def uniq(process: Process) -> int:
    flags, paths = process.flags("cdui")
    said, before, times = Saying(process), list[bytes](), 0
    async for lines in process.lines(await process.content(paths[0] if paths else "-")):
        for line in lines:
            if before and (line.lower() == before[0].lower() if "i" in flags else line == before[0]):
                times += 1
                continue
            await _tell(said, before, times, flags)
            before, times = [line], 1
    await _tell(said, before, times, flags)
    await said.flush()
    return 0


async def _tell(said: Saying, lines: list[bytes], times: int, flags: dict[str, str]) -> None:
    """Say a line that came so often, if it is asked for."""
    if lines and ("d" not in flags or times > 1) and ("u" not in flags or times == 1):
        await said.add((f"{times:>7} " if "c" in flags else "") + lines[0].decode("utf-8", "surrogateescape") + "\n")


async def reverse(process: Process) -> int:
    """``rev``: each line from its end to its beginning."""
    said = Saying(process)
    for path in process.args or ["-"]:
        end, content = "", await process.content(path)
        async for lines in process.lines(content):
            for line in lines:
                await said.add(end + _line(line)[::-1])
                end = "\n"
        await said.add("\n" if content.endswith(b"\n") else "")
    await said.flush()
    return 0


async def backwards(process: Process) -> int:
    """``tac``: the last line first."""
    said = Saying(process)
    for path in process.args or ["-"]:
        pieces: list[list[bytes]] = []
        async for lines in process.lines(await process.content(path)):
            process.hold(sum(map(len, lines)) + limits.SHELL_PIECE_COSTS_BYTES * len(lines))
            pieces.append(lines)
        for lines in reversed(pieces):
            for line in reversed(lines):
                await said.add(line.decode("utf-8", "surrogateescape") + "\n")
    await said.flush()
    return 0


COLUMNS: dict[str, Program] = {"cut": cut, "tr": translate, "uniq": uniq, "rev": reverse, "tac": backwards}
