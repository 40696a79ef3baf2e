"""``sort``: lines in their order."""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.process import Process, Saying, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.tree import naming

_ORDERS = (
    Option("n", "numeric-sort"), Option("r", "reverse"), Option("f", "ignore-case"), Option("b", "ignore-leading-blanks"),
    Option("d", "dictionary-order"), Option("h", "human-numeric-sort"), Option("V", "version-sort"), Option("g", "general-numeric-sort"),
)  # fmt: skip
"""What a key may say in one letter as well."""
_OPTIONS = (
    *_ORDERS, Option("u", "unique"), Option("s", "stable"), Option("c", "check"), Option("C", "C"), Option("k", "key", takes_value=True),
    Option("t", "field-separator", takes_value=True), Option("o", "output", takes_value=True),
    # What is sorted already comes to the same when it is sorted, and everything is done in memory.
    Option("m", "merge"), Option("S", "buffer-size", takes_value=True), Option("T", "temporary-directory", takes_value=True),
    Option("", "parallel", takes_value=True),
)  # fmt: skip
_Value = tuple[float, float, bytes]
"""By what one key of lines compares."""
_Whole = tuple[_Value, ...]


class _Place(NamedTuple):
    """A field and a character of it, both from 1; the character is 0 for the field's end."""

    field: int
    char: int
    skips_blanks: bool


class _Key(NamedTuple):
    """A part of lines, and how it compares."""

    start: _Place | None
    """None: the whole line."""
    end: _Place | None
    """None: the line's end."""
    letters: str


async def sort(process: Process) -> int:
    options = read_options(process.args, _OPTIONS)
    paths = options.rest or ("-",)
    letters = "".join(option.letter for option in _ORDERS if option.word in options)
    separator = options.last("field-separator").replace("\\t", "\t").encode("utf-8", "surrogateescape")
    if "field-separator" in options and len(separator) != 1:
        raise Usage("empty tab" if not separator else f"multi-character tab '{options.last('field-separator')}'")
    keys = [_read_key(text, letters) for text in options.all("key")] or [_Key(None, None, letters)]

    def by_keys(line: bytes) -> _Whole:
        return tuple(_value(_part(line, key, separator), key.letters) for key in keys)

    if "check" in options or "C" in options:
        return await _check(process, options, by_keys)
    unique = "unique" in options
    order = by_keys if unique or "stable" in options else _with_line(by_keys, backwards="r" in letters)
    pieces: list[list[bytes]] = []
    for path in paths:
        async for lines in process.lines(await process.content(path)):
            process.hold(sum(map(len, lines)) + limits.SHELL_PIECE_COSTS_BYTES * len(lines))
            pieces.append(sorted(lines, key=order))
            await process.effort(limits.SHELL_SORTED_LINE_COSTS_BYTES * len(lines))
    return await _say(process, options, heapq.merge(*pieces, key=order), by_keys if unique else None)


def _with_line(by_keys: Callable[[bytes], _Whole], *, backwards: bool) -> Callable[[bytes], _Whole]:
    """The same, with the line itself where the keys are the same."""
    letters = "r" if backwards else ""
    return lambda line: (*by_keys(line), _value(line, letters))


async def _say(process: Process, options: Options, lines: Iterator[bytes], unique_by: Callable[[bytes], _Whole] | None) -> int:
    path = options.last("output")
    said, before = Saying(process), None
    gathered: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if number % limits.SHELL_SORTED_LINES == 0:
            await process.effort(limits.SHELL_SORTED_LINE_COSTS_BYTES * limits.SHELL_SORTED_LINES)
        if unique_by is not None:
            value = unique_by(line)
            if value == before:
                continue
            before = value
        if path:
            gathered.append(line)
        else:
            await said.add(line.decode("utf-8", "surrogateescape") + "\n")
    await said.flush()
    if path:
        content = b"".join(line + b"\n" for line in gathered)
        await process.effort(len(content))
        with naming(path):
            await process.put(path, content)
    return 0


async def _check(process: Process, options: Options, by_keys: Callable[[bytes], _Whole]) -> int:
    """Whether the lines are in order; the first that isn't is told."""
    path, number, before = options.rest[0] if options.rest else "-", 0, None
    async for lines in process.lines(await process.content(path)):
        for line in lines:
            number += 1
            value = by_keys(line)
            if before is not None and (value < before or (value == before and "unique" in options)):
                if "C" not in options:
                    await process.complain(f"{path}:{number}: disorder: {line.decode('utf-8', 'surrogateescape')}")
                return 1
            before = value
    return 0


