"""The beginnings, the ends and the sizes of what is in files, or comes in: ``head``, ``tail``, ``wc``, and ``tee``."""

import re
from typing import Protocol

from svcsim import limits
from svcsim.nodes.shell.process import FOR_EVER_S, Process, Program, Usage
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
        content = await content_or_complaint(process, path)
        if content is None:
            status = 1
            continue
        if len(paths) > 1:
            await process.say(f"==> {path} <==\n")
        await process.give(choose(content, int(found[2]), found[1], lines="c" not in flags))
    return status


async def content_or_complaint(process: Process, path: str) -> bytes | None:
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


async def tee(process: Process) -> int:
    flags, paths = process.flags("ai")
    content = await process.whole_input()
    for path in paths:
        with naming(path):
            process.world.tree.write(process.path(path), content, process.world.now(), append="a" in flags)
    await process.give(content)
    return 0


CONTENTS: dict[str, Program] = {"head": head, "tail": tail, "wc": wc, "tee": tee}
