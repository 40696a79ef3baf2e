"""What ``jq`` calls: plain functions of JSON values, and of the work that is left."""

import math
from collections.abc import Callable, Mapping

import orjson

from svcsim.meta.jq import moments, patterns
from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.paths import put_at, without
from svcsim.meta.jq.values import as_json, as_text, is_number, is_same, is_true, ordered, plain_number, reckoned, split, type_name
from svcsim.meta.jq.work import Work
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

_SMALLEST_NORMAL = 2.2250738585072014e-308


def _needs(kind: type | tuple[type, ...], value: Json, name: str) -> Json:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise JqError(f"{name} cannot be applied to: {type_name(value)}")
    return value


def _length(_work: Work, value: Json) -> Json:
    if value is None:
        return 0
    if is_number(value):
        return abs(value)
    return len(_needs((str, list, dict), value, "length"))


def _abs(_work: Work, value: Json) -> Json:
    return abs(_needs((int, float), value, "abs"))


def _keys(_work: Work, value: Json) -> Json:
    return sorted(value) if isinstance(value, dict) else list(range(len(_needs(list, value, "keys"))))


def _keys_unsorted(_work: Work, value: Json) -> Json:
    return list(value) if isinstance(value, dict) else list(range(len(_needs(list, value, "keys_unsorted"))))


def _has(_work: Work, value: Json, key: Json) -> Json:
    if isinstance(value, dict) and isinstance(key, str):
        return key in value
    if isinstance(value, list) and is_number(key):
        return 0 <= key < len(value)
    raise JqError(f"cannot check whether {type_name(value)} has a {type_name(key)} key")


