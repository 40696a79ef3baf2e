"""The functions that templates of stages can call besides Go's own: those of the sprig library that make sense for objects.

What a machine knows or chance decides (environment, files, random numbers, keys, the time of day) is not among them: the same stage and
object make the same patch.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping

import orjson

from svcsim import limits
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import check_length, default_text
from svcsim.meta.gotemplate.functions import NO_VALUE, KnownFunction
from svcsim.meta.types import Json


def given(value: Json) -> Json:
    """A value a function was given; null for what isn't there."""
    return None if value is NO_VALUE else value


def text_of(value: Json) -> str:
    """A value as text."""
    return "" if given(value) is None else default_text(value)


def is_empty(value: Json) -> bool:
    """Whether there is nothing in a value: null, false, 0, and what is empty."""
    return not given(value)


def _integer(value: Json) -> int:
    """A value as a whole number; 0 for what is none."""
    value = given(value)
    if isinstance(value, str):
        try:
            return int(value, 0) if value.startswith(("0x", "0b", "0o")) else int(float(value))
        except (ValueError, OverflowError):
            return 0
    return int(value) if isinstance(value, bool | int | float) else 0


def _float(value: Json) -> float:
    try:
        return float(given(value) or 0)
    except (TypeError, ValueError):
        return 0.0


def _divided(value: Json, by: Json) -> int:
    if not _integer(by):
        raise CallError("runtime error: integer divide by zero")
    whole = abs(_integer(value)) // abs(_integer(by))
    return whole if (_integer(value) < 0) is (_integer(by) < 0) else -whole


def _product(*values: Json) -> int:
    total = 1
    for value in values:
        total = (total * _integer(value) + 2**63) % 2**64 - 2**63
    return total


def _dict(*pairs: Json) -> Json:
    keys, values = pairs[::2], pairs[1::2]
    return {text_of(key): given(values[index]) if index < len(values) else "" for index, key in enumerate(keys)}


