"""Numbers where nobody has declared which, as Kubernetes keeps them.

A number that is written without a point and an exponent, and fits 64 bits, is an integer there, any other a float; and a float that is
whole is written without a point. So what was sent as 1.0 or 1e3 is stored and served as 1 and 1000, which programs can read that expect
integers. What fits no integer stays a float.

Where an integer is declared, a float is one only up to the bound below which each whole number is a float of its own.
"""

from decimal import Decimal

from svcsim.meta.types import Json

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_MOST_EXACT = (1 << 53) - 1


def as_kept(value: Json) -> Json:
    """The value with its numbers as they are kept. Maps and lists without changes are returned as they are."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return kept_number(value) if kind is float or kind is int else value
    kept = value
    for key, item in value.items() if kind is dict else enumerate(value):
        kind = type(item)
        if kind is str or kind is bool or (kind is int and _LEAST <= item <= _MOST):
            continue
        new = as_kept(item)
        if new is not item:
            kept = value.copy() if kept is value else kept
            kept[key] = new
    return kept


def kept_number(number: float) -> float:
    """One number; an `int` where it is whole."""
    if type(number) is int:
        return number if _LEAST <= number <= _MOST else float(number)
    if not number.is_integer():
        return number
    whole = int(Decimal(repr(number)))  # the shortest digits that mean this float, not those of its exact value
    return whole if _LEAST <= whole <= _MOST else number


def kept_integer(number: float) -> float:
    """A number that is declared as an integer; a float that isn't whole stays as it is, so that validation reports it."""
    return kept_number(number) if type(number) is int or is_exactly_whole(number) else number


def is_exactly_whole(number: float) -> bool:
    """Whether a float is an integer, and no other integer is the same float."""
    return number.is_integer() and abs(number) <= _MOST_EXACT
