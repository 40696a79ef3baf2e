"""Sums of whole numbers: ``$((…))``, ``((…))``, ``let``. Operators are those of C; what isn't needed (``0 && x++``) isn't done."""

import re
from typing import Final, Protocol

from svcsim import limits

_TOKEN = re.compile(r"\s*(0[xX][0-9A-Fa-f]+|\d+(?:#\w+)?|[A-Za-z_]\w*|\+\+|--|(?:<<|>>|\*\*|\|\||&&|[-+*/%&|^<>=!])=?|[?:,()~])")
_NAME = re.compile(r"[A-Za-z_]\w*")
_VALUE = re.compile(r"\s*([+-]?)(0[xX][0-9A-Fa-f]{1,16}|\d{1,19}(?:#\w{1,64})?)\s*")
_RANKS: Final = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "%": 10, "**": 11,
}  # fmt: skip
"""Of operators between two values: what has more binds its values first."""
_ASSIGNING: Final = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_STEPS: Final = {"++": 1, "--": -1}
_BITS: Final = 64
_LARGEST_BASE: Final = 36


class SumError(Exception):
    """It can't be worked out; says why."""


class Numbers(Protocol):
    """The variables of whoever asks."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...


def worked_out(text: str, variables: Numbers) -> int:
    """What a sum comes to. Raises `SumError`."""
    return _Sum(text, variables).whole()


class _Sum:
    def __init__(self, text: str, variables: Numbers) -> None:
        self._variables = variables
        self._tokens: list[str] = []
        self._at = 0
        self._idle = 0
        """How many parts we are in that are read, and not worked out."""
        self._depth = 0
        at, text = 0, text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or len(self._tokens) > limits.SHELL_LEVELS * 4:
                raise SumError(f'arithmetic expression: expecting EOF: "{text[:100]}"')
            self._tokens.append(found[1])
            at = found.end()

    def whole(self) -> int:
        if not self._tokens:
            return 0
        value = self._listed()
        if self._at < len(self._tokens):
            raise SumError("arithmetic syntax error")
        return value

    def _next(self, after: int = 0) -> str:
        return self._tokens[self._at + after] if self._at + after < len(self._tokens) else ""

    def _take(self, wanted: str) -> None:
        if self._next() != wanted:
            raise SumError("arithmetic syntax error")
        self._at += 1

    def _listed(self) -> int:
        value = self._assigned()
        while self._next() == ",":
            self._at += 1
            value = self._assigned()
        return value

    def _assigned(self) -> int:
        name, operator = self._next(), self._next(1)
        if operator not in _ASSIGNING or not _NAME.fullmatch(name):
            return self._chosen()
        self._at += 2
        with_what = self._deeper_assigned()
        value = with_what if operator == "=" else self._joined(operator[:-1], self._variable(name), with_what)
        self._set(name, value)
        return value

    def _deeper_assigned(self) -> int:
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise SumError("arithmetic expression: nested too deeply")
        value = self._assigned()
        self._depth -= 1
        return value

    def _chosen(self) -> int:
        value = self._ranked(1)
        if self._next() != "?":
            return value
        self._at += 1
        self._idle += value == 0
        one = self._deeper_assigned()
        self._idle += (value != 0) - (value == 0)
        self._take(":")
        other = self._deeper_assigned()
        self._idle -= value != 0
        return one if value else other

    def _ranked(self, least: int) -> int:
        value = self._single()
        while (rank := _RANKS.get(self._next(), 0)) >= least:
            operator = self._next()
            self._at += 1
            unneeded = (operator == "||" and value != 0) or (operator == "&&" and value == 0)
            self._idle += unneeded
            right = self._ranked(rank + (operator != "**"))
            self._idle -= unneeded
            value = self._joined(operator, value, right)
        return value

    def _single(self) -> int:
        signs: list[str] = []
        while self._next() in {"-", "+", "!", "~"}:
            signs.append(self._next())
            self._at += 1
        value = self._stepped()
        for sign in reversed(signs):
            value = -value if sign == "-" else ~value if sign == "~" else int(value == 0) if sign == "!" else value
        return value

    def _stepped(self) -> int:
        """A value, perhaps one that is counted up or down."""
        step = _STEPS.get(self._next())
        if step is not None:
            self._at += 1
            name = self._name()
            value = self._variable(name) + step
            self._set(name, value)
            return value
        token = self._next()
        if token == "(":
            self._at += 1
            self._depth += 1
            if self._depth > limits.SHELL_LEVELS:
                raise SumError("arithmetic expression: nested too deeply")
            value = self._listed()
            self._depth -= 1
            self._take(")")
            return value
        if not _NAME.fullmatch(token):
            self._at += 1
            return number_of(token)
        name = self._name()
        value, step = self._variable(name), _STEPS.get(self._next())
        if step is not None:
            self._at += 1
            self._set(name, value + step)
        return value

    def _name(self) -> str:
        name = self._next()
        if not _NAME.fullmatch(name):
            raise SumError("arithmetic syntax error")
        self._at += 1
        return name

    def _variable(self, name: str) -> int:
        return number_of(self._variables.get(name) or "0")

    def _set(self, name: str, value: int) -> None:
        if not self._idle:
            self._variables.set(name, str(_wrapped(value)))

    def _joined(self, operator: str, left: int, right: int) -> int:
        return 0 if self._idle else joined(operator, left, right)


def number_of(text: str) -> int:
    """``7``, ``0x1F``, ``017`` and ``2#101``. Raises `SumError`."""
    found = _VALUE.fullmatch(text)
    if found is None:
        raise SumError("arithmetic syntax error" if not text.strip().isalnum() else f"Illegal number: {text[:100]}")
    digits, base = found[2], 10
    if "#" in digits:
        base_text, _, digits = digits.partition("#")
        base = int(base_text)
    elif digits[:2].lower() == "0x":
        digits, base = digits[2:], 16
    elif digits.startswith("0"):
        base = 8
    try:
        value = int(digits, base) if 2 <= base <= _LARGEST_BASE else int("", base)
    except ValueError:
        raise SumError(f"Illegal number: {text[:100]}") from None
    return _wrapped(-value if found[1] == "-" else value)


def joined(operator: str, left: int, right: int) -> int:
    """What an operator makes of two values. Raises `SumError`."""
    if operator in {"/", "%"}:
        if right == 0:
            raise SumError("divide by zero")
        whole = abs(left) // abs(right) * (1 if (left < 0) is (right < 0) else -1)
        return _wrapped(whole if operator == "/" else left - whole * right)
    if operator == "**":
        if right < 0:
            raise SumError("exponent less than 0")
        return _wrapped(pow(left, right, 1 << _BITS))
    if operator in {"<<", ">>"}:
        return _wrapped(left << right % _BITS if operator == "<<" else left >> right % _BITS)
    results = {
        "+": left + right, "-": left - right, "*": left * right, "<": left < right, ">": left > right, "<=": left <= right,
        ">=": left >= right, "==": left == right, "!=": left != right, "&&": bool(left and right), "||": bool(left or right),
        "&": left & right, "|": left | right, "^": left ^ right,
    }  # fmt: skip
    return _wrapped(int(results[operator]))


def _wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
