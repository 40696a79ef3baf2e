"""Programs that read what is in files, or comes in, and say something of it."""

import base64 as base_64
import binascii
import fnmatch
import hashlib
import heapq
import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.nodes.shell.expansion import glob_escaped
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Program, Saying, Usage
from svcsim.nodes.shell.regular import RegularError, all_found, compiled
from svcsim.nodes.shell.tree import FileError, naming

_LINES = 10
_LOOKED_AGAIN_S = 1.0
_NOTHING_COMES = ("-", "/dev/stdin", "/dev/null")


async def head(process: Process) -> int:
    return await _some(process, _first)


async def tail(process: Process) -> int:
    """With ``-f`` and ``-F`` also what is put behind it from then on; ``-F`` waits for files that aren't there yet."""
    following = {"-f", "-F"} & set(process.args)
    process.args = [word for word in process.args if word not in {"-f", "-F"}]
    status = await _some(process, _last)
    _, paths = process.flags("qv", "nc")
    if following and (not status or "-F" in following):
        await _follow(process, paths)
    return status


async def _follow(process: Process, paths: list[str]) -> None:
    """Say what comes behind the ends of files, or is in new ones of their names, for as long as it may."""
    process.work.follows_for_ever()
    if all(path in _NOTHING_COMES for path in paths or ["-"]):
        await process.work.rest(process.world, FOR_EVER_S)
    said = {path: len(await _content_if_any(process, path)) for path in paths}
    while True:
        await process.work.rest(process.world, _LOOKED_AGAIN_S)
        for path in paths:
            content = await _content_if_any(process, path)
            new = content[said[path] if len(content) >= said[path] else 0 :]
            said[path] = len(content)
            if new:
                await process.give(new)


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


async def _some(process: Process, choose: _Choice) -> int:
    if process.args and re.fullmatch(r"-\d{1,9}", process.args[0]):
        process.args[0:1] = ["-n", process.args[0][1:]]
    flags, paths = process.flags("qv", "nc")
    found = re.fullmatch(r"([-+]?)(\d{1,9})", flags.get("c", flags.get("n", str(_LINES))))
    if found is None:
        raise Usage(f"invalid number '{flags.get('c', flags.get('n'))}'")
    status = 0
    for path in paths or ["-"]:
        content = await _content(process, path)
        if content is None:
            status = 1
            continue
        if len(paths) > 1:
            await process.say(f"==> {path} <==\n")
        await process.give(choose(content, int(found[2]), found[1], lines="c" not in flags))
    return status


async def _content(process: Process, path: str) -> bytes | None:
    """What is in a file; of one that can't be read it is said why."""
    try:
        return await process.content(path)
    except FileError as error:
        await process.complain(f"{path}: {error}")
        return None


async def wc(process: Process) -> int:
    flags, paths = process.flags("lwcm")
    chosen = [letter for letter in "lwc" if letter in (flags or "lwc")]
    for path in paths or ["-"]:
        content = await process.content(path)
        counts = {"l": content.count(b"\n"), "w": await _words_in(process, content), "c": len(content)}
        numbers = [counts[letter] for letter in chosen]
        name = f" {path}" if paths else ""
        await process.say((str(numbers[0]) if len(numbers) == 1 else "".join(f"{number:>10}" for number in numbers)) + f"{name}\n")
    return 0


async def _words_in(process: Process, content: bytes) -> int:
    found, inside = 0, False
    for start in range(0, len(content), limits.SHELL_PIECE_BYTES):
        piece = content[start : start + limits.SHELL_PIECE_BYTES]
        found += len(piece.split()) - int(inside and not piece[:1].isspace())
        inside = not piece[-1:].isspace()
        await process.effort(len(piece))
    return found


async def grep(process: Process) -> int:
    flags, words = process.flags("ivqcnlhHEFwosr", "em")
    if "e" in flags:
        words = [flags["e"], *words]
    if not words:
        raise Usage("usage: grep PATTERN [FILE]...")
    paths = words[1:] or ["-"]
    patterns = _patterns(words[0], flags)
    hit, status = False, 1
    for path in paths:
        try:
            content = await process.content(path)
        except FileError as error:
            if "s" not in flags:
                await process.complain(f"{path}: {error}")
            status = 2
            continue
        found = await _matching(process, content, patterns, flags, f"{path}:" if len(paths) > 1 and "h" not in flags else "")
        hit = hit or found > 0
        if "c" in flags and "q" not in flags:
            await process.say(f"{found}\n")
        elif "l" in flags and found and "q" not in flags:
            await process.say(f"{path}\n")
    return 0 if hit else status


