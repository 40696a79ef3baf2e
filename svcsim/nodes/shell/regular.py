"""POSIX extended regular expressions, which RE2 looks for: whatever they are, it never goes back.

The time that one look at a text takes still grows with the expression as well as with the text. It is paid for beforehand, and each look
has a limit. Of all that begins first, the longest is found.
"""

import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.re2_options import re2_options
from svcsim.nodes.shell.globs import CLASSES

if TYPE_CHECKING:
    import re2

_Effort: TypeAlias = Callable[[int], Awaitable[None]]
"""Called with the work that is about to be done, as so many bytes that are looked at."""


class RegularError(Exception):
    """An expression that is invalid or isn't simulated."""


@lru_cache(maxsize=limits.SHELL_REGULARS)
def _compiled(pattern: str, *, ignores_case: bool, groups: bool) -> "re2._Regexp":
    import re2  # noqa: PLC0415 - which most clusters never need

    options = re2_options(
        most_bytes=limits.SHELL_REGULAR_BYTES, ignores_case=ignores_case, dot_matches_line_ends=True, longest=True, captures=groups
    )
    try:
        return re2.compile(_encoded(_Reader(pattern).whole()), options=options)
    except re2.error:
        raise RegularError("so large a regular expression isn't simulated here") from None


def compiled(pattern: str, *, ignores_case: bool = False, groups: bool = False) -> "re2._Regexp":
    """An expression as RE2 has it, which can tell its groups if these are wanted. Raises `RegularError`."""
    if len(pattern) > limits.SHELL_TRIMMED_CHARS:
        raise RegularError("such a long regular expression isn't simulated here")
    return _compiled(pattern, ignores_case=ignores_case, groups=groups)


def check_spelling(pattern: str) -> None:
    """Raises `RegularError` if something is no expression."""
    _Reader(pattern).whole()


async def read_expression(pattern: str, effort: _Effort, *, ignores_case: bool = False, groups: bool = False) -> "re2._Regexp":
    """The same as `compiled` where it is paid for. Raises `RegularError`."""
    await effort(len(pattern) * limits.SHELL_REGULAR_SIGN_COSTS_BYTES)
    expression = compiled(pattern, ignores_case=ignores_case, groups=groups)
    await effort(expression.programsize * limits.SHELL_REGULAR_SIGN_COSTS_BYTES)
    return expression


async def groups_found(pattern: str, text: str, effort: _Effort) -> list[str] | None:
    """The first match of an expression in a text, and its groups, which are empty where they have no part in it. Raises `RegularError`."""
    expression, searched = await read_expression(pattern, effort, groups=True), _encoded(text)
    await _pay(expression, len(searched), effort)
    found = expression.search(searched)
    return None if found is None else [_decoded(group or b"") for group in (found[0], *found.groups())]


async def is_found(expression: "re2._Regexp", text: str, effort: _Effort) -> bool:
    """Whether an expression matches a part of a text. Raises `RegularError`."""
    searched = _encoded(text)
    await _pay(expression, len(searched), effort)
    return expression.search(searched) is not None


async def all_found(expression: "re2._Regexp", text: str, effort: _Effort, part: int) -> list[str]:
    """What a group of an expression matches in a text, from left to right, but for what is empty. Raises `RegularError`.

    Group 0 is all of it. What is behind the group is looked at again.
    """
    searched, parts, at = _encoded(text), list[str](), 0
    while at < len(searched):
        await _pay(expression, len(searched) - at, effort)
        found = expression.search(searched, at)
        if found is None:
            break
        start, end = found.span(part)
        if start < end:
            parts.append(_decoded(searched[start:end]))
        at = max(end, found.start() + 1)
    return parts