def _contains(work: Work, value: Json, part: Json) -> bool:
    if isinstance(value, list | dict):
        work.burn(work.look_through(value) * work.look_through(part) // 8)
    return _holds(value, part)


def _holds(value: Json, part: Json) -> bool:
    if isinstance(value, dict) and isinstance(part, dict):
        return all(key in value and _holds(value[key], one) for key, one in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return all(any(type_name(held) == type_name(one) and _holds(held, one) for held in value) for one in part)
    if isinstance(value, str) and isinstance(part, str):
        return part in value
    if type_name(value) != type_name(part):
        raise JqError(f"{type_name(value)} and {type_name(part)} cannot have their containment checked")
    return is_same(value, part)


def _number(_work: Work, value: Json) -> Json:
    if not isinstance(value, str):
        return _needs((int, float), value, "tonumber")
    try:
        return plain_number(float(value) if len(value) > 15 or not value.lstrip("-").isdecimal() else int(value))
    except ValueError:
        raise JqError(f"cannot be read as a number: {quoted(value[:40])}") from None


def _add(work: Work, value: Json) -> Json:
    items = _items(value, "add")
    if len(items) > 1 and all(isinstance(one, str) for one in items):
        return "".join(items)
    total: Json = None
    for one in items:
        total = reckoned(work, "+", total, one)
    return total


def _items(value: Json, name: str) -> Json:
    return value.values() if isinstance(value, dict) else _needs(list, value, name)


def _sort(work: Work, value: Json) -> Json:
    return ordered(work, _needs(list, value, "sort"))


def _unique(work: Work, value: Json) -> Json:
    found: list[Json] = []
    for one in ordered(work, _needs(list, value, "unique")):
        if not found or not is_same(found[-1], one):
            found.append(one)
    return found


def _join(work: Work, value: Json, between: Json) -> Json:
    items = _needs(list, value, "join")
    if not items:
        return ""
    parts = ["" if one is None else as_text(work, one) for one in items]
    work.make(letters=len(_needs(str, between, "join")) * len(parts) + sum(map(len, parts)))
    return between.join(parts)


def _glued(_work: Work, value: Json) -> Json:
    """The texts of a list, one after the other."""
    for one in value:
        _needs(str, one, "sub")
    return "".join(value)


def _from_entries(_work: Work, value: Json) -> Json:
    found: dict[str, Json] = {}
    for one in _needs(list, value, "from_entries"):
        entry = _needs(dict, one, "from_entries")
        key = next((entry[name] for name in ("key", "k", "name", "Name", "Key", "K") if is_true(entry.get(name))), entry.get("key"))
        spelled = (
            key
            if isinstance(key, str)
            else "null"
            if key is None
            else orjson.dumps(key).decode()
            if not isinstance(key, list | dict)
            else None
        )
        if spelled is None:
            raise JqError(f"a key of an object has to be a string: {type_name(key)}")
        found[spelled] = next((entry[name] for name in ("value", "v", "Value", "V") if name in entry), None)
    return found


def _flatten(work: Work, value: Json, levels: Json = math.inf) -> Json:
    _needs((int, float), levels, "flatten")
    if levels < 0:
        raise JqError("flatten depth must not be negative")
    work.look_through(value)
    return _flat(_needs((list, dict), value, "flatten"), levels)


def _flat(value: Json, levels: float) -> list[Json]:
    found: list[Json] = []
    for one in value.values() if isinstance(value, dict) else value:
        found += _flat(one, levels - 1) if isinstance(one, list) and levels > 0 else [one]
    return found


def _indices(work: Work, value: Json, part: Json) -> Json:
    if value is None:
        return None
    if isinstance(value, str) and isinstance(part, str):
        work.burn(len(value) * len(part) // 64)
        return [at for at in range(len(value)) if part and value.startswith(part, at)]
    items = _needs(list, value, "indices")
    parts = part if isinstance(part, list) else [part]
    work.burn(work.look_through(items) * work.look_through(parts) // 8)
    ends = len(items) - len(parts) + 1 if parts else 0
    return [at for at in range(ends) if all(is_same(items[at + place], one) for place, one in enumerate(parts))]


def _index(which: int) -> Callable[[Work, Json, Json], Json]:
    def index(work: Work, value: Json, part: Json) -> Json:
        found = _indices(work, value, part)
        return found[which] if found else None

    return index


def _from_json(work: Work, value: Json) -> Json:
    text = _needs(str, value, "fromjson")
    if text.strip() == "nan":
        return math.nan
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise JqError(f"{quoted(text[:40])} is no JSON") from None
    work.make(items=work.look_through(found))
    return found


def _implode(_work: Work, value: Json) -> Json:
    try:
        return "".join(map(chr, _needs(list, value, "implode")))
    except (TypeError, ValueError, OverflowError):
        raise JqError("implode needs the numbers of characters") from None


def _transpose(work: Work, value: Json) -> Json:
    rows = [_needs(list, row, "transpose") for row in _needs(list, value, "transpose")]
    width = max(map(len, rows), default=0)
    work.burn(width * len(rows))
    work.make(items=width * len(rows))
    return [[row[at] if at < len(row) else None for row in rows] for at in range(width)]


def _of_text(name: str, function: Callable[..., Json]) -> Callable[..., Json]:
    """A function of texts."""

    def call(_work: Work, value: Json, *given: Json) -> Json:
        return function(_needs(str, value, name), *(_needs(str, one, name) for one in given))

    return call


def _of_numbers(name: str, function: Callable[..., float]) -> Callable[..., Json]:
    """A function of numbers; what it can't reckon is no number."""

    def call(_work: Work, value: Json, *given: Json) -> Json:
        numbers = [float(_needs((int, float), one, name)) for one in (given or (value,))]
        try:
            return plain_number(function(*numbers))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return call


def _trimmed(cut: Callable[[str, str], str]) -> Callable[[Work, Json, Json], Json]:
    return lambda _work, value, part: cut(value, part) if isinstance(value, str) and isinstance(part, str) else value


def _rounded(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda number: function(number) if math.isfinite(number) else number


_MATHS: Mapping[str, Callable[[float], float]] = {
    "floor": _rounded(math.floor),
    "ceil": _rounded(math.ceil),
    "trunc": _rounded(math.trunc),
    "round": _rounded(lambda number: math.copysign(math.floor(abs(number) + 0.5), number)),
    "sqrt": math.sqrt,
    "fabs": abs,
    "exp": math.exp,
    "exp2": lambda number: 2.0**number,
    "exp10": lambda number: 10.0**number,
    "log": lambda number: math.log(number) if number else -math.inf,
    "log2": lambda number: math.log2(number) if number else -math.inf,
    "log10": lambda number: math.log10(number) if number else -math.inf,
}
_TEXTS: Mapping[tuple[str, int], Callable[..., Json]] = {
    ("startswith", 1): str.startswith,
    ("endswith", 1): str.endswith,
    ("split", 1): split,
    ("ascii_downcase", 0): lambda text: "".join(char.lower() if char.isascii() else char for char in text),
    ("ascii_upcase", 0): lambda text: "".join(char.upper() if char.isascii() else char for char in text),
    ("trim", 0): str.strip,
    ("ltrim", 0): str.lstrip,
    ("rtrim", 0): str.rstrip,
    ("explode", 0): lambda text: list(map(ord, text)),
    ("utf8bytelength", 0): lambda text: len(text.encode()),
}

FUNCTIONS: Mapping[tuple[str, int], Callable[..., Json]] = {
    **{key: _of_text(key[0], function) for key, function in _TEXTS.items()},
    **{(name, 0): _of_numbers(name, function) for name, function in _MATHS.items()},
    ("pow", 2): _of_numbers("pow", math.pow),
    ("not", 0): lambda _work, value: not is_true(value),
    ("length", 0): _length,
    ("abs", 0): _abs,
    ("keys", 0): _keys,
    ("keys_unsorted", 0): _keys_unsorted,
    ("has", 1): _has,
    ("contains", 1): _contains,
    ("ltrimstr", 1): _trimmed(str.removeprefix),
    ("rtrimstr", 1): _trimmed(str.removesuffix),
    ("join", 1): _join,
    ("_glued", 0): _glued,
    ("type", 0): lambda _work, value: type_name(value),
    ("tostring", 0): as_text,
    ("tojson", 0): as_json,
    ("fromjson", 0): _from_json,
    ("tonumber", 0): _number,
    ("toarray", 0): lambda _work, value: value if isinstance(value, list) else [value],
    ("any", 0): lambda _work, value: any(map(is_true, _items(value, "any"))),
    ("all", 0): lambda _work, value: all(map(is_true, _items(value, "all"))),
    ("add", 0): _add,
    ("min", 0): lambda work, value: next(iter(_sort(work, value)), None),
    ("max", 0): lambda work, value: next(reversed(_sort(work, value)), None),
    ("sort", 0): _sort,
    ("unique", 0): _unique,
    ("reverse", 0): lambda _work, value: value[::-1] if isinstance(value, str | list) else [],
    ("from_entries", 0): _from_entries,
    ("flatten", 0): _flatten,
    ("flatten", 1): _flatten,
    ("transpose", 0): _transpose,
    ("indices", 1): _indices,
    ("index", 1): _index(0),
    ("rindex", 1): _index(-1),
    ("implode", 0): _implode,
    ("setpath", 2): put_at,
    ("delpaths", 1): without,
    ("infinite", 0): lambda _work, _value: math.inf,
    ("nan", 0): lambda _work, _value: math.nan,
    ("isinfinite", 0): lambda _work, value: math.isinf(_needs((int, float), value, "isinfinite")),
    ("isnan", 0): lambda _work, value: math.isnan(_needs((int, float), value, "isnan")),
    ("isnormal", 0): lambda _work, value: math.isfinite(_needs((int, float), value, "isnormal")) and abs(value) >= _SMALLEST_NORMAL,
    ("test", 2): patterns.test,
    ("split", 2): patterns.split_by,
    ("_matches", 2): patterns.matches,
    ("now", 0): lambda work, _value: work.now(),
    ("gmtime", 0): moments.gmtime,
    ("localtime", 0): moments.gmtime,
    ("mktime", 0): moments.mktime,
    ("strftime", 1): moments.strftime,
    ("strflocaltime", 1): moments.strftime,
    ("strptime", 1): moments.strptime,
}
"""By name, and how many values they are given."""