class _Sought(NamedTuple):
    """A pattern that is looked for in lines."""

    glob: Glob
    quick: re.Pattern[str] | None
    """The same for lines that aren't long, where it is short."""
    regular: str = ""
    """An extended regular expression, where the pattern is more than a shell's could be."""
    ignores_case: bool = False


def _patterns(pattern: str, flags: dict[str, str]) -> list[_Sought]:
    """Those of which a line has to match one. Raises `Usage`."""
    if "F" not in flags and ("o" in flags or _MORE_THAN_PLAIN["E" in flags].search(pattern)):
        return [_regular(pattern if "E" in flags else _extended(pattern), ignores_case="i" in flags)]
    parts = re.split(r"\||\\\|", pattern) if "F" not in flags else [pattern]
    if len(parts) > limits.SHELL_ALTERNATIVES or len(pattern) > limits.SHELL_TRIMMED_CHARS:
        raise Usage("such a long pattern isn't simulated here")
    return [_sought(_as_glob(part, fixed="F" in flags), ignores_case="i" in flags) for part in parts]


_MORE_THAN_PLAIN = {True: re.compile(r"[+?{}()\\]|[^.]\*|\[\[:"), False: re.compile(r"\\[^|]|[^.]\*|\[\[:")}
"""In patterns, extended ones (True) and others: what makes them more than plain text with dots, sets and alternatives."""
_SWAPPED = "+?{}()|"
"""Signs that mean something in extended patterns as they stand, and in others behind a backslash."""


def _extended(pattern: str) -> str:
    """The extended regular expression for a basic one."""

    def swapped(found: re.Match[str]) -> str:
        sign = found[0][-1]
        return found[0] if sign not in _SWAPPED else sign if len(found[0]) > 1 else f"\\{sign}"

    return re.sub(r"\\.|[+?{}()|]", swapped, pattern)


def _regular(pattern: str, *, ignores_case: bool) -> _Sought:
    """Raises `Usage`."""
    try:
        compiled(pattern, ignores_case=ignores_case)
    except RegularError as error:
        raise Usage(str(error)) from None
    return _Sought(Glob(""), None, pattern, ignores_case)


async def _found_in(process: Process, sought: _Sought, line: str) -> list[str]:
    """What of a line matches, from the left. Raises `Usage` where that may take long."""
    await process.effort(len(line))
    try:
        return all_found(sought.regular, line, ignores_case=sought.ignores_case)
    except RegularError as error:
        raise Usage(str(error)) from None


def _sought(glob: str, *, ignores_case: bool) -> _Sought:
    is_short = len(glob) <= limits.SHELL_QUICK_PATTERN_CHARS
    quick = re.compile(fnmatch.translate(glob), re.IGNORECASE if ignores_case else 0) if is_short else None
    return _Sought(Glob(glob, ignores_case=ignores_case), quick)


async def _matches(process: Process, sought: _Sought, line: str) -> bool:
    if sought.regular:
        return bool(await _found_in(process, sought, line))
    if sought.quick is not None and len(line) <= limits.SHELL_PIECE_BYTES:
        await process.effort(len(line))
        return sought.quick.match(line) is not None
    return await matches(sought.glob, line, process.effort)


async def _matches_one(process: Process, patterns: list[_Sought], line: str) -> bool:
    for sought in patterns:
        if await _matches(process, sought, line):
            return True
    return False


async def _matching(process: Process, content: bytes, patterns: list[_Sought], flags: dict[str, str], prefix: str) -> int:
    """How many lines match, or with ``-v`` don't; they are said, unless only that is asked for."""
    said, found, number = Saying(process), 0, 0
    tells = not flags.keys() & set("qcl")
    async for lines in process.lines(content):
        for line in (each.decode("utf-8", "surrogateescape") for each in lines):
            number += 1
            if await _matches_one(process, patterns, line) is ("v" in flags):
                continue
            found += 1
            if tells and "o" in flags and "v" not in flags:
                for part in filter(None, await _found_in(process, patterns[0], line)):
                    await said.add(f"{prefix}{number}:{part}\n" if "n" in flags else f"{prefix}{part}\n")
            elif tells:
                await said.add(f"{prefix}{number}:{line}\n" if "n" in flags else f"{prefix}{line}\n")
    await said.flush()
    return found


