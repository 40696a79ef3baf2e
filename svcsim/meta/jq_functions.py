"""What ``jq`` compares, reckons and calls: plain functions of JSON values."""

from collections.abc import Callable, Mapping
from functools import cmp_to_key

import orjson

from svcsim import limits
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json


class JqError(Exception):
    """A query that can't be read, or that breaks off."""


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


def _compare(left: Json, right: Json) -> int:
    """Which of two values comes first, whatever they are."""
    ranks = _rank(left) - _rank(right)
    if ranks:
        return ranks
    if isinstance(left, list):
        found = (_compare(one, other) for one, other in zip(left, right, strict=False))
        return next((order for order in found if order), len(left) - len(right))
    if isinstance(left, dict):
        keys = _compare(sorted(left), sorted(right))
        return keys or next((order for key in sorted(left) if (order := _compare(left[key], right[key]))), 0)
    if left is None or isinstance(left, bool):
        return 0
    return int(left > right) - int(left < right)


def compared(operator: str, left: Json, right: Json) -> Json:
    """``left operator right``."""
    compare = _COMPARISONS.get(operator)
    return compare(_compare(left, right)) if compare is not None else _reckoned(operator, left, right)


_COMPARISONS: Mapping[str, Callable[[int], bool]] = {
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def _reckoned(operator: str, left: Json, right: Json) -> Json:
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (left, right))
    if operator == "+" and (left is None or right is None):
        return right if left is None else left
    if operator == "+" and type(left) is type(right) and isinstance(left, str | list):
        return _short(left + right)
    if operator == "+" and isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if operator == "-" and isinstance(left, list) and isinstance(right, list):
        return [one for one in left if one not in right]
    if not numbers:
        raise JqError(f"cannot apply {operator} to {type_name(left)} and {type_name(right)}")
    if operator in {"/", "%"} and not right:
        raise JqError("cannot divide by zero")
    try:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "%":
                return abs(int(left)) % abs(int(right)) * (-1 if left < 0 else 1)
        found = left / right
    except (OverflowError, ValueError, ZeroDivisionError):
        raise JqError("a number that is too large") from None
    return int(found) if found.is_integer() and abs(found) < 2**53 else found


def _short(value: Json) -> Json:
    if len(value) > limits.JQ_STEPS:
        raise JqError(f"a value longer than {limits.JQ_STEPS}")
    return value


def _needs(kind: type | tuple[type, ...], value: Json, name: str) -> Json:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise JqError(f"{name} cannot be applied to: {type_name(value)}")
    return value


def _length(value: Json) -> Json:
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return abs(value)
    return len(_needs((str, list, dict), value, "length"))


def _keys(value: Json) -> Json:
    return sorted(value) if isinstance(value, dict) else list(range(len(_needs(list, value, "keys"))))


def _has(value: Json, key: Json) -> Json:
    if isinstance(value, dict) and isinstance(key, str):
        return key in value
    if isinstance(value, list) and isinstance(key, int):
        return 0 <= key < len(value)
    raise JqError(f"cannot check whether {type_name(value)} has a {type_name(key)} key")


def _contains(value: Json, part: Json) -> Json:
    if isinstance(value, dict) and isinstance(part, dict):
        return all(key in value and _contains(value[key], one) for key, one in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return all(any(type(held) is type(one) and _contains(held, one) for held in value) for one in part)
    if isinstance(value, str) and isinstance(part, str):
        return part in value
    if type_name(value) != type_name(part):
        raise JqError(f"{type_name(value)} and {type_name(part)} cannot have their containment checked")
    return bool(value == part)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _number(value: Json) -> Json:
    if isinstance(value, str):
        try:
            return int(value) if value.lstrip("-").isdecimal() else float(value)
        except ValueError:
            raise JqError(f"cannot be read as a number: {quoted(value[:40])}") from None
    return _needs((int, float), value, "tonumber")


def _add(value: Json) -> Json:
    total: Json = None
    for one in value.values() if isinstance(value, dict) else _needs(list, value, "add"):
        total = _reckoned("+", total, one)
    return total


def _sorted(value: Json) -> list[Json]:
    return sorted(_needs(list, value, "sort"), key=cmp_to_key(_compare))


def _unique(value: Json) -> Json:
    found: list[Json] = []
    for one in _sorted(value):
        if not found or _compare(found[-1], one):
            found.append(one)
    return found


def _join(value: Json, between: Json) -> Json:
    return _needs(str, between, "join").join("" if one is None else _text(one) for one in _needs(list, value, "join"))


def _entries(value: Json) -> Json:
    return [{"key": key, "value": one} for key, one in _needs(dict, value, "to_entries").items()]


def _floor(value: Json) -> Json:
    return int(_needs((int, float), value, "floor") // 1)


FUNCTIONS: Mapping[tuple[str, int], Callable[..., Json]] = {
    ("not", 0): lambda value: not is_true(value),
    ("length", 0): _length,
    ("keys", 0): _keys,
    ("has", 1): _has,
    ("contains", 1): _contains,
    ("inside", 1): lambda value, whole: _contains(whole, value),
    ("startswith", 1): lambda value, part: _needs(str, value, "startswith").startswith(_needs(str, part, "startswith")),
    ("endswith", 1): lambda value, part: _needs(str, value, "endswith").endswith(_needs(str, part, "endswith")),
    ("ltrimstr", 1): lambda value, part: value.removeprefix(part) if isinstance(value, str) and isinstance(part, str) else value,
    ("rtrimstr", 1): lambda value, part: value.removesuffix(part) if isinstance(value, str) and isinstance(part, str) else value,
    ("split", 1): lambda value, part: _needs(str, value, "split").split(_needs(str, part, "split")) if part else list(value),
    ("join", 1): _join,
    ("ascii_downcase", 0): lambda value: _needs(str, value, "ascii_downcase").lower(),
    ("ascii_upcase", 0): lambda value: _needs(str, value, "ascii_upcase").upper(),
    ("type", 0): type_name,
    ("tostring", 0): _text,
    ("tojson", 0): lambda value: orjson.dumps(value).decode(),
    ("tonumber", 0): _number,
    ("floor", 0): _floor,
    ("any", 0): lambda value: any(map(is_true, _needs(list, value, "any"))),
    ("all", 0): lambda value: all(map(is_true, _needs(list, value, "all"))),
    ("add", 0): _add,
    ("first", 0): lambda value: value[0] if _needs(list, value, "first") else None,
    ("last", 0): lambda value: value[-1] if _needs(list, value, "last") else None,
    ("min", 0): lambda value: next(iter(_sorted(value)), None),
    ("max", 0): lambda value: next(reversed(_sorted(value)), None),
    ("sort", 0): _sorted,
    ("unique", 0): _unique,
    ("reverse", 0): lambda value: value[::-1] if isinstance(value, str | list) else [],
    ("to_entries", 0): _entries,
}
"""By name, and how many values they are given."""
