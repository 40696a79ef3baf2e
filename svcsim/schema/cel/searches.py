"""Finds what matches a regular expression in a text, in time that is bounded by the lengths of both.

The CEL library brings RE2, and says only whether a pattern matches. Python's own expressions can be made to take for ever. So a pattern
that RE2 has found right is read here, and all ways of matching it are followed side by side: the first to begin wins, and of those that
begin together the one that a pattern tries first.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.schema.patterns import matcher, wrong_with

_CLASSES = {"d": r"[0-9]", "D": r"[^0-9]", "w": r"[0-9A-Za-z_]", "W": r"[^0-9A-Za-z_]", "s": r"[\t\n\f\r ]", "S": r"[^\t\n\f\r ]"}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
    "space": r"\t\n\v\f\r ",
    "blank": r"\t ",
    "punct": r"!-/:-@\[-`{-~",
    "cntrl": r"\x00-\x1f\x7f",
    "print": " -~",
    "graph": "!-~",
    "ascii": r"\x00-\x7f",
}
_EDGES = {"A": "^", "z": "$", "b": "b", "B": "B"}
_COUNTED = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP = re.compile(r"\?(?:P?<\w+>|([imsU]*)(?:-([imsU]+))?:)")
_MODE = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?\)")
_SIGNS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_SET = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_MEMBER = re.compile(r"\[:(?P<posix>\^?\w+):\]|(?P<escaped>\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.))|.", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|([0-7]{1,3})|(.))", re.DOTALL)
_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}


class _One(NamedTuple):
    """A step over one character of a sort."""

    takes: Callable[[str], object]


class _Edge(NamedTuple):
    """A place that has to be an edge of the text, of a line or of a word."""

    sort: str
    lines: bool = False


class _Fork(NamedTuple):
    """Ways to go on, the first first; as distances."""

    ways: tuple[int, ...]


_Code = list[_One | _Edge | _Fork]


def find(text: str, pattern: str) -> str:
    """The first that matches; empty where nothing does."""
    return next((text[start:end] for start, end in _found(text, pattern)), "")


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """All that match, or so many."""
    found: list[str] = []
    for start, end in _found(text, pattern):
        if 0 <= limit <= len(found):
            break
        found.append(text[start:end])
    return found


def _found(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Where matches stand that don't overlap; an empty one doesn't stand behind another."""
    why = wrong_with(pattern)
    if why:
        raise ValueError(f"Illegal regex: {why}")
    if not matcher(pattern)(text):
        return
    code = _code(pattern)
    position, last = 0, -1
    while position <= len(text) and (match := _first(code, text, position)) is not None:
        start, end = match
        if start != end or start != last:
            yield start, end
        last = end
        position = end if end > position else position + 1


def _first(code: _Code, text: str, position: int) -> tuple[int, int] | None:
    """The first match from a position on."""
    found: tuple[int, int] | None = None
    ways: dict[int, int] = {}
    """Where in the code each way stands, and where in the text it began; the first is tried first."""
    for index in range(position, len(text) + 1):
        if found is None:
            _follow(code, 0, index, text, index, ways)
        after: dict[int, int] = {}
        for at, start in ways.items():
            if at == len(code):
                found = start, index
                break
            step = code[at]
            if isinstance(step, _One) and index < len(text) and step.takes(text[index]):
                _follow(code, at + 1, start, text, index + 1, after)
        ways = after
        if found is not None and not ways:
            break
    return found


def _follow(code: _Code, at: int, start: int, text: str, index: int, ways: dict[int, int]) -> None:
    """All places to which a way leads before the next character."""
    open_, seen = [at], set[int]()
    while open_:
        here = open_.pop()
        if here in seen or here in ways:
            continue
        seen.add(here)
        step = code[here] if here < len(code) else None
        if isinstance(step, _Fork):
            open_ += [here + way for way in reversed(step.ways)]
        elif isinstance(step, _Edge):
            if _is_edge(step, text, index):
                open_.append(here + 1)
        else:
            ways[here] = start


def _is_edge(edge: _Edge, text: str, index: int) -> bool:
    if edge.sort == "^":
        return index == 0 or (edge.lines and text[index - 1] == "\n")
    if edge.sort == "$":
        return index == len(text) or (edge.lines and text[index] == "\n")
    before, after = (bool(_is_word(one)) for one in (text[max(0, index - 1) : index], text[index : index + 1]))
    return (before != after) == (edge.sort == "b")


_is_word = re.compile(r"\w", re.ASCII).match


@lru_cache(limits.CEL_SEARCHES)
def _code(pattern: str) -> _Code:
    return _Reader(pattern).either("")


