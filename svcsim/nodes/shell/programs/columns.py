"""Programs that take lines apart and put them together again: ``cut``, ``tr``, ``uniq``, ``rev``, ``tac``."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.escapes import unescaped
from svcsim.nodes.shell.process import Process, Saying, Usage
from svcsim.nodes.shell.programs.contents import content_or_complaint
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import ANYTHING, SimulatedProgram
from svcsim.nodes.shell.tree import NO_MEMORY, FileError, naming

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


_CUT = (
    Option("f", "fields", takes_value=True), Option("c", "characters", takes_value=True), Option("b", "bytes", takes_value=True),
    Option("d", "delimiter", takes_value=True), Option("", "output-delimiter", takes_value=True), Option("s", "only-delimited"),
    Option("", "complement"), Option("n", "n"),  # -n: characters are never taken apart
)  # fmt: skip


async def cut(process: Process) -> int:
    options = read_options(process.args, _CUT)
    kinds = [word for word in ("fields", "characters", "bytes") if word in options]
    if len(kinds) != 1:
        raise Usage("only one list may be specified" if kinds else "expected a list of bytes, characters, or fields")
    ranges, delimiter, said = _ranges(options.last(kinds[0])), options.last("delimiter", "\t"), Saying(process)
    ranges = _others(ranges) if "complement" in options else ranges
    if len(delimiter) != 1:
        raise Usage("the delimiter must be a single character")
    between = options.last("output-delimiter", delimiter if kinds[0] == "fields" else "")
    status = 0
    for path in options.rest or ("-",):
        content = await content_or_complaint(process, path)
        if content is None:
            status = 1
            continue
        async for lines in process.lines(content):
            for each in lines:
                text = _line(each)
                if kinds[0] != "fields":
                    await said.add(between.join(_pieces(text, kinds[0], ranges)) + "\n")
                elif delimiter in text:
                    parts = text.split(delimiter)
                    await said.add(between.join(part for one in ranges for part in parts[one.first - 1 : one.last]) + "\n")
                elif "only-delimited" not in options:
                    await said.add(f"{text}\n")
    await said.flush()
    return status


def _pieces(line: str, kind: str, ranges: Sequence[_Range]) -> list[str]:
    """Those characters, or bytes, of a line that there are."""
    if kind == "characters":
        return [piece for one in ranges if (piece := line[one.first - 1 : one.last])]
    data = line.encode("utf-8", "surrogateescape")
    cut_out = (data[one.first - 1 : one.last] for one in ranges)
    return [piece.decode("utf-8", "surrogateescape") for piece in cut_out if piece]


def _others(ranges: Sequence[_Range]) -> tuple[_Range, ...]:
    """What is in none of the ranges."""
    starts, ends = [1, *(one.last + 1 for one in ranges)], [*(one.first - 1 for one in ranges), _TO_THE_END]
    return tuple(_Range(first, last) for first, last in zip(starts, ends, strict=True) if first <= last)


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


_TR = (
    Option("c", "c"), Option("C", "c"), Option("d", "d"), Option("s", "s"), Option("t", "t"),
)  # fmt: skip


async def translate(process: Process) -> int:
    """``tr [-cdst] SET [SET]``."""
    flags = read_options(process.args, _TR, leading=True)
    sets = flags.rest
    if not sets or (len(sets) == 1 and "d" not in flags and "s" not in flags):
        raise Usage("missing operand")
    if len(sets) > 2 or (len(sets) == 2 and "d" in flags and "s" not in flags):
        raise Usage(f"extra operand '{sets[-1]}'")
    first = _characters(sets[0])
    if "c" in flags:
        first = bytes(one for one in range(_BYTES) if one not in set(first))
    second = _characters(sets[1]) if len(sets) > 1 else b""
    first = first[: len(second)] if "t" in flags and second else first
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


_UNIQ = (
    Option("c", "count"), Option("d", "repeated"), Option("u", "unique"), Option("i", "ignore-case"), Option("D", "all-repeated"),
    Option("f", "skip-fields", takes_value=True), Option("s", "skip-chars", takes_value=True), Option("w", "check-chars", takes_value=True),
)  # fmt: skip
_FIELD = re.compile(rb"\s*\S*")


async def uniq(process: Process) -> int:
    """``uniq [FROM [TO]]``."""
    options = read_options(process.args, _UNIQ)
    if len(options.rest) > 2:
        raise Usage(f"extra operand '{options.rest[2]}'")
    skipped, chars, width = (_count(options.last(word, other)) for word, other in _COUNTS)
    said, told = Saying(process), list[str]()
    same, times, before = list[bytes](), 0, b""
    async for lines in process.lines(await process.content(options.rest[0] if options.rest else "-")):
        for line in lines:
            compared = _compared(line, skipped, chars, width)
            compared = compared.lower() if "ignore-case" in options else compared
            if times and compared == before:
                times += 1
                if "all-repeated" in options:
                    process.hold(len(line) + limits.SHELL_PIECE_COSTS_BYTES)
                    same.append(line)
                continue
            told += _told(same, times, options)
            same, times, before = [line], 1, compared
            if len(options.rest) < 2:
                for one in told:
                    await said.add(one)
                told = []
    told += _told(same, times, options)
    if len(options.rest) > 1:
        with naming(options.rest[1]):
            content = "".join(told).encode("utf-8", "surrogateescape")
            await process.put(options.rest[1], content)
        return 0
    for one in told:
        await said.add(one)
    await said.flush()
    return 0


_COUNTS = (("skip-fields", "0"), ("skip-chars", "0"), ("check-chars", str(_TO_THE_END)))


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > len(str(_TO_THE_END)):
        raise Usage(f"{text}: invalid number")
    return int(text)


def _compared(line: bytes, skipped: int, chars: int, width: int) -> bytes:
    """The part of a line by which it is the same as another."""
    at = 0
    for _ in range(min(skipped, len(line))):
        found = _FIELD.match(line, at)
        at = found.end() if found else at
    return line[at + chars : at + chars + width]


def _told(lines: list[bytes], times: int, options: Options) -> list[str]:
    """What is said of a line that came so often, if it is asked for; ``lines`` are all of them where all are wanted."""
    repeated = "repeated" in options or "all-repeated" in options
    if not lines or (repeated and times == 1) or ("unique" in options and times > 1):
        return []
    count = f"{times:>7} " if "count" in options else ""
    return [f"{count}{line.decode('utf-8', 'surrogateescape')}\n" for line in lines]


async def reverse(process: Process) -> int:
    """``rev``: each line from its end to its beginning."""
    said = Saying(process)
    for path in read_options(process.args, ()).rest or ("-",):
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
    for path in read_options(process.args, ()).rest or ("-",):
        pieces: list[list[bytes]] = []
        async for lines in process.lines(await process.content(path)):
            process.hold(sum(map(len, lines)) + limits.SHELL_PIECE_COSTS_BYTES * len(lines))
            pieces.append(lines)
        for lines in reversed(pieces):
            for line in reversed(lines):
                await said.add(line.decode("utf-8", "surrogateescape") + "\n")
    await said.flush()
    return 0


COLUMNS: dict[str, SimulatedProgram] = {
    "cut": SimulatedProgram(cut, reads_beside=0, without_end="reads on"),
    "tr": SimulatedProgram(translate, reads_beside=ANYTHING, without_end="passes on"),
    "uniq": SimulatedProgram(uniq, reads_beside=0, without_end="reads on"),
    "rev": SimulatedProgram(reverse, reads_beside=0, without_end="reads on"),
    "tac": SimulatedProgram(backwards, reads_beside=0, without_end="reads on"),
}
