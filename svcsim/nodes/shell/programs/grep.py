"""``grep``: lines in which a pattern is found."""

import fnmatch
import re
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.shell.expansion import glob_escaped
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.process import Process, Program, Saying, Usage
from svcsim.nodes.shell.regular import RegularError, all_found, compiled
from svcsim.nodes.shell.tree import FileError


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


GREP: dict[str, Program] = {"grep": grep}