class _Reader:
    """Reads a pattern that is known to be right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def either(self, flags: str) -> _Code:
        """Up to the end of the pattern, or of the group."""
        branches: list[_Code] = [[]]
        while self._next not in ("", ")"):
            if self._next == "|":
                self._at += 1
                branches.append([])
            elif (mode := _MODE.match(self._pattern, self._at)) is not None:
                self._at = mode.end()
                flags = _changed(flags, mode)
            else:
                branches[-1] += self._repeated(self._atom(flags))
                if sum(map(len, branches)) > limits.CEL_SEARCH_STEPS:
                    raise ValueError("regular expression is too long to search with")
        code = branches.pop()
        for branch in reversed(branches):
            code = [_Fork((1, len(branch) + 2)), *branch, _Fork((len(code) + 1,)), *code]
        return code

    @property
    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _atom(self, flags: str) -> _Code:
        char = self._next
        if char == "\\":
            return self._escape(flags)
        if char == "[":
            found = _SET.match(self._pattern, self._at)
            if found is None:
                raise ValueError(f"no set of characters: {self._pattern[self._at :]}")
            self._at = found.end()
            return [_sort(_as_set(found[0]), flags)]
        self._at += 1
        match char:
            case "(":
                group = _GROUP.match(self._pattern, self._at)
                if group is not None:
                    self._at = group.end()
                    flags = flags if group[1] is None else _changed(flags, group)
                inner = self.either(flags)
                self._at += 1
                return inner
            case ".":
                return [_sort(".", flags)]
            case "^" | "$":
                return [_Edge(char, "m" in flags)]
        return [_sort(re.escape(char), flags)]

    def _escape(self, flags: str) -> _Code:
        found = _ESCAPE.match(self._pattern, self._at)
        if found is None:
            raise ValueError("trailing backslash")
        self._at = found.end()
        if found[4] in _EDGES:
            return [_Edge(_EDGES[found[4]])]
        return [_sort(_as_escape(found), flags)]

    def _repeated(self, code: _Code) -> _Code:
        """With the counts behind it."""
        while self._next and self._next in "*+?{":
            counted = _COUNTED.match(self._pattern, self._at)
            if self._next == "{" and counted is None:
                break
            least, most = _counts(counted) if counted is not None else _SIGNS[self._next]
            self._at = counted.end() if counted is not None else self._at + 1
            lazy = self._next == "?"
            self._at += lazy
            code = _times(code, least, most, lazy=lazy)
        return code


def _counts(found: re.Match[str]) -> tuple[int, int | None]:
    least = int(found[1])
    return least, least if found[2] is None else int(found[3]) if found[3] else None


def _times(code: _Code, least: int, most: int | None, *, lazy: bool) -> _Code:
    if len(code) * max(least, most or 0, 1) > limits.CEL_SEARCH_STEPS:
        raise ValueError("regular expression is too long to search with")
    if most is None:
        on = (1, len(code) + 2)
        return [*code * least, _Fork(on[::-1] if lazy else on), *code, _Fork((-len(code) - 1,))]
    more: _Code = []
    for _ in range(most - least):
        inner = [*code, *more]
        on = (1, len(inner) + 1)
        more = [_Fork(on[::-1] if lazy else on), *inner]
    return [*code * least, *more]


def _changed(flags: str, found: re.Match[str]) -> str:
    """Flags as a group changes them."""
    kept = [flag for flag in flags if flag not in (found[2] or "")]
    return "".join((*kept, found[1] or ""))


def _sort(sort: str, flags: str) -> _One:
    """One character, as Python's own expressions say it."""
    options = re.ASCII | (re.IGNORECASE if "i" in flags else re.ASCII) | (re.DOTALL if "s" in flags else re.ASCII)
    return _One(re.compile(sort, options).match)


def _as_set(text: str) -> str:
    """A set of characters, with all that means something else to Python written in another way."""
    start = "[^" if text.startswith("[^") else "["
    return start + "".join(_member(found) for found in _MEMBER.finditer(text[len(start) : -1])) + "]"


def _member(found: re.Match[str]) -> str:
    if found["posix"]:
        if found["posix"] not in _POSIX:
            raise ValueError(f"no search with {found[0]} in a regular expression")
        return _POSIX[found["posix"]]
    if found["escaped"]:
        escape = _ESCAPE.match(found[0])
        return found[0] if escape is None or escape[4] in _CLASSES else _as_escape(escape)
    return found[0] if found[0] in "-^" else re.escape(found[0])


def _as_escape(found: re.Match[str]) -> str:
    code, short, octal, letter = found.groups()
    if letter is None:
        return re.escape(chr(int(code or short, 16) if code or short else int(octal, 8)))
    if letter in _CLASSES:
        return _CLASSES[letter]
    if letter.isalnum() and letter not in _CONTROLS:
        raise ValueError(f"no search with \\{letter} in a regular expression")
    return re.escape(_CONTROLS.get(letter, letter))
