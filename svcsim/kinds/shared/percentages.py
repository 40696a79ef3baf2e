"""Amounts that are a whole number or a percentage of something."""

from collections.abc import Iterator
from typing import Final

from svcsim.kinds.shared.checks import not_negative
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json

_CHARS: Final = 11
_BAD_PERCENT: Final = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def number_or_percentage(value: Json, path: str) -> Iterator[FieldError]:
    """A number from 0, or any percentage."""
    if isinstance(value, int):
        yield from not_negative(value, path)
    elif not is_percentage(value):
        yield invalid_value(path, value, _BAD_PERCENT)


def at_most_all(value: Json, path: str) -> Iterator[FieldError]:
    """Of percentages, one up to 100%."""
    if isinstance(value, str) and is_percentage(value) and int(value[:-1]) > 100:
        yield invalid_value(path, value, "must not be greater than 100%")


def is_percentage(value: str) -> bool:
    """Whether it is one, and of no more digits than a number here may have."""
    return value[-1:] == "%" and value.isascii() and value[:-1].isdecimal() and len(value) <= _CHARS