_KEY = re.compile(r"([1-9]\d{0,3})(?:\.([1-9]\d{0,5}))?([a-zA-Z]*)(?:,([1-9]\d{0,3})(?:\.(\d{1,6}))?([a-zA-Z]*))?")


def _read_key(text: str, letters: str) -> _Key:
    """``2``, ``2,3``, ``2.1n,2.4r``; where it says nothing of how it compares, that is as all lines do. Raises `Usage`."""
    found = _KEY.fullmatch(text)
    own = "" if found is None else found[3] + (found[6] or "")
    known = {option.letter for option in _ORDERS}
    if found is None or set(own) - known:
        raise Usage(f"such a key isn't simulated here: '{text}'")
    skips = "b" in (own or letters)
    start = _Place(int(found[1]), int(found[2] or 1), skips if not own else "b" in found[3])
    end = _Place(int(found[4]), int(found[5] or 0), skips if not own else "b" in found[6]) if found[4] else None
    return _Key(start, end, own or letters)


def _part(line: bytes, key: _Key, separator: bytes) -> bytes:
    if key.start is None:
        return line
    start = _char(line, _field(line, key.start.field, separator), key.start)
    if key.end is None:
        return line[start:]
    at = _field(line, key.end.field, separator)
    return line[start : _field_end(line, at, separator) if key.end.char == 0 else _char(line, at, key.end) + 1]


def _char(line: bytes, at: int, place: _Place) -> int:
    while place.skips_blanks and line[at : at + 1] in {b" ", b"\t"}:
        at += 1
    return at + place.char - 1


def _field(line: bytes, number: int, separator: bytes) -> int:
    """Where a field begins: behind the separator before it, or, where blanks separate, with those before it."""
    at = 0
    for _ in range(number - 1):
        at = _field_end(line, at, separator) + len(separator)
        if at >= len(line):
            return len(line)
    return at


_WORD = re.compile(rb"[ \t]*[^ \t]*")


def _field_end(line: bytes, at: int, separator: bytes) -> int:
    if not separator:
        found = _WORD.match(line, at)
        return found.end() if found else len(line)
    end = line.find(separator, at)
    return len(line) if end < 0 else end


def _value(text: bytes, letters: str) -> _Value:
    """What compares as that part does; backwards with ``r``."""
    first, second, shown = next((_COMPARED[letter](text) for letter in letters if letter in _COMPARED), (0.0, 0.0, text))
    if "b" in letters:
        shown = shown.lstrip(b" \t")
    if "d" in letters:
        shown = _NO_WORD.sub(b"", shown)
    if "f" in letters:
        shown = shown.upper()
    return (-first, -second, shown.translate(_INVERTED) + _LAST) if "r" in letters else (first, second, shown)


_NO_WORD = re.compile(rb"[^ \ta-zA-Z0-9]+")
_INVERTED = bytes(range(0xFF, -1, -1))
_LAST = b"\xff\xff"
"""What is longer comes first backwards."""
_NUMBER = re.compile(rb"\s*(-?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18}))([KMGTPE]?)")
_GENERAL = re.compile(rb"\s*([-+]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][-+]?\d{1,3})?)")
_DIGITS = re.compile(rb"(\d+)")


def _by_number(text: bytes) -> _Value:
    found = _NUMBER.match(text)
    return (float(found[1]) if found else 0.0, 0.0, b"")


def _by_size(text: bytes) -> _Value:
    found = _NUMBER.match(text)
    number = float(found[1]) if found else 0.0
    power = b"KMGTPE".find(found[2]) + 1 if found and found[2] and number else 0
    return (-power if number < 0 else power, number, b"")


def _by_value(text: bytes) -> _Value:
    found = _GENERAL.match(text)
    return (float(found[1]) if found else float("-inf"), 0.0, b"")


def _by_version(text: bytes) -> _Value:
    """Digits compare as the number that they are: a longer one is larger."""
    parts = _DIGITS.split(text)
    numbers = (part.lstrip(b"0") for part in parts[1::2])
    written = (before + b"\0" + len(number).to_bytes(4) + number for before, number in zip(parts[::2], numbers, strict=False))
    return (0.0, 0.0, b"".join((*written, parts[-1])))


_COMPARED: dict[str, Callable[[bytes], _Value]] = {"n": _by_number, "h": _by_size, "g": _by_value, "V": _by_version}


def _keeps_nothing(args: Sequence[str]) -> bool:
    """Whether what is sorted is only said. Raises `Usage`."""
    return "output" not in read_options(args, _OPTIONS)


SORT: dict[str, SimulatedProgram] = {
    "sort": SimulatedProgram(sort, reads_beside=0, without_end="reads on", changes="content", changes_nothing=_keeps_nothing),
}
