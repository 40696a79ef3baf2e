"""Programs that read what is in files, or comes in, and say something of it."""

import base64 as base_64
import binascii
import fnmatch
import hashlib
import re
from typing import Protocol

from svcsim.nodes.shell.expansion import glob_escaped
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Program, Usage
from svcsim.nodes.shell.tree import FileError

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
                await process.streams.write(new)


async def _content_if_any(process: Process, path: str) -> bytes:
    try:
        return b"" if path in _NOTHING_COMES else await process.content(path)
    except FileError:
        return b""


def _first(content: bytes, number: int, sign: str, *, lines: bool) -> bytes:
    end = number if sign != "-" else -number or None
    return b"".join(content.splitlines(keepends=True)[:end]) if lines else content[:end]


def _last(content: bytes, number: int, sign: str, *, lines: bool) -> bytes:
    start = max(number - 1, 0) if sign == "+" else -number
    if sign != "+" and not number:
        return b""
    return b"".join(content.splitlines(keepends=True)[start:]) if lines else content[start:]


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
        await process.streams.write(choose(content, int(found[2]), found[1], lines="c" not in flags))
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
        counts = {"l": content.count(b"\n"), "w": len(content.split()), "c": len(content)}
        numbers = [counts[letter] for letter in chosen]
        name = f" {path}" if paths else ""
        await process.say((str(numbers[0]) if len(numbers) == 1 else "".join(f"{number:>10}" for number in numbers)) + f"{name}\n")
    return 0


async def grep(process: Process) -> int:
    flags, words = process.flags("ivqcnlhHEFwosr", "em")
    if "e" in flags:
        words = [flags["e"], *words]
    if not words:
        raise Usage("usage: grep PATTERN [FILE]...")
    pattern, paths = words[0], words[1:] or ["-"]
    fold = "i" in flags
    patterns = [_as_glob(part, fixed="F" in flags) for part in (re.split(r"\||\\\|", pattern) if "F" not in flags else [pattern])]
    hit = False
    status = 1
    for path in paths:
        try:
            content = await process.content(path)
        except FileError as error:
            if "s" not in flags:
                await process.complain(f"{path}: {error}")
            status = 2
            continue
        found = []
        for number, line in enumerate(content.decode("utf-8", "surrogateescape").splitlines(), 1):
            seen = line.lower() if fold else line
            if any(fnmatch.fnmatchcase(seen, one.lower() if fold else one) for one in patterns) is not ("v" in flags):
                prefix = (f"{path}:" if len(paths) > 1 and "h" not in flags else "") + (f"{number}:" if "n" in flags else "")
                found.append(f"{prefix}{line}\n")
        hit = hit or bool(found)
        if "q" in flags:
            continue
        if "c" in flags:
            await process.say(f"{len(found)}\n")
        elif "l" in flags:
            await process.say(f"{path}\n" if found else "")
        elif found:
            await process.say("".join(found))
    return 0 if hit else status


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
        process.world.tree.write(process.path(path), content, process.world.now(), append="a" in flags)
    await process.streams.write(content)
    return 0


async def sort(process: Process) -> int:
    flags, paths = process.flags("nru", "kt")
    lines = [line for path in paths or ["-"] for line in (await process.content(path)).splitlines()]
    lines.sort(key=_number if "n" in flags else None, reverse="r" in flags)
    if "u" in flags:
        lines = list(dict.fromkeys(lines))
    await process.streams.write(b"".join(line + b"\n" for line in lines))
    return 0


def _number(line: bytes) -> tuple[float, bytes]:
    found = re.match(rb"\s*(-?\d{1,18}(?:\.\d{1,18})?)", line)
    return (float(found[1]) if found else 0.0, line)


async def base64(process: Process) -> int:
    flags, paths = process.flags("d", "w")
    content = await process.content(paths[0] if paths else "-")
    if "d" in flags:
        try:
            await process.streams.write(base_64.b64decode(content, validate=False))
        except binascii.Error:
            raise Usage("invalid input") from None
        return 0
    encoded = base_64.b64encode(content).decode()
    width = int(flags["w"]) if flags.get("w", "").isdigit() and len(flags["w"]) < 6 else 76
    lines = [encoded] if width == 0 else [encoded[start : start + width] for start in range(0, len(encoded), width)]
    await process.say("\n".join(lines) + ("\n" if width else ""))
    return 0


_HEXDUMP_BYTES = 16


async def hexdump(process: Process) -> int:
    """``hexdump -C``: 16 bytes a line, and beside them what of it can be printed. Lines that say the same again are one star."""
    flags, paths = process.flags("C")
    if "C" not in flags:
        raise Usage("only -C is simulated here")
    content = b"".join([await process.content(path) for path in paths or ["-"]])
    lines: list[str] = []
    before = b""
    for start in range(0, len(content), _HEXDUMP_BYTES):
        piece = content[start : start + _HEXDUMP_BYTES]
        if piece == before:
            lines += ["*"] if lines[-1] != "*" else []
            continue
        halves = "  ".join(f"{piece[at : at + 8].hex(' '):<23}" for at in (0, 8))
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in piece)
        lines.append(f"{start:08x}  {halves}  |{shown}|")
        before = piece
    await process.say("".join(f"{line}\n" for line in [*lines, *([f"{len(content):08x}"] if content else [])]))
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
