"""Types of values, their order, what is reckoned with them, and how they are spelled."""

import math
from collections.abc import Callable, Mapping
from functools import cmp_to_key

import orjson

from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.work import Work
from svcsim.meta.types import Json

_LARGEST = 1.7976931348623157e308
_EXACT = 10**17
"""Whole numbers below it are spelled without an exponent."""


def is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def type_name(value: Json) -> str:
    """The type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "number", float: "number", str: "string", list: "array", dict: "object"}[type(value)]


def is_true(value: Json) -> bool:
    """All but null and false are true."""
    return value is not None and value is not False


_ORDER = ("null", "false", "true", "number", "string", "array", "object")


def _rank(value: Json) -> int:
    return _ORDER.index(str(value).lower() if isinstance(value, bool) else type_name(value))


def _order(left: Json, right: Json) -> int:
    """Which of two values comes first, whatever they are: what is no number is less than all numbers, itself as well."""
    ranks = _rank(left) - _rank(right)
    if ranks:
        return ranks
    if isinstance(left, list):
        found = (_order(one, other) for one, other in zip(left, right, strict=False))
        return next((order for order in found if order), len(left) - len(right))
    if isinstance(left, dict):
        keys = _order(sorted(left), sorted(right))
        return keys or next((order for key in sorted(left) if (order := _order(left[key], right[key]))), 0)
    if left is None or isinstance(left, bool):
        return 0
    return -1 if isinstance(left, float) and math.isnan(left) else int(left > right) - int(left < right)


def order_of(work: Work, left: Json, right: Json) -> int:
    """The order of two values of any size."""
    if isinstance(left, list | dict) and isinstance(right, list | dict):
        work.look_through(left, right)
    else:
        work.look(left)
    return _order(left, right)


def is_same(left: Json, right: Json) -> bool:
    """Whether two values that have been looked through are equal."""
    return _order(left, right) == 0


def ordered(work: Work, items: list[Json]) -> list[Json]:
    """A list in order."""
    work.look_through(items, times=max(len(items), 1).bit_length())
    work.make(items=len(items))
    return sorted(items, key=cmp_to_key(_order))


def ordered_by(work: Work, items: list[Json], keys: list[Json]) -> list[tuple[Json, Json]]:
    """Keys and items in the order of the keys."""
    work.look_through(keys, times=max(len(items), 1).bit_length())
    work.make(items=len(items))
    by_key = cmp_to_key(_order)
    return sorted(zip(keys, items, strict=True), key=lambda one: by_key(one[0]))


def compared(work: Work, operator: str, left: Json, right: Json) -> Json:
    """``left operator right``."""
    compare = _COMPARISONS.get(operator)
    return compare(order_of(work, left, right)) if compare is not None else reckoned(work, operator, left, right)


_COMPARISONS: Mapping[str, Callable[[int], bool]] = {
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def reckoned(work: Work, operator: str, left: Json, right: Json) -> Json:
    """What is reckoned of two values."""
    work.look(left, right)
    if is_number(left) and is_number(right):
        return _of_numbers(operator, left, right)
    match operator:
        case "+":
            return work.made(_sum(left, right))
        case "-" if isinstance(left, list) and isinstance(right, list):
            work.burn(work.look_through(left) * work.look_through(right) // 8)
            return work.made([one for one in left if not any(is_same(one, other) for other in right)])
        case "*" if isinstance(left, dict) and isinstance(right, dict):
            work.look_through(left, right)
            return work.made(_merged(left, right))
        case "*" if isinstance(left, str) and is_number(right):
            return _repeated(work, left, right)
        case "/" if isinstance(left, str) and isinstance(right, str):
            return work.made(split(left, right))
    raise _cannot(operator, left, right)


def _cannot(operator: str, left: Json, right: Json) -> JqError:
    return JqError(f"cannot apply {operator} to {type_name(left)} and {type_name(right)}")


def _sum(left: Json, right: Json) -> Json:
    if left is None or right is None:
        return right if left is None else left
    if type(left) is type(right) and isinstance(left, str | list):
        return left + right
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    raise _cannot("+", left, right)


def _merged(left: Json, right: Json) -> Json:
    """Two maps, those within them as well."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        return right
    return {**left, **{key: _merged(left.get(key), one) for key, one in right.items()}}


def _repeated(work: Work, text: str, times: float) -> str | None:
    if not times > 0:
        return None
    count = math.ceil(min(times, 2**53)) if times < 1 else int(min(times, 2**53))
    work.make(letters=len(text) * count)
    return text * count


def split(text: str, between: str) -> list[str]:
    """The parts of a text between others; its letters where there is nothing between them."""
    return text.split(between) if between and text else list(text)


def _of_numbers(operator: str, left: float, right: float) -> Json:
    try:
        match operator:
            case "+":
                return plain_number(left + right)
            case "-":
                return plain_number(left - right)
            case "*":
                return plain_number(left * right)
            case "/":
                return plain_number(left / right)
        divisor = abs(int(right))
        return abs(int(left)) % divisor * (-1 if left < 0 else 1)
    except ZeroDivisionError:
        raise JqError("cannot divide by zero") from None
    except (OverflowError, ValueError):
        raise JqError("a number that is too large") from None


def plain_number(number: float) -> Json:
    """A number as it is kept: whole ones as such, unless they are so large that they aren't exact."""
    if isinstance(number, int):
        return number if abs(number) < _EXACT else float(number) if abs(number) < _LARGEST else math.copysign(math.inf, number)
    return int(number) if number.is_integer() and abs(number) < _EXACT else number


def as_json(work: Work, value: Json) -> str:
    """A value as JSON."""
    work.look_through(value)
    text = orjson.dumps(_spellable(value)).decode()
    work.make(letters=len(text))
    return text


def _spellable(value: Json) -> Json:
    """As JSON has it, which knows no infinite numbers."""
    if isinstance(value, list):
        return [_spellable(one) for one in value]
    if isinstance(value, dict):
        return {key: _spellable(one) for key, one in value.items()}
    if isinstance(value, float):
        return None if math.isnan(value) else math.copysign(_LARGEST, value) if math.isinf(value) else plain_number(value)
    return plain_number(value) if is_number(value) else value


def as_text(work: Work, value: Json) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else as_json(work, value)
