"""POSIX extended regular expressions, as far as they can't take long.

Python's `re` backtracks, and the number of ways that it tries grows with each repeated part. So expressions with nested repetitions aren't
simulated, and others only in texts that are short enough.
"""

import re
from functools import lru_cache

from svcsim import limits
from svcsim.nodes.shell.globs import CLASSES

_REPEATS = re.compile(r"[*+?]\??|\{\d{1,3}(?:,\d{0,3})?\}")


class RegularError(Exception):
    """An expression that is invalid or isn't simulated."""


@lru_cache(maxsize=limits.SHELL_SCRIPTS)
def _compiled(pattern: str, *, ignores_case: bool) -> tuple[re.Pattern[str], int]:
    """An expression in Python's syntax, and how many of its parts are repeated."""
    reader = _Reader(pattern)
    text = reader.whole()
    try:
        return re.compile(text, re.IGNORECASE if ignores_case else 0), reader.repeated + int(not pattern.startswith("^"))
    except (re.error, OverflowError, RecursionError) as error:
        raise RegularError(f"{pattern}: {error}") from None


def compiled(pattern: str, *, ignores_case: bool = False) -> re.Pattern[str]:
    """An expression in Python's syntax. Raises `RegularError`."""
    if len(pattern) > limits.SHELL_TRIMMED_CHARS:
        raise RegularError("such a long regular expression isn't simulated here")
    return _compiled(pattern, ignores_case=ignores_case)[0]


def searched(pattern: str, text: str) -> re.Match[str] | None:
    """The first match of an expression in a text. Raises `RegularError`."""
    return _affordable(pattern, text, ignores_case=False).search(text)


def all_found(pattern: str, text: str, *, ignores_case: bool) -> list[str]:
    """The matches of an expression in a text, from left to right. Raises `RegularError`."""
    return [found[0] for found in _affordable(pattern, text, ignores_case=ignores_case).finditer(text)]


def _affordable(pattern: str, text: str, *, ignores_case: bool) -> re.Pattern[str]:
    """The compiled expression. Raises `RegularError` if it might take too long for this text."""
    expression = compiled(pattern, ignores_case=ignores_case)
    repeated = _compiled(pattern, ignores_case=ignores_case)[1]
    if len(pattern) * (len(text) + 1) ** max(repeated, 1) > limits.SHELL_REGULAR_STEPS:
        raise RegularError("the text is too long for such a regular expression")
    return expression


def escaped(text: str) -> str:
    """A text as an expression that matches it literally."""
    return re.sub(r"([^\w\s])", r"\\\1", text)


class _Reader:
    """Translates an expression to Python's syntax."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self.repeated = 0
        self._depth = 0

    def whole(self) -> str:
        written = self._alternatives()
        if self._at < len(self._pattern):
            raise RegularError("Unmatched ) or \\\\)")
        return written

    def _alternatives(self) -> str:
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise RegularError("nested too deeply")
        parts = [self._row()]
        while self._pattern.startswith("|", self._at):
            self._at += 1
            parts.append(self._row())
        self._depth -= 1
        return "|".join(parts)

    def _row(self) -> str:
        written: list[str] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            before = self.repeated
            one, is_plain = self._one()
            repeats = _REPEATS.match(self._pattern, self._at)
            if repeats is not None:
                self._at = repeats.end()
                self.repeated += 1
                if repeats[0][0] != "?" and (self.repeated - before > 1 or not is_plain):
                    raise RegularError("what is repeated within what is repeated isn't simulated here")
                one += repeats[0] if repeats[0].startswith("{") else repeats[0][0]
            written.append(one)
        return "".join(written)

    def _one(self) -> tuple[str, bool]:
        """A character, a bracket expression or a group, and whether it can only match in one way."""
        char = self._pattern[self._at]
        self._at += 1
        if char == "(":
            inner = self._alternatives()
            if not self._pattern.startswith(")", self._at):
                raise RegularError("Unmatched ( or \\\\(")
            self._at += 1
            return f"({inner})", "|" not in inner
        if char == "[":
            return self._set(), True
        if char == "\\":
            following = self._pattern[self._at : self._at + 1]
            self._at += 1
            if following in _SHORT:
                return _SHORT[following], True
            if following.isalnum() or not following:
                raise RegularError(f"\\{following} isn't simulated here")
            return re.escape(following), True
        if char == "{":
            raise RegularError("Invalid preceding regular expression")
        return char if char in "^.$" else re.escape(char), True

    def _set(self) -> str:
        negated = self._pattern.startswith("^", self._at)
        at, written = self._at + negated, list[str]()
        while at < len(self._pattern) and (self._pattern[at] != "]" or at == self._at + negated):
            end = self._pattern.find(":]", at)
            name = self._pattern[at + 2 : end] if self._pattern.startswith("[:", at) and end > 0 else ""
            if name in CLASSES:
                written += [f"{re.escape(first)}-{re.escape(last)}" for first, last in CLASSES[name]]
                at = end + 2
                continue
            char = self._pattern[at]
            is_range = char == "-" and written and self._pattern[at + 1 : at + 2] not in {"]", ""}
            written.append("-" if is_range else re.escape(char))
            at += 1
        if at >= len(self._pattern):
            raise RegularError("Unmatched [, [^, [:, [., or [=")
        self._at = at + 1
        return f"[{'^' if negated else ''}{''.join(written)}]"


_SHORT = {
    "w": r"[A-Za-z0-9_]", "W": r"[^A-Za-z0-9_]", "s": r"[ \t-\r]", "S": r"[^ \t-\r]", "b": r"\b", "B": r"\B", "<": r"\b(?=\w)",
    ">": r"\b(?<=\w)", "d": "d",
}  # fmt: skip
"""Extensions of GNU."""
