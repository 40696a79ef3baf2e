"""``grep``: lines in which a pattern is found."""

import posixpath
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.globs import Glob
from svcsim.nodes.shell.process import Process, Saying, Usage, base
from svcsim.nodes.shell.programs.options import Option, Options, read_options
from svcsim.nodes.shell.programs.patterns import Manner, Sought, matches_one, parts_found, read_patterns
from svcsim.nodes.shell.programs.renaming import standing
from svcsim.nodes.shell.programs.simulated import SimulatedProgram
from svcsim.nodes.shell.regular import RegularError
from svcsim.nodes.shell.tree import FileError, Node

_OPTIONS = (
    Option("E", "extended-regexp"), Option("F", "fixed-strings"), Option("G", "basic-regexp"), Option("i", "ignore-case"),
    Option("y", "ignore-case"), Option("v", "invert-match"), Option("w", "word-regexp"), Option("x", "line-regexp"), Option("c", "count"),
    Option("l", "files-with-matches"), Option("L", "files-without-match"), Option("n", "line-number"), Option("o", "only-matching"),
    Option("q", "quiet"), Option("", "silent"), Option("s", "no-messages"), Option("H", "with-filename"), Option("h", "no-filename"),
    Option("r", "recursive"), Option("R", "dereference-recursive"), Option("", "color"), Option("", "colour"),
    # All is text here, and nothing is kept back.
    Option("a", "text"), Option("", "line-buffered"),
    *(Option(*names, takes_value=True) for names in (
        ("e", "regexp"), ("f", "file"), ("m", "max-count"), ("A", "after-context"), ("B", "before-context"), ("C", "context"),
        ("", "include"), ("", "exclude"), ("", "exclude-dir"),
    )),
)  # fmt: skip
_INPUT = "(standard input)"
_FAILED = 2
_ALL = 10**9


class _Wanted(NamedTuple):
    """What is looked for, and what is said of it."""

    patterns: Sequence[Sought]
    inverted: bool
    tells_lines: bool
    tells_parts: bool
    numbers: bool
    most: int
    before: int
    """How many lines before one that is found are said, too."""
    after: int
    grouped: bool
    """Whether a line says where others are left out."""


async def grep(process: Process) -> int:
    try:
        return await _grep(process)
    except RegularError as error:
        process.work.observer.puzzled(str(error))
        await process.complain(str(error))
        return _FAILED


async def _grep(process: Process) -> int:
    """Raises `Usage`, and `RegularError`."""
    options = read_options(process.args, _OPTIONS)
    texts, operands = await _texts(process, options)
    wanted = await _wanted(process, options, texts)
    quiet = "quiet" in options or "silent" in options
    recursive = "recursive" in options or "dereference-recursive" in options
    hit, status, several = False, 1, len(operands) > 1
    for path, is_below in _files(process, operands or (["."] if recursive else ["-"]), options):
        shown = _INPUT if path == "-" else path if operands or not recursive else path.removeprefix("./")
        named = "with-filename" in options or ("no-filename" not in options and (several or is_below))
        try:
            content = await process.content(path)
        except FileError as error:
            if "no-messages" not in options:
                await process.complain(f"{path}: {error}")
            status = _FAILED
            continue
        found = await _search(process, content, wanted, shown if named else "")
        if quiet and found:
            return 0
        lists = "files-with-matches" in options or "files-without-match" in options
        hit = hit or (not found if "files-without-match" in options else found > 0)
        if lists and bool(found) is ("files-with-matches" in options) and not quiet:
            await process.say(f"{shown}\n")
        elif "count" in options and not quiet and not lists:
            await process.say(f"{shown}:{found}\n" if named else f"{found}\n")
    return status if status == _FAILED else int(not hit)


async def _texts(process: Process, options: Options) -> tuple[list[str], list[str]]:
    """The patterns, and the files. Raises `Usage`."""
    operands = list(options.rest)
    texts = [line for text in options.all("regexp") for line in text.split("\n")]
    for path in options.all("file"):
        content = await process.content(path)
        async for lines in process.lines(content):
            texts += (line.decode("utf-8", "surrogateescape") for line in lines)
    if "regexp" not in options and "file" not in options:
        if not operands:
            raise Usage("usage: grep PATTERN [FILE]...")
        texts = operands.pop(0).split("\n")
    if len(texts) > limits.SHELL_ALTERNATIVES:
        raise Usage("so many patterns aren't simulated here")
    return texts, operands