def _list_of(value: Json) -> list[Json]:
    value = given(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise CallError(f"{default_text(value)} is no list")
    return value


def _map_of(value: Json) -> dict[str, Json]:
    value = given(value)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CallError(f"{default_text(value)} is no map")
    return value


def _default(otherwise: Json, value: Json = None) -> Json:
    return given(otherwise) if is_empty(value) else value


def _coalesce(*values: Json) -> Json:
    return next((value for value in values if not is_empty(value)), None)


def _ternary(yes: Json, no: Json, value: Json) -> Json:
    return yes if given(value) else no


def _indented(spaces: Json, text: Json) -> str:
    count = _integer(spaces)
    if not 0 <= count <= limits.TEMPLATE_LEVELS:
        raise CallError(f"{count} is no number of blanks")
    pad = " " * count
    return pad + _replaced("\n", f"\n{pad}", text)


def _repeated(count: Json, text: Json) -> str:
    times, piece = _integer(count), text_of(text)
    check_length(times * len(piece))
    return piece * max(times, 0)


def _replaced(old: Json, new: Json, text: Json) -> str:
    before, after, whole = text_of(old), text_of(new), text_of(text)
    check_length(len(whole) + whole.count(before) * (len(after) - len(before)))
    return whole.replace(before, after)


def _joined(between: Json, items: Json) -> str:
    texts, mark = list(map(text_of, _list_of(items))), text_of(between)
    check_length(sum(map(len, texts)) + len(mark) * len(texts))
    return mark.join(texts)


def _told_apart(value: Json) -> bytes:
    """What values that are the same have in common."""
    try:
        return orjson.dumps(given(value), option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        raise CallError(str(error)) from None


def _unique(items: Json) -> Json:
    found: dict[bytes, Json] = {}
    for one in _list_of(items):
        found.setdefault(_told_apart(one), one)
    return list(found.values())


def _without(items: Json, *unwanted: Json) -> Json:
    marks = set(map(_told_apart, unwanted))
    return [one for one in _list_of(items) if _told_apart(one) not in marks]


def _until(count: Json) -> Json:
    if abs(_integer(count)) > limits.RENDERED_CHARS:
        raise CallError("a list that is too long")
    return list(range(_integer(count))) if _integer(count) >= 0 else list(range(0, _integer(count), -1))


def _from_json(text: Json) -> Json:
    try:
        return orjson.loads(text_of(text))
    except orjson.JSONDecodeError as error:
        raise CallError(str(error)) from None


def _to_json(value: Json) -> str:
    try:
        return orjson.dumps(given(value), option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS, default=int).decode()
    except TypeError as error:
        raise CallError(str(error)) from None


def _decoded(text: Json) -> str:
    try:
        return base64.b64decode(text_of(text), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError) as error:
        return str(error)


def _dig(*arguments: Json) -> Json:
    *keys, otherwise, value = arguments
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return given(otherwise)
        value = value[key]
    return value


def _merged(*maps: Json) -> Json:
    """Of each key what the first map says that has it."""
    found: dict[str, Json] = {}
    for one in maps:
        found |= {key: value for key, value in _map_of(one).items() if key not in found}
    return found


def _slice(value: Json, *ends: Json) -> Json:
    items = _list_of(value)
    first, last = [*map(_integer, ends), *(0, len(items))[len(ends) :]][:2]
    return items[first:last]


def _abbreviated(width: Json, text: Json) -> str:
    whole = text_of(text)
    return whole if len(whole) <= _integer(width) or _integer(width) < 4 else f"{whole[: _integer(width) - 3]}..."


def _concat(*lists: Json) -> Json:
    return [one for items in lists for one in _list_of(items)]


def _quoted(mark: str) -> Callable[..., str]:
    return lambda *values: " ".join(f"{mark}{text_of(value)}{mark}" for value in values if given(value) is not None)


def _fails(message: Json) -> Json:
    raise CallError(text_of(message))


def _kind(value: Json) -> str:
    value = given(value)
    if value is None:
        return "invalid"
    return "bool" if isinstance(value, bool) else {str: "string", float: "float64", list: "slice", dict: "map"}.get(type(value), "int64")


_ANY = -1
_TEXTS: Mapping[str, Callable[[str], Json]] = {
    "b64enc": lambda text: base64.b64encode(text.encode()).decode(),
    "lower": str.lower,
    "sha1sum": lambda text: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(),
    "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "title": str.title,
    "toString": str,
    "trim": str.strip,
    "upper": str.upper,
}
"""Functions of one text."""
_PAIRS: Mapping[str, Callable[[str, str], Json]] = {
    "contains": lambda part, text: part in text,
    "hasPrefix": lambda part, text: text.startswith(part),
    "hasSuffix": lambda part, text: text.endswith(part),
    "splitList": lambda between, text: text.split(between) if between else list(text),
    "trimAll": lambda chars, text: text.strip(chars),
    "trimPrefix": lambda part, text: text.removeprefix(part),
    "trimSuffix": lambda part, text: text.removesuffix(part),
}
"""Functions of two texts, what is done to the second being said by the first."""
_OTHERS: Mapping[str, tuple[Callable[..., Json], int, int]] = {
    "abbrev": (_abbreviated, 2, 2),
    "add": (lambda *values: sum(map(_integer, values)), 0, _ANY),
    "add1": (lambda value: _integer(value) + 1, 1, 1),
    "all": (lambda *values: not any(map(is_empty, values)), 0, _ANY),
    "any": (lambda *values: not all(map(is_empty, values)), 0, _ANY),
    "append": (lambda items, value: [*_list_of(items), value], 2, 2),
    "atoi": (_integer, 1, 1),
    "b64dec": (_decoded, 1, 1),
    "coalesce": (_coalesce, 0, _ANY),
    "compact": (lambda items: [one for one in _list_of(items) if not is_empty(one)], 1, 1),
    "concat": (_concat, 0, _ANY),
    "default": (_default, 1, 2),
    "dict": (_dict, 0, _ANY),
    "dig": (_dig, 3, _ANY),
    "div": (_divided, 2, 2),
    "empty": (is_empty, 1, 1),
    "fail": (_fails, 1, 1),
    "first": (lambda items: next(iter(_list_of(items)), None), 1, 1),
    "float64": (_float, 1, 1),
    "fromJson": (_from_json, 1, 1),
    "get": (lambda of, key: _map_of(of).get(key, ""), 2, 2),
    "has": (lambda value, items: given(value) in _list_of(items), 2, 2),
    "hasKey": (lambda of, key: key in _map_of(of), 2, 2),
    "indent": (_indented, 2, 2),
    "int": (_integer, 1, 1),
    "int64": (_integer, 1, 1),
    "join": (_joined, 2, 2),
    "keys": (lambda of: list(_map_of(of)), 1, 1),
    "kindIs": (lambda kind, value: kind == _kind(value), 2, 2),
    "kindOf": (_kind, 1, 1),
    "last": (lambda items: next(reversed(_list_of(items)), None), 1, 1),
    "list": (lambda *values: list(map(given, values)), 0, _ANY),
    "max": (lambda first, *values: max(map(_integer, (first, *values))), 1, _ANY),
    "merge": (_merged, 0, _ANY),
    "min": (lambda first, *values: min(map(_integer, (first, *values))), 1, _ANY),
    "mod": (lambda value, by: _integer(value) - _divided(value, by) * _integer(by), 2, 2),
    "mul": (_product, 1, _ANY),
    "nindent": (lambda spaces, text: "\n" + _indented(spaces, text), 2, 2),
    "nospace": (lambda text: "".join(text_of(text).split()), 1, 1),
    "omit": (lambda of, *keys: {key: value for key, value in _map_of(of).items() if key not in keys}, 1, _ANY),
    "pick": (lambda of, *keys: {key: value for key, value in _map_of(of).items() if key in keys}, 1, _ANY),
    "prepend": (lambda items, value: [value, *_list_of(items)], 2, 2),
    "quote": (_quoted('"'), 0, _ANY),
    "repeat": (_repeated, 2, 2),
    "replace": (_replaced, 3, 3),
    "rest": (lambda items: _list_of(items)[1:], 1, 1),
    "reverse": (lambda items: _list_of(items)[::-1], 1, 1),
    "slice": (_slice, 1, 3),
    "sortAlpha": (lambda items: sorted(map(text_of, _list_of(items))), 1, 1),
    "squote": (_quoted("'"), 0, _ANY),
    "sub": (lambda value, other: _integer(value) - _integer(other), 2, 2),
    "substr": (lambda first, last, text: text_of(text)[_integer(first) : _integer(last) if _integer(last) >= 0 else None], 3, 3),
    "ternary": (_ternary, 3, 3),
    "toJson": (_to_json, 1, 1),
    "toStrings": (lambda items: list(map(text_of, _list_of(items))), 1, 1),
    "trunc": (lambda count, text: text_of(text)[: _integer(count)] if _integer(count) >= 0 else text_of(text)[_integer(count) :], 2, 2),
    "uniq": (_unique, 1, 1),
    "until": (_until, 1, 1),
    "values": (lambda of: list(_map_of(of).values()), 1, 1),
    "without": (_without, 1, _ANY),
}
"""The others, with how many values they take at the least and at the most."""


def _of_text(run: Callable[[str], Json]) -> Callable[..., Json]:
    return lambda value: run(text_of(value))


def _of_texts(run: Callable[[str, str], Json]) -> Callable[..., Json]:
    return lambda first, second: run(text_of(first), text_of(second))


SPRIG: Mapping[str, KnownFunction] = {
    **{name: KnownFunction(run, least, most) for name, (run, least, most) in _OTHERS.items()},
    **{name: KnownFunction(_of_text(run), 1, 1) for name, run in _TEXTS.items()},
    **{name: KnownFunction(_of_texts(run), 2, 2) for name, run in _PAIRS.items()},
}
"""By name."""
