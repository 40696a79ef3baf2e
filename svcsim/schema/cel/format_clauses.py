"""What is wrong with a text that `format` fills in, where it and the values for it are written down in an expression.

Nothing is filled in here: each clause is read, and the type of its value compared with those that it takes.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from svcsim.schema.cel.value_types import ValueType

_CLAUSE = re.compile(r"%(?:%|(?P<precision>\.[0-9]*)?(?P<verb>.)?)", re.DOTALL)
_MOST_DIGITS = 18
"""Digits of a number that surely fits Go's type."""
_INTEGERS = frozenset(("int", "uint"))
_FRACTIONS = frozenset(("double", "string"))
"""A text may be ``NaN`` or ``Infinity``."""
_ANYTHING = frozenset(
    ("list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null_type", "dyn"),
)


class _Clause(NamedTuple):
    """The types that a clause takes, and what is said of others."""

    takes: frozenset[str]
    told: str


_HEX = _Clause(_INTEGERS | {"string", "bytes"}, "only integers, byte buffers, and strings can be formatted as hex")
_CLAUSES: Final[Mapping[str, _Clause]] = {
    "s": _Clause(
        _ANYTHING,
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    ),
    "d": _Clause(_INTEGERS, "decimal clause can only be used on integers"),
    "f": _Clause(_FRACTIONS, "fixed-point clause can only be used on doubles"),
    "e": _Clause(_FRACTIONS, "scientific clause can only be used on doubles"),
    "b": _Clause(_INTEGERS | {"bool"}, "only integers and bools can be formatted as binary"),
    "x": _HEX,
    "X": _HEX,
    "o": _Clause(_INTEGERS, "octal clause can only be used on integers"),
}
_NAMES = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration"}


class Value(NamedTuple):
    """A value that is to be filled in."""

    at: int
    type: ValueType
    within: "Sequence[Value]" = ()
    """The items of a list or of a map that is written down."""


class FormatError(Exception):
    """A text that can't be filled in; ``at`` is the place of the value that is wrong, None where none is."""

    def __init__(self, told: str, at: int | None = None) -> None:
        super().__init__(told)
        self.at = at


def verbs(text: str) -> list[str]:
    """What each clause of a text asks for."""
    return [found["verb"] or "" for found in _CLAUSE.finditer(text) if found[0] != "%%"]


def check_format(text: str, values: Sequence[Value]) -> None:
    """Raises `FormatError` where a text can't be filled in with values of these types."""
    used = 0
    for found in _CLAUSE.finditer(text):
        if found[0] == "%%":
            continue
        if found[0] == "%":
            raise FormatError("unexpected end of string")
        if used >= len(values):
            raise FormatError(f"index {used} out of range")
        _check_value(_read(found["precision"], found["verb"]), values[used])
        used += 1
    if used < len(values):
        raise FormatError(f"too many arguments supplied to string.format (expected {used}, got {len(values)})")


def _read(precision: str | None, verb: str | None) -> _Clause:
    clause = None if verb is None else _CLAUSES.get(verb)
    why = _wrong_precision(precision, verb)
    if not why and clause is None:
        why = f'unrecognized formatting clause "{chr((verb or "").encode()[0])}"'
    if why or clause is None:
        raise FormatError(f"could not parse formatting clause: {why}")
    return clause


def _wrong_precision(precision: str | None, verb: str | None) -> str:
    if precision is None:
        return ""
    if verb is None:
        return "error while parsing precision: could not find end of precision specifier"
    digits = precision[1:]
    wrong = "invalid syntax" if not digits else "value out of range" if len(digits.lstrip("0")) > _MOST_DIGITS else ""
    told = f'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "{digits}": {wrong}'
    return told if wrong else ""


def _check_value(clause: _Clause, value: Value) -> None:
    kind = value.type.name
    if kind != "dyn" and kind not in clause.takes:
        raise FormatError(f"error during formatting: {clause.told}, was given {_NAMES.get(kind, kind)}", value.at)
    if clause is _CLAUSES["s"]:
        for one in value.within:
            _check_value(clause, one)
