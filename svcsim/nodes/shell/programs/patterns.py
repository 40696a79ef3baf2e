"""What lines are looked for in: patterns of ``grep``, the plainest of them as a shell's, which can't take for ever."""

import fnmatch
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.nodes.shell.expansion import glob_escaped
from svcsim.nodes.shell.globs import Glob, matches
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.regular import all_found, check_spelling, escaped, is_found, read_expression

if TYPE_CHECKING:
    import re2


class Manner(NamedTuple):
    """How patterns are meant."""

    extended: bool = False
    fixed: bool = False
    """Whether they are text that stands for itself."""
    ignores_case: bool = False
    words: bool = False
    """Whether what matches has to be a word of its own."""
    lines: bool = False
    """Whether it has to be the whole line."""
    tells_parts: bool = False
    """Whether it is asked what of a line matches."""


class Sought(NamedTuple):
    """A pattern that is looked for in lines."""

    glob: Glob
    quick: re.Pattern[str] | None
    """The same for lines that aren't long, where it is short."""
    regular: "re2._Regexp | None" = None
    """A regular expression, where the pattern is more than a shell's could be."""
    part: int = 0
    """Which group of it is what was looked for."""


async def read_patterns(process: Process, texts: Sequence[str], manner: Manner) -> list[Sought]:
    """Those of which a line has to match one. Raises `Usage`, and `RegularError`."""
    if manner.tells_parts and texts:  # several would find the same part twice
        return [await _regular(process, texts, manner)]
    return [sought for text in texts for sought in await _read(process, text, manner)]


async def _read(process: Process, text: str, manner: Manner) -> list[Sought]:
    """Raises `Usage`, and `RegularError`."""
    if manner.words or manner.lines or (not manner.fixed and _MORE_THAN_PLAIN[manner.extended].search(text)):
        return [await _regular(process, [text], manner)]
    parts = [text] if manner.fixed else text.split("|" if manner.extended else "\\|")
    if len(parts) > limits.SHELL_ALTERNATIVES or len(text) > limits.SHELL_TRIMMED_CHARS:
        raise Usage("such a long pattern isn't simulated here")
    if "[" in text and not manner.fixed:
        await process.effort(len(text))
        check_spelling(_spelled(text, manner))
    return [_sought(_as_glob(part, fixed=manner.fixed), ignores_case=manner.ignores_case) for part in parts]


_MORE_THAN_PLAIN = {True: re.compile(r"[+?{}()\\]|[^.]\*|\[\[:|\[.*\||\|.*\["), False: re.compile(r"\\(?!\|)|[^.]\*|\[\[:")}
"""In patterns, extended ones (True) and others: what makes them more than plain text with dots, sets and alternatives."""


async def _regular(process: Process, texts: Sequence[str], manner: Manner) -> Sought:
    """What matches one of several patterns. Raises `RegularError`."""
    pattern, part = "|".join(_spelled(text, manner) for text in texts), 0
    if manner.lines:
        pattern = f"^({pattern})$"
    elif manner.words:  # no letter may stand beside it
        pattern, part = f"(^|\\W)({pattern})(\\W|$)", 2
    expression = await read_expression(pattern, process.effort, ignores_case=manner.ignores_case, groups=part > 0 and manner.tells_parts)
    return Sought(Glob(""), None, expression, part)


def _spelled(text: str, manner: Manner) -> str:
    """An extended regular expression for what is looked for."""
    return escaped(text) if manner.fixed else text if manner.extended else _extended(text)


_SWAPPED = "+?{}()|"
"""Signs that mean something in extended patterns as they stand, and in others behind a backslash."""


def _extended(pattern: str) -> str:
    """The extended regular expression for a basic one, in which a star at the beginning stands for itself."""

    def swapped(found: re.Match[str]) -> str:
        sign = found[0][-1]
        if found[0].startswith("["):
            return found[0]
        return found[0] if sign not in _SWAPPED else sign if len(found[0]) > 1 else f"\\{sign}"

    return re.sub(r"\\.|\[\^?\]?(?:\[:\w+:\]|[^]])*\]|[+?{}()|]", swapped, re.sub(r"^(\^?)\*", r"\1\\*", pattern))


async def parts_found(process: Process, sought: Sought, line: str) -> list[str]:
    """What of a line matches, from the left. Raises `RegularError` where that may take long."""
    return [] if sought.regular is None else await all_found(sought.regular, line, process.effort, sought.part)


def _sought(glob: str, *, ignores_case: bool) -> Sought:
    is_short = len(glob) <= limits.SHELL_QUICK_PATTERN_CHARS
    quick = re.compile(fnmatch.translate(glob), re.IGNORECASE if ignores_case else 0) if is_short else None
    return Sought(Glob(glob, ignores_case=ignores_case), quick)


async def _matches(process: Process, sought: Sought, line: str) -> bool:
    """Raises `RegularError` where that may take long."""
    if sought.regular is not None:
        return await is_found(sought.regular, line, process.effort)
    if sought.quick is not None and len(line) <= limits.SHELL_PIECE_BYTES:
        await process.effort(len(line))
        return sought.quick.match(line) is not None
    return await matches(sought.glob, line, process.effort)


async def matches_one(process: Process, patterns: Sequence[Sought], line: str) -> bool:
    for sought in patterns:
        if await _matches(process, sought, line):
            return True
    return False


def _as_glob(pattern: str, *, fixed: bool) -> str:
    """A regular expression of the plainest sort, with anchors, dots and brackets, as a shell's pattern, which can't take for ever."""
    if fixed:
        return f"*{glob_escaped(pattern)}*"
    start, end = pattern.startswith("^"), pattern.endswith("$") and not pattern.endswith("\\$")
    body = pattern[int(start) : len(pattern) - int(end)]
    parts: list[str] = [] if start else ["*"]
    for found in re.finditer(r"\\(.)|\.\*|(\[[^]]+\])|(.)", body):
        if found[1]:
            parts.append(_literal(found[1]))
        elif found[0] == ".*":
            parts.append("*")
        else:
            parts.append(found[2].replace("[^", "[!") if found[2] else "?" if found[3] == "." else _literal(found[3]))
    return re.sub(r"\*{2,}", "*", "".join([*parts, *([] if end else ["*"])]))


def _literal(char: str) -> str:
    return f"[{char}]" if char in "*?[" else char