async def _wanted(process: Process, options: Options, texts: list[str]) -> _Wanted:
    """Raises `Usage`, and `RegularError`."""
    if {options.last("color"), options.last("colour")} - {"", "auto", "never"}:
        raise Usage("colours aren't simulated here")
    silent = not options.values.keys().isdisjoint(("quiet", "silent", "count", "files-with-matches", "files-without-match"))
    kinds = [word for word in options.values if word in {"extended-regexp", "fixed-strings", "basic-regexp"}]
    parts, inverted = "only-matching" in options, "invert-match" in options
    manner = Manner(
        kinds[-1:] == ["extended-regexp"],
        kinds[-1:] == ["fixed-strings"],
        "ignore-case" in options,
        "word-regexp" in options,
        "line-regexp" in options,
        parts,
    )
    around = _number(options.last("context", "0"))
    before, after = (_number(options.last(f"{side}-context", str(around))) for side in ("before", "after"))
    is_enough = 1 if silent and "count" not in options else _ALL
    most = _number(options.last("max-count")) if "max-count" in options else is_enough
    grouped = not options.values.keys().isdisjoint(("context", "before-context", "after-context"))
    quiet = silent or (parts and inverted)
    patterns = await read_patterns(process, texts, manner)
    return _Wanted(patterns, inverted, not quiet, parts, "line-number" in options, most, before, after, grouped)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise Usage(f"{text}: invalid context length argument")
    return int(text)


def _files(process: Process, operands: Sequence[str], options: Options) -> Iterator[tuple[str, bool]]:
    """The files, those in directories where these are gone into, and whether they are in one."""
    follows = "dereference-recursive" in options
    kept, left, unopened = ([Glob(one) for one in options.all(word)] for word in ("include", "exclude", "exclude-dir"))

    def is_left_out(path: str, *, is_directory: bool) -> bool:
        name = base(path)
        if is_directory:
            return any(one.matches(name) for one in unopened)
        return any(one.matches(name) for one in left) or (bool(kept) and not any(one.matches(name) for one in kept))

    for operand in operands:
        node = None if operand == "-" else standing(process.world.tree, process.path(operand), follow=True)
        if node is None or not node.is_directory or not (follows or "recursive" in options):
            if operand == "-" or not is_left_out(operand, is_directory=False):
                yield operand, False
            continue
        waiting = [(operand, node)]
        while waiting:
            path, node = waiting.pop()
            if is_left_out(path, is_directory=node.is_directory):
                continue
            if node.is_directory:
                waiting += reversed(list(_children(process, path, node, follows=follows)))
            else:
                yield path, True


def _children(process: Process, path: str, node: Node, *, follows: bool) -> Iterator[tuple[str, Node]]:
    """What is in a directory; links count only where they are followed."""
    for name, child in sorted((node.children or {}).items()):
        inner = posixpath.join(path, name)
        found = standing(process.world.tree, process.path(inner), follow=True) if child.target and follows else child
        if found is not None and not found.target:
            yield inner, found


async def _search(process: Process, content: bytes, wanted: _Wanted, name: str) -> int:
    """How many lines match, or with ``-v`` don't; they are said, where that is wanted, with those around them."""
    telling, found = _Telling(process, wanted, name), 0
    number = 0
    async for lines in process.lines(content):
        for each in lines:
            number += 1
            line = each.decode("utf-8", "surrogateescape")
            if found < wanted.most and await matches_one(process, wanted.patterns, line) is not wanted.inverted:
                found += 1
                await telling.matched(number, line)
            elif found < wanted.most or telling.left:
                await telling.passed(number, line)
            else:
                break
        else:
            continue
        break
    await telling.said.flush()
    return found


class _Telling:
    """Says lines of one file."""

    def __init__(self, process: Process, wanted: _Wanted, name: str) -> None:
        self.said = Saying(process)
        self.left = 0
        """How many lines behind the last one that was found are still to be said."""
        self._process = process
        self._wanted = wanted
        self._name = name
        self._before = deque[tuple[int, str]](maxlen=wanted.before)
        self._last = 0
        """The number of the line that was said last."""

    async def matched(self, number: int, line: str) -> None:
        wanted = self._wanted
        if not wanted.tells_lines:
            return
        if wanted.tells_parts:
            for part in filter(None, await parts_found(self._process, wanted.patterns[0], line)):
                await self._say(number, part, ":")
            return
        for earlier, text in (*self._before, (number, line)):
            if wanted.grouped and 0 < self._last < earlier - 1:
                await self.said.add("--\n")
            await self._say(earlier, text, ":" if earlier == number else "-")
        self._before.clear()
        self.left = wanted.after

    async def passed(self, number: int, line: str) -> None:
        if self.left and self._wanted.tells_lines:
            self.left -= 1
            await self._say(number, line, "-")
        elif self._wanted.before:
            self._before.append((number, line))

    async def _say(self, number: int, text: str, sign: str) -> None:
        self._last = number
        before = f"{self._name}{sign}" if self._name else ""
        await self.said.add(f"{before}{number}{sign}{text}\n" if self._wanted.numbers else f"{before}{text}\n")


GREP: dict[str, SimulatedProgram] = {
    "grep": SimulatedProgram(grep, reads_beside=1, without_end="reads on"),
}
