"""Arithmetic with integers: ``$((…))``, ``((…))``, ``let``. Operators are those of C; an operand that isn't needed isn't evaluated."""

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from svcsim import limits

_TOKEN = re.compile(r"\s*(0[xX][0-9A-Fa-f]+|\d+(?:#\w+)?|[A-Za-z_]\w*|\+\+|--|(?:<<|>>|\*\*|\|\||&&|[-+*/%&|^<>=!])=?|[?:,()~])")
_NAME = re.compile(r"[A-Za-z_]\w*")
_VALUE = re.compile(r"\s*([+-]?)(0[xX][0-9A-Fa-f]{1,16}|\d{1,19}(?:#\w{1,64})?)\s*")
_PRECEDENCES: Final = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "%": 10, "**": 11,
}  # fmt: skip
"""Of binary operators: those with a higher number bind more tightly."""
_RIGHT_ASSOCIATIVE: Final = ("**",)
_ASSIGNING: Final = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_STEPS: Final = {"++": 1, "--": -1}
_BITS: Final = 64
_LARGEST_BASE: Final = 36


class SumError(Exception):
    """An expression can't be evaluated; the message says why."""


class Numbers(Protocol):
    """The variables of an expression."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...


def evaluate(text: str, variables: Numbers) -> int:
    """The value of an expression. Raises `SumError`."""
    return _Evaluator(text, variables).whole()


class _Evaluator:
    """Evaluates an expression while reading it. Methods are ordered from the loosest to the tightest binding."""

    def __init__(self, text: str, variables: Numbers) -> None:
        self._variables = variables
        self._tokens: list[str] = []
        self._at = 0
        self._skips = False
        """Whether what is read isn't evaluated."""
        self._depth = 0
        at, text = 0, text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or len(self._tokens) > limits.SHELL_LEVELS * 4:
                raise SumError(f'arithmetic expression: expecting EOF: "{text[:100]}"')
            self._tokens.append(found[1])
            at = found.end()

    def whole(self) -> int:
        """The value of all of it, 0 for an empty expression."""
        if not self._tokens:
            return 0
        value = self._comma()
        if self._at < len(self._tokens):
            raise SumError("arithmetic syntax error")
        return value

    def _next(self, after: int = 0) -> str:
        return self._tokens[self._at + after] if self._at + after < len(self._tokens) else ""

    def _take(self, wanted: str) -> None:
        if self._next() != wanted:
            raise SumError("arithmetic syntax error")
        self._at += 1

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        """While a nested part is read. Raises `SumError` if the nesting is too deep."""
        self._depth += 1
        if self._depth > limits.SHELL_LEVELS:
            raise SumError("arithmetic expression: nested too deeply")
        yield
        self._depth -= 1

    def _comma(self) -> int:
        value = self._assignment()
        while self._next() == ",":
            self._at += 1
            value = self._assignment()
        return value

    def _assignment(self) -> int:
        name, assigning = self._next(), self._next(1)
        if assigning not in _ASSIGNING or not _NAME.fullmatch(name):
            return self._conditional()
        self._at += 2
        with self._deeper():
            right = self._assignment()
        value = right if assigning == "=" else self._operation(assigning[:-1], self._variable(name), right)
        self._set(name, value)
        return value

    def _conditional(self) -> int:
        """``condition ? one : other``."""
        condition = self._binary(1)
        if self._next() != "?":
            return condition
        self._at += 1
        one = self._alternative(is_needed=condition != 0)
        self._take(":")
        other = self._alternative(is_needed=condition == 0)
        return one if condition else other

    def _alternative(self, *, is_needed: bool) -> int:
        outer, self._skips = self._skips, self._skips or not is_needed
        with self._deeper():
            value = self._assignment()
        self._skips = outer
        return value

    def _binary(self, least: int) -> int:
        """Operations whose operators have at least this precedence."""
        value = self._unary()
        while (precedence := _PRECEDENCES.get(self._next(), 0)) >= least:
            sign = self._next()
            self._at += 1
            is_decided = (sign == "||" and value != 0) or (sign == "&&" and value == 0)
            outer, self._skips = self._skips, self._skips or is_decided
            right = self._binary(precedence if sign in _RIGHT_ASSOCIATIVE else precedence + 1)
            self._skips = outer
            value = self._operation(sign, value, right)
        return value

    def _unary(self) -> int:
        signs: list[str] = []
        while self._next() in {"-", "+", "!", "~"}:
            signs.append(self._next())
            self._at += 1
        value = self._primary()
        for sign in reversed(signs):
            value = -value if sign == "-" else ~value if sign == "~" else int(value == 0) if sign == "!" else value
        return value

    def _primary(self) -> int:
        """A number, a variable, which may be incremented or decremented, or an expression in parentheses."""
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
            with self._deeper():
                value = self._comma()
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
        if not self._skips:
            self._variables.set(name, str(_wrapped(value)))

    def _operation(self, sign: str, left: int, right: int) -> int:
        return 0 if self._skips else joined(sign, left, right)


def number_of(text: str) -> int:
    """The value of ``7``, ``0x1F``, ``017`` or ``2#101``. Raises `SumError`."""
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


def joined(sign: str, left: int, right: int) -> int:
    """The value of ``left sign right``. Raises `SumError`."""
    return _wrapped(int(_OPERATIONS[sign](left, right)))


def _quotient(left: int, right: int) -> int:
    """Rounded towards zero."""
    if right == 0:
        raise SumError("divide by zero")
    whole = abs(left) // abs(right)
    return whole if (left < 0) is (right < 0) else -whole


def _remainder(left: int, right: int) -> int:
    """With the sign of the dividend."""
    return left - _quotient(left, right) * right


def _power(left: int, right: int) -> int:
    if right < 0:
        raise SumError("exponent less than 0")
    return pow(left, right, 1 << _BITS)


def _wrapped(value: int) -> int:
    """A value as a signed integer of 64 bits holds it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


_OPERATIONS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _remainder,
    "**": _power,
    "<<": lambda left, right: left << right % _BITS,
    ">>": lambda left, right: left >> right % _BITS,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&&": lambda left, right: left != 0 and right != 0,
    "||": lambda left, right: left != 0 or right != 0,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
