"""The beginnings, the ends and the sizes of what is in files, or comes in: ``head``, ``tail``, ``wc``, and ``tee``."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from svcsim import limits
from svcsim.nodes.shell.devices import Endless
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Usage
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.simulated import ANYTHING, SimulatedProgram
from svcsim.nodes.shell.tree import FileError

_LINES = "10"
_HEAD = (
    Option("n", "lines", takes_value=True), Option("c", "bytes", takes_value=True), Option("q", "quiet"), Option("", "silent"),
    Option("v", "verbose"),
)  # fmt: skip
_TAIL = (*_HEAD, Option("f", "follow"), Option("F", "F"), Option("", "retry"), Option("s", "sleep-interval", takes_value=True))
_WC = (Option("l", "lines"), Option("w", "words"), Option("m", "chars"), Option("c", "bytes"), Option("L", "max-line-length"))
_WC_ALONE = ("lines", "words", "bytes")
_TEE = (Option("a", "append"), Option("i", "ignore-interrupts"))  # nobody interrupts it alone
_UNITS = {"": 1, "b": 512, "k": 1024, "K": 1024, "M": 1024**2}
_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes that begin no character."""


_LOOKED_AGAIN_S = 1.0


_NOTHING_COMES = ("-", "/dev/stdin", "/dev/null")


async def head(process: Process) -> int:
    options = read_options(_modern(process.args, r"-(\d{1,9})"), _HEAD)
    return await _some(process, options, _first)


async def tail(process: Process) -> int:
    """With ``-f`` and ``-F`` also what is put behind it from then on; ``-F`` waits for files that aren't there yet."""
    options = read_options(_modern(process.args, r"-(\d{1,9})(f?)|(\+\d{1,9})(f?)"), _TAIL)
    waits = options.last("sleep-interval", "1")
    if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", waits):
        raise Usage(f"invalid number of seconds '{waits}'")
    if options.last("follow") not in {"", "name", "descriptor"}:
        raise Usage(f"invalid argument '{options.last('follow')}' for '--follow'")
    status = await _some(process, options, _last)
    stays = "F" in options or "retry" in options
    if ("F" in options or "follow" in options) and (not status or stays):
        await _follow(process, options, float(waits) or _LOOKED_AGAIN_S)
    return status


def _modern(args: list[str], old: str) -> list[str]:
    """``-5``, ``+5`` and ``-5f`` at the beginning, as ``-n 5`` says it."""
    found = re.fullmatch(old, args[0]) if args else None
    if found is None:
        return args
    number, *follows = (group for group in found.groups() if group is not None)
    return ["-n", number, *(["-f"] if "f" in follows else []), *args[1:]]


async def _follow(process: Process, options: Options, waits_s: float) -> None:
    """Say what comes behind the ends of files, or is in new ones of their names, for as long as it may."""
    paths = options.rest
    process.work.follows_for_ever()
    if all(path in _NOTHING_COMES for path in paths or ["-"]):
        await process.work.rest(process.world, FOR_EVER_S)
    said = {path: len(await _content_if_any(process, path)) for path in paths}
    shown = paths[-1]
    while True:
        await process.work.rest(process.world, waits_s)
        for path in paths:
            content = await _content_if_any(process, path)
            new = content[said[path] if len(content) >= said[path] else 0 :]
            said[path] = len(content)
            if new:
                if _has_titles(options) and path != shown:
                    await process.say(f"\n==> {path} <==\n")
                await process.give(new)
                shown = path


def _has_titles(options: Options) -> bool:
    """Whether it is said what stands in which file."""
    return "verbose" in options or (len(options.rest) > 1 and "quiet" not in options and "silent" not in options)


async def _content_if_any(process: Process, path: str) -> bytes:
    try:
        return b"" if path in _NOTHING_COMES else await process.content(path)
    except FileError:
        return b""


def _first(content: bytes, number: int, sign: str, *, lines: bool) -> bytes:
    if sign == "-":
        number = max((_lines_in(content) if lines else len(content)) - number, 0)
    return content[: _behind_lines(content, number) if lines else number]


def _last(content: bytes, number: int, sign: str, *, lines: bool) -> bytes:
    left_out = number - 1 if sign == "+" else (_lines_in(content) if lines else len(content)) - number
    return content[_behind_lines(content, left_out) if lines else max(left_out, 0) :]


def _lines_in(content: bytes) -> int:
    return content.count(b"\n") + int(content[-1:] not in {b"", b"\n"})


def _behind_lines(content: bytes, number: int) -> int:
    """Where so many lines have ended: found by counting pieces, since a list of all lines may be much longer than they are."""
    at = 0
    while number > 0 and at < len(content):
        ends = content.count(b"\n", at, at + limits.SHELL_PIECE_BYTES)
        if ends >= number:
            for _ in range(number):
                at = content.index(b"\n", at) + 1
            return at
        number, at = number - ends, at + limits.SHELL_PIECE_BYTES
    return at