async def _pay(expression: "re2._Regexp", size_bytes: int, effort: _Effort) -> None:
    """For a look at so much of a text. Raises `RegularError` if it might take too long."""
    steps = expression.programsize * size_bytes
    if steps > limits.SHELL_REGULAR_STEPS:
        raise RegularError("the text is too long for such a regular expression")
    await effort(size_bytes + steps // limits.SHELL_REGULAR_STEPS_A_BYTE)


def _encoded(text: str) -> bytes:
    """With bytes that are no text as characters of their own."""
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def escaped(text: str) -> str:
    """A text as an expression that matches it literally."""
    return re.sub(r"([^\w\s])", r"\\\1", text)


class _Edges(NamedTuple):
    """What is known of all that a part of an expression matches."""

    begins: bool
    """Whether it begins with a letter, a digit or an underscore, if it is anything."""
    ends: bool
    """Whether it ends with one, if it is anything."""
    may_be_empty: bool

    def followed_by(self, other: "_Edges") -> "_Edges":
        return _Edges(
            self.begins and (not self.may_be_empty or other.begins),
            other.ends and (not other.may_be_empty or self.ends),
            self.may_be_empty and other.may_be_empty,
        )


_NOTHING = _Edges(True, True, True)
_WORDLY = _Edges(True, True, False)
_OTHER = _Edges(False, False, False)


class _Part(NamedTuple):
    """A part of an expression in RE2's syntax."""

    text: str
    edges: _Edges


_WORD_BEGINS = _Part(r"\b", _NOTHING)
_WORD_ENDS = _Part(r"\b", _NOTHING)
"""RE2 knows the edges of words, not which of them are beginnings: that shows in what is beside them, or else isn't simulated."""
_SHORT = {
    "w": _Part(r"[A-Za-z0-9_]", _WORDLY), "W": _Part(r"[^A-Za-z0-9_]", _OTHER), "s": _Part(r"[ \t-\r]", _OTHER),
    "S": _Part(r"[^ \t-\r]", _OTHER), "b": _Part(r"\b", _NOTHING), "B": _Part(r"\B", _NOTHING), "<": _WORD_BEGINS, ">": _WORD_ENDS,
    "d": _Part("d", _WORDLY),
}  # fmt: skip
"""Extensions of GNU."""
_SIGNS = {"^": _Part("^", _NOTHING), "$": _Part("$", _NOTHING), ".": _Part(".", _OTHER)}
_REPEATS = re.compile(r"[*+?]|\{(?:\d{1,3}(?:,\d{0,3})?|,\d{1,3})\}")
_MAY_BE_NONE = re.compile(r"[*?]|\{0*[,}]")
_WORD_RANGES = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
_CLASS = re.compile(r"\[:(\w+):\]")
_ODD_IN_SETS = ("[.", "[=")


class _Reader:
    """Translates an expression to RE2's syntax."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> str:
        read = self._alternatives()
        if self._at < len(self._pattern):
            raise RegularError("Unmatched ) or \\\\)")
        return read.text

    def _alternatives(self) -> _Part:
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise RegularError("nested too deeply")
        parts = [self._row()]
        while self._pattern.startswith("|", self._at):
            self._at += 1
            parts.append(self._row())
        self._depth -= 1
        edges = [part.edges for part in parts]
        together = _Edges(all(one.begins for one in edges), all(one.ends for one in edges), any(one.may_be_empty for one in edges))
        return _Part("|".join(part.text for part in parts), together)

    def _row(self) -> _Part:
        parts: list[_Part] = []
        before = _NOTHING
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            part = self._one()
            if part is _WORD_ENDS and (before.may_be_empty or not before.ends):
                raise RegularError("\\> behind what may end with something else than a letter isn't simulated here")
            parts.append(self._repeated(part))
            before = before.followed_by(parts[-1].edges)
        behind = _NOTHING
        for part in reversed(parts):
            if part is _WORD_BEGINS and (behind.may_be_empty or not behind.begins):
                raise RegularError("\\< before what may begin with something else than a letter isn't simulated here")
            behind = part.edges.followed_by(behind)
        return _Part("".join(part.text for part in parts), before)

    def _repeated(self, part: _Part) -> _Part:
        """A part with all that says how often it is there."""
        text, edges = part
        is_repeated = False
        while repeats := _REPEATS.match(self._pattern, self._at):
            self._at = repeats.end()
            often = repeats[0].replace("{,", "{0,")
            least, _, most = often[1:-1].partition(",")
            if most and int(least) > int(most):
                raise RegularError("Invalid content of \\\\{\\\\}")
            text = f"(?:{text}){often}" if is_repeated or edges.may_be_empty else f"{text}{often}"
            edges = edges._replace(may_be_empty=edges.may_be_empty or _MAY_BE_NONE.match(often) is not None)
            is_repeated = True
        return _Part(text, edges) if is_repeated else part

    def _one(self) -> _Part:
        """A character, a bracket expression or a group."""
        char = self._pattern[self._at]
        self._at += 1
        if char == "(":
            inner = self._alternatives()
            if not self._pattern.startswith(")", self._at):
                raise RegularError("Unmatched ( or \\\\(")
            self._at += 1
            return _Part(f"({inner.text})", inner.edges)
        if char == "[":
            return self._set()
        if char == "\\":
            return self._escape()
        if char == "{":
            raise RegularError("Invalid preceding regular expression")
        return _SIGNS.get(char) or _literal(char)

    def _escape(self) -> _Part:
        following = self._pattern[self._at : self._at + 1]
        self._at += 1
        if not following:
            raise RegularError("Trailing backslash")
        if following in _SHORT:
            return _SHORT[following]
        if following.isalnum():
            raise RegularError(f"\\{following} isn't simulated here")
        return _literal(following)

    def _set(self) -> _Part:
        negated = self._pattern.startswith("^", self._at)
        start = at = self._at + negated
        ranges: list[tuple[str, str]] = []
        while at < len(self._pattern) and (self._pattern[at] != "]" or at == start):
            if self._pattern.startswith(_ODD_IN_SETS, at):
                raise RegularError(f"[{self._pattern[at : at + 2]} isn't simulated here")
            named = _CLASS.match(self._pattern, at)
            if named is not None:
                if named[1] not in CLASSES:
                    raise RegularError("Invalid character class name")
                ranges += CLASSES[named[1]]
                at = named.end()
                continue
            first = last = self._pattern[at]
            if self._pattern.startswith("-", at + 1) and self._pattern[at + 2 : at + 3] not in {"]", ""}:
                at += 2
                last = self._pattern[at]
            if first > last:
                raise RegularError("Invalid range end")
            ranges.append((first, last))
            at += 1
        if at >= len(self._pattern):
            raise RegularError("Unmatched [, [^, [:, [., or [=")
        self._at = at + 1
        is_wordly = not negated and all(any(low <= first and last <= high for low, high in _WORD_RANGES) for first, last in ranges)
        written = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in ranges)
        return _Part(f"[{'^' if negated else ''}{written}]", _WORDLY if is_wordly else _OTHER)


def _literal(char: str) -> _Part:
    return _Part(re.escape(char), _WORDLY if any(low <= char <= high for low, high in _WORD_RANGES) else _OTHER)
