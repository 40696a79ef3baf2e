"""Quantities of resources: ``100m`` of a CPU, ``1.5Gi`` of memory.

A quantity is an exact number and the family of suffixes it was written in: decimal (``m``, ``k``, ``M``), binary (``Ki``, ``Mi``) or
exponents (``1e3``). What is stored is its canonical form: no fraction, the largest suffix that allows that. Nothing below a nano is
kept; it is rounded up, away from zero, so that a small request never becomes none.
"""

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Final

from svcsim import limits
from svcsim.meta.types import Json

_PATTERN = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?[0-9]{1,9}|)", re.ASCII)
WRONG_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
WRONG_SUFFIX = "unable to parse quantity's suffix"
_WITH_ANY_SUFFIX = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eEinumkKMGTP]+[-+]?[0-9]*", re.ASCII)
_NANO: Final = Fraction(1, 10**9)
_MAX: Final = 2**63 - 1
_SAFE_DIGITS = 18
"""So many digits always fit; a decimal number of them may be larger than the largest whole one."""
_MAX_EXPONENT = 40
"""Beyond it every number is either more than the largest quantity or less than the smallest."""


class Format(Enum):
    """The family of suffixes."""

    DECIMAL = "decimal"
    BINARY = "binary"
    EXPONENT = "exponent"


_BINARY_SUFFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_SUFFIXES = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_MULTIPLIERS = {suffix: Fraction(10) ** power for power, suffix in _DECIMAL_SUFFIXES.items()} | {
    suffix: Fraction(1024**power) for power, suffix in enumerate(_BINARY_SUFFIXES)
}


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """An exact amount. Equality and order are those of the number; the format only matters in print."""

    number: Fraction
    format: Format = Format.DECIMAL

    def value(self) -> int:
        """The amount as a whole number, rounded up."""
        return _ceil_away(self.number)

    def rounded_up(self) -> "Amount":
        """The next whole number, if it is none."""
        return self if self.number.denominator == 1 else Amount(Fraction(self.value()), self.format)

    def millis(self) -> int:
        """The amount in thousandths, rounded up."""
        return _ceil_away(self.number * 1000)

    def in_thousandths(self) -> "Amount":
        """The next whole number of thousandths, if it is none."""
        return self if 1000 % self.number.denominator == 0 else Amount(Fraction(self.millis(), 1000), self.format)

    def __float__(self) -> float:
        return float(self.number)

    def __bool__(self) -> bool:
        return bool(self.number)

    def __eq__(self, other: object) -> bool:
        return self.number == other.number if isinstance(other, Amount) else NotImplemented

    def __lt__(self, other: "Amount") -> bool:
        return self.number < other.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.number + other.number, self.format if self.number else other.format)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.number - other.number, self.format if self.number else other.format)

    def times(self, count: int) -> "Amount":
        """So many times as much."""
        return Amount(self.number * count, self.format)

    def __neg__(self) -> "Amount":
        return Amount(-self.number, self.format)

    def __str__(self) -> str:
        if not self.number:
            return "0"
        if self.format is Format.BINARY and abs(self.number) >= 1024:
            return _binary(self.number)
        return _decimal(self.number, exponent=self.format is Format.EXPONENT)


ZERO: Final = Amount(Fraction(0))


@lru_cache(maxsize=limits.PARSED_QUANTITIES)
def parse(text: str) -> Amount:
    """The quantity a string spells; ValueError for anything else."""
    match = _PATTERN.fullmatch(text)
    if not match or not (match[2] or match[3]):
        raise ValueError(_wrong(text))
    sign, whole, fraction, suffix = match.groups()
    digits = (whole + (fraction or "")).lstrip("0")
    if not digits:
        return Amount(Fraction(0), _format(suffix))
    form = _format(suffix)
    scale = (int(suffix[1:]) if form is Format.EXPONENT else 0) - len(fraction or "")
    number = _clamped(digits, scale) * _MULTIPLIERS.get(suffix, 1)
    if form is Format.BINARY or len(digits) > _SAFE_DIGITS:
        number = min(number, Fraction(_MAX))
    number = Fraction(_ceil_away(number / _NANO)) * _NANO
    return Amount(-number if sign == "-" else number, form)


def _wrong(text: str) -> str:
    if _WITH_ANY_SUFFIX.fullmatch(text):
        return WRONG_SUFFIX
    return WRONG_FORM if text else "quantities must not be empty"


def of(value: Json) -> Amount:
    """The quantity a field holds: a string, or a number as JSON allows too."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(WRONG_FORM)  # noqa: TRY004 - whatever is wrong with a value, callers catch one error
    return parse(str(value))


@lru_cache(maxsize=limits.PARSED_QUANTITIES)
def canonical(text: str) -> str:
    """The canonical form of what ``text`` spells; ValueError where that is no quantity."""
    return str(parse(text))


@lru_cache(maxsize=limits.PARSED_QUANTITIES)
def canonical_in_thousandths(text: str) -> str:
    """The canonical form, rounded up to whole thousandths."""
    return str(parse(text).in_thousandths())


def _clamped(digits: str, scale: int) -> Fraction:
    """``digits * 10**scale``, where neither a long string nor a large exponent makes a number that is too large to handle."""
    magnitude = len(digits) + scale
    if magnitude > _MAX_EXPONENT:
        return Fraction(_MAX)
    if magnitude < -_MAX_EXPONENT:
        return _NANO / 10**30
    return Fraction(int(digits[:100])) * Fraction(10) ** (scale + max(len(digits) - 100, 0))


def _format(suffix: str) -> Format:
    if suffix.endswith("i"):
        return Format.BINARY
    return Format.EXPONENT if len(suffix) > 1 else Format.DECIMAL


def _ceil_away(number: Fraction) -> int:
    """The next whole number away from zero."""
    return -(-number.numerator // number.denominator) if number >= 0 else number.numerator // number.denominator


def _binary(number: Fraction) -> str:
    if number.denominator != 1:
        return _decimal(number, exponent=False)
    whole, power = number.numerator, 0
    while whole % 1024 == 0 and power < len(_BINARY_SUFFIXES) - 1:
        whole //= 1024
        power += 1
    return f"{whole}{_BINARY_SUFFIXES[power]}"


def _decimal(number: Fraction, *, exponent: bool) -> str:
    nanos = int(number / _NANO)
    power = -9
    while nanos % 1000 == 0 and power < 18:
        nanos //= 1000
        power += 3
    if exponent:
        return f"{nanos}e{power}" if power else str(nanos)
    return f"{nanos}{_DECIMAL_SUFFIXES[power]}"