class _Choice(Protocol):
    def __call__(self, content: bytes, number: int, sign: str, *, lines: bool) -> bytes: ...


async def _some(process: Process, options: Options, choose: _Choice) -> int:
    by_lines = "bytes" not in options
    asked = options.last("lines", _LINES) if by_lines else options.last("bytes")
    found = re.fullmatch(r"([-+]?)(\d{1,9})([bkKM]?)", asked)
    if found is None:
        raise Usage(f"invalid number '{asked}'")
    status, end = 0, ""
    for path in options.rest or ("-",):
        number = int(found[2]) * _UNITS[found[3]]
        enough = partial(_beginning, number=number, lines=by_lines) if choose is _first and found[1] != "-" else None
        content = await content_or_complaint(process, path, enough)
        if content is None:
            status = 1
            continue
        if _has_titles(options):
            await process.say(f"{end}==> {'standard input' if path == '-' else path} <==\n")
            end = "\n"
        await process.give(choose(content, number, found[1], lines=by_lines))
    return status


async def _beginning(process: Process, coming: Endless, number: int, *, lines: bool) -> bytes:
    """As much of what has no end as that. Raises `FileError`."""
    if not lines:
        return await process.beginning(coming, number)
    pieces: list[bytes] = []
    while number > 0:
        pieces.append(await process.beginning(coming, limits.SHELL_PIECE_BYTES))
        number -= pieces[-1].count(b"\n")
    return b"".join(pieces)


async def content_or_complaint(
    process: Process, path: str, beginning: Callable[[Process, Endless], Awaitable[bytes]] | None = None
) -> bytes | None:
    """What is in a file, or the ``beginning`` of one that has no end; of one that can't be read it is said why."""
    try:
        coming = process.input(path)
        if beginning is not None and isinstance(coming, Endless):
            return await beginning(process, coming)
        return await process.content(path)
    except FileError as error:
        await process.complain(str(error) if path == "-" else f"{path}: {error}")
        return None


async def wc(process: Process) -> int:
    options, status = read_options(process.args, _WC), 0
    chosen = [option.word for option in _WC if option.word in (options if options.values else _WC_ALONE)]
    total = dict.fromkeys(chosen, 0)
    for path in options.rest or ("-",):
        content = await content_or_complaint(process, path)
        if content is None:
            status = 1
            continue
        counts = {word: await _counted(process, content, word) for word in chosen}
        for word, number in counts.items():
            total[word] = max(total[word], number) if word == "max-line-length" else total[word] + number
        await _say_counts(process, counts, path if options.rest else "")
    if len(options.rest) > 1:
        await _say_counts(process, total, "total")
    return status


async def _say_counts(process: Process, counts: dict[str, int], name: str) -> None:
    numbers = list(counts.values())
    shown = str(numbers[0]) if len(numbers) == 1 else "".join(f"{number:>10}" for number in numbers)
    await process.say(f"{shown} {name}\n" if name else f"{shown}\n")


async def _counted(process: Process, content: bytes, word: str) -> int:
    if word == "lines":
        return content.count(b"\n")
    if word == "words":
        return await _words_in(process, content)
    if word == "bytes":
        return len(content)
    found, longest = 0, 0
    async for lines in process.lines(content):
        sizes = [len(line.translate(None, _CONTINUING)) for line in lines]
        found, longest = found + sum(sizes), max(longest, *sizes)
    return longest if word == "max-line-length" else found + content.count(b"\n")


async def _words_in(process: Process, content: bytes) -> int:
    found, inside = 0, False
    for start in range(0, len(content), limits.SHELL_PIECE_BYTES):
        piece = content[start : start + limits.SHELL_PIECE_BYTES]
        found += len(piece.split()) - int(inside and not piece[:1].isspace())
        inside = not piece[-1:].isspace()
        await process.effort(len(piece))
    return found


async def tee(process: Process) -> int:
    options, status = read_options(process.args, _TEE), 0
    content = await process.whole_input()
    for path in options.rest:
        try:
            await process.put(path, content, append="append" in options)
        except FileError as error:
            await process.complain(f"{path}: {error}")
            status = 1
    await process.give(content)
    return status


CONTENTS: dict[str, SimulatedProgram] = {
    "head": SimulatedProgram(head, reads_beside=0),
    "tail": SimulatedProgram(tail, reads_beside=0, without_end="reads on"),
    "wc": SimulatedProgram(wc, reads_beside=0, without_end="reads on"),
    "tee": SimulatedProgram(tee, reads_beside=ANYTHING, without_end="reads on", changes="content"),
}