def _as_glob(pattern: str, *, fixed: bool) -> str:
    """A regular expression of the plainest sort, with anchors, dots and brackets, as a shell's pattern, which can't take for ever."""
    if fixed:
        return f"*{glob_escaped(pattern)}*"
    start, end = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    body = pattern[int(start) : len(pattern) - int(end)]
    parts: list[str] = [] if start else ["*"]
    for found in re.finditer(r"\\(.)|\.\*|\.\+|(\[[^]]+\])|(.)", body):
        if found[1]:
            parts.append(_literal(found[1]))
        elif found[0] in {".*", ".+"}:
            parts.append("*" if found[0] == ".*" else "?*")
        else:
            parts.append(found[2].replace("[^", "[!") if found[2] else "?" if found[3] == "." else _literal(found[3]))
    return re.sub(r"\*{2,}", "*", "".join([*parts, *([] if end else ["*"])]))


def _literal(char: str) -> str:
    return f"[{char}]" if char in "*?[" else char


async def tee(process: Process) -> int:
    flags, paths = process.flags("ai")
    content = await process.whole_input()
    for path in paths:
        with naming(path):
            process.world.tree.write(process.path(path), content, process.world.now(), append="a" in flags)
    await process.give(content)
    return 0


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


async def base64(process: Process) -> int:
    flags, paths = process.flags("d", "w")
    content = await process.content(paths[0] if paths else "-")
    if "d" in flags:
        process.hold(len(content))
        try:
            await process.give(base_64.b64decode(content, validate=False))
        except binascii.Error:
            raise Usage("invalid input") from None
        return 0
    width = int(flags["w"]) if flags.get("w", "").isdigit() and len(flags["w"]) < 6 else 76
    # Pieces whose ends are ends of lines, and of what is encoded together.
    piece_bytes = 3 * (width or 1) * -(-limits.SHELL_PIECE_BYTES // (4 * (width or 1)))
    for start in range(0, len(content), piece_bytes):
        encoded = base_64.b64encode(content[start : start + piece_bytes]).decode()
        lines = [encoded[at : at + width] for at in range(0, len(encoded), width)] if width else [encoded]
        await process.say("\n".join(lines) + ("\n" if width else ""))
    return 0


_HEXDUMP_BYTES = 16


async def hexdump(process: Process) -> int:
    """``hexdump -C``: 16 bytes a line, and beside them what of it can be printed. Lines that say the same again are one star."""
    flags, paths = process.flags("C")
    if "C" not in flags:
        raise Usage("only -C is simulated here")
    contents = [await process.content(path) for path in paths or ["-"]]
    process.hold(sum(map(len, contents)))
    content = b"".join(contents)
    said = Saying(process)
    before, starred = b"", False
    for start in range(0, len(content), _HEXDUMP_BYTES):
        piece = content[start : start + _HEXDUMP_BYTES]
        if piece == before:
            await said.add("" if starred else "*\n")
            starred = True
            continue
        halves = "  ".join(f"{piece[at : at + 8].hex(' '):<23}" for at in (0, 8))
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in piece)
        await said.add(f"{start:08x}  {halves}  |{shown}|\n")
        before, starred = piece, False
    await said.add(f"{len(content):08x}\n" if content else "")
    await said.flush()
    return 0


def _digest(name: str) -> Program:
    async def summed(process: Process) -> int:
        status = 0
        for path in process.args or ["-"]:
            content = await _content(process, path)
            if content is None:
                status = 1
                continue
            await process.say(f"{hashlib.new(name, content, usedforsecurity=False).hexdigest()}  {path}\n")
        return status

    return summed


CONTENTS: dict[str, Program] = {
    "head": head,
    "tail": tail,
    "wc": wc,
    "grep": grep,
    "tee": tee,
    "sort": sort,
    "base64": base64,
    "hexdump": hexdump,
    "md5sum": _digest("md5"),
    "sha1sum": _digest("sha1"),
    "sha256sum": _digest("sha256"),
}
