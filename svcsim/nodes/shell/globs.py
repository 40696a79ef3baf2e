"""Shell patterns (``*``, ``?``, ``[a-z]``, ``[[:alpha:]]``), matched in time linear in the text, whatever the pattern is.

A pattern is a nondeterministic automaton: a row of elements that match one character each, with stars between them. Its state is an
integer whose bits are positions in that row. All of them advance together at each character, so that nothing is tried twice, and a text may
come in pieces.
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple, TypeAlias

from svcsim import limits

CLASSES: dict[str, tuple[tuple[str, str], ...]] = {
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "alpha": (("A", "Z"), ("a", "z")),
    "blank": ((" ", " "), ("\t", "\t")),
    "cntrl": (("\0", "\x1f"), ("\x7f", "\x7f")),
    "digit": (("0", "9"),),
    "graph": (("!", "~"),),
    "lower": (("a", "z"),),
    "print": ((" ", "~"),),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "space": ((" ", " "), ("\t", "\r")),
    "upper": (("A", "Z"),),
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
}
"""The POSIX character classes in the C locale."""
_CLASS_BEGINS, _CLASS_ENDS = "[:", ":]"


class _Set(NamedTuple):
    """A bracket expression: one of several characters."""

    chars: str
    ranges: tuple[tuple[str, str], ...]
    is_negated: bool

    def has(self, char: str) -> bool:
        return (char in self.chars or any(first <= char <= last for first, last in self.ranges)) is not self.is_negated


_Sign: TypeAlias = str | _Set | None
"""A literal character, a bracket expression, or ``?``."""


class Glob:
    """A pattern that is matched from the beginning of a text."""

    def __init__(self, pattern: str, *, backwards: bool = False, ignores_case: bool = False) -> None:
        """``backwards``: the texts are reversed."""
        self._ignores_case = ignores_case
        signs, stars = _read(pattern.lower() if ignores_case else pattern)
        if backwards:
            signs, stars = signs[::-1], [len(signs) - star for star in stars]
        self._size = len(signs)
        self._stays = sum(1 << place for place in set(stars))
        self._any = self._bits(place for place, sign in enumerate(signs) if sign is None)
        self._sets = [(1 << place, sign) for place, sign in enumerate(signs) if isinstance(sign, _Set)]
        places: dict[str, list[int]] = {}
        for place, sign in enumerate(signs):
            if isinstance(sign, str):
                places.setdefault(sign, []).append(place)
        self._literal = {char: self._bits(iter(found)) for char, found in places.items()}
        self._steps: dict[str, int] = {}

    def _bits(self, places: Iterator[int]) -> int:
        bits = bytearray(self._size // 8 + 1)
        for place in places:
            bits[place // 8] |= 1 << place % 8
        return int.from_bytes(bits, "little")

    @property
    def begin(self) -> int:
        """The state before the text."""
        return 1

    def fed(self, so_far: int, text: str) -> int:
        """The state after more of the text."""
        steps, stays = self._steps, self._stays
        for char in text.lower() if self._ignores_case else text:
            step = steps.get(char)
            if step is None:
                step = self._step(char)
            so_far = ((so_far & step) << 1) | (so_far & stays)
            if not so_far:
                break
        return so_far

    def is_over(self, so_far: int) -> bool:
        """Whether a state is a match if the text ends there."""
        return bool(so_far >> self._size & 1)

    def matches(self, text: str) -> bool:
        """Whether the pattern matches the whole text."""
        return self.is_over(self.fed(self.begin, text))

    def lengths(self, text: str) -> Iterator[int]:
        """The lengths of the prefixes of a text that match, the shortest first."""
        so_far = self.begin
        if self.is_over(so_far):
            yield 0
        for at, char in enumerate(text, 1):
            so_far = self.fed(so_far, char)
            if not so_far:
                return
            if self.is_over(so_far):
                yield at

    def _step(self, char: str) -> int:
        found = self._any | self._literal.get(char, 0)
        for bit, sign in self._sets:
            if sign.has(char):
                found |= bit
        if len(self._steps) >= limits.SHELL_PATTERN_STEPS:
            self._steps.clear()
        self._steps[char] = found
        return found


async def matches(glob: Glob, text: str, effort: Callable[[int], Awaitable[None]]) -> bool:
    """Whether a pattern matches the whole of a text, which may be long: ``effort`` is called with the work done after each piece."""
    so_far, size = glob.begin, limits.SHELL_PIECE_BYTES // limits.SHELL_PATTERN_CHAR_COSTS_BYTES
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        so_far = glob.fed(so_far, piece)
        await effort(len(piece) * limits.SHELL_PATTERN_CHAR_COSTS_BYTES)
    return glob.is_over(so_far)


def _read(pattern: str) -> tuple[list[_Sign], list[int]]:
    """The elements of a pattern, and how many of them precede each star."""
    signs: list[_Sign] = []
    stars: list[int] = []
    closings = _closings(pattern) if "[" in pattern else []
    at = 0
    while at < len(pattern):
        char, end = pattern[at], at + 1
        if char == "*":
            stars.append(len(signs))
        elif char == "?":
            signs.append(None)
        elif char == "[" and (close := _end_of_set(pattern, at, closings)) > 0:
            signs.append(_read_set(pattern[at + 1 : close]))
            end = close + 1
        else:
            signs.append(char)
        at = end
    return signs, stars


def _end_of_set(pattern: str, at: int, closings: list[int]) -> int:
    """The position of the closing bracket, or -1 if the opening one is literal."""
    first = at + 1 + (pattern[at + 1 : at + 2] in {"!", "^"})
    first += pattern[first : first + 1] == "]"
    return closings[first]


def _closings(pattern: str) -> list[int]:
    """For each position, the closing bracket of an expression that is open there, or -1 if there is none.

    Found from the end, so that each position is looked at once, however many brackets are open.
    """
    found = [-1] * (len(pattern) + 1)
    for at in range(len(pattern) - 1, -1, -1):
        end = _end_of_class(pattern, at)
        found[at] = found[end] if end > 0 else at if pattern[at] == "]" else found[at + 1]
    return found


def _end_of_class(text: str, at: int) -> int:
    """The position behind a class such as ``[:alpha:]`` that begins there, or -1 if none does."""
    if not text.startswith(_CLASS_BEGINS, at):
        return -1
    end = text.find(_CLASS_ENDS, at + len(_CLASS_BEGINS), at + limits.SHELL_CLASS_CHARS)
    return -1 if end < 0 else end + len(_CLASS_ENDS)


def _read_set(text: str) -> _Set:
    is_negated = text[:1] in {"!", "^"}
    body = text[is_negated:]
    chars: list[str] = []
    ranges: list[tuple[str, str]] = []
    at = 0
    while at < len(body):
        if (end := _end_of_class(body, at)) > 0:
            ranges += CLASSES.get(body[at + len(_CLASS_BEGINS) : end - len(_CLASS_ENDS)], ())
            at = end
        elif body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            ranges.append((body[at], body[at + 2]))
            at += 3
        else:
            chars.append(body[at])
            at += 1
    return _Set("".join(chars), tuple(ranges), is_negated)
