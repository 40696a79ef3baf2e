"""Amounts of pods: numbers, or percentages of all of them."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json

_PERCENTAGE_CHARS = 11
_NUMBER_CHARS = 10
_BAD_PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def number_or_percentage(value: Json, path: str) -> Iterator[FieldError]:
    if isinstance(value, int):
        yield from not_negative(value, path)
    elif not _is_percentage(value):
        yield invalid_value(path, value, _BAD_PERCENT)


def at_most_all(value: Json, path: str) -> Iterator[FieldError]:
    """A percentage is none above 100."""
    if isinstance(value, str) and _is_percentage(value) and int(value[:-1]) > 100:
        yield invalid_value(path, value, "must not be greater than 100%")


def amount(value: Json) -> int:
    """The number, with or without a percent sign; 0 for what is none."""
    if isinstance(value, int):
        return value
    digits = value[:-1] if _is_percentage(value) else value
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= _NUMBER_CHARS else 0


def _is_percentage(value: str) -> bool:
    """Whether it is a percentage, with at most as many digits as a number here may have."""
    return value[-1:] == "%" and value.isascii() and value[:-1].isdecimal() and len(value) <= _PERCENTAGE_CHARS
