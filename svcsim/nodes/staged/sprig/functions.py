"""The functions that templates of stages can call besides Go's own: those of the sprig library that make sense for objects.

What a machine knows (environment, files, keys) is not among them. Those of time and chance are apart: `sprig_times`, `sprig_chance`.
"""

import base64
import binascii
import hashlib
import math
import zlib
from collections.abc import Callable, Mapping

import orjson

from svcsim import limits
from svcsim.meta.go_values import quote
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import Int64, check_length, type_name
from svcsim.meta.gotemplate.functions import KnownFunction
from svcsim.meta.types import Json
from svcsim.nodes.staged.sprig.patterns import PATTERNS
from svcsim.nodes.staged.sprig.values import float_of, given, integer, is_empty, list_of, map_of, text_of
from svcsim.nodes.staged.sprig.words import OF_SEVERAL, WORDS


def _divided(value: Json, by: Json) -> int:
    if not integer(by):
        raise CallError("runtime error: integer divide by zero")
    whole = abs(integer(value)) // abs(integer(by))
    return whole if (integer(value) < 0) is (integer(by) < 0) else -whole


def _product(*values: Json) -> int:
    total = 1
    for value in values:
        total = (total * integer(value) + 2**63) % 2**64 - 2**63
    return total


def _dict(*pairs: Json) -> Json:
    keys, values = pairs[::2], pairs[1::2]
    return {text_of(key): given(values[index]) if index < len(values) else "" for index, key in enumerate(keys)}


def _default(otherwise: Json, value: Json = None) -> Json:
    return given(otherwise) if is_empty(value) else value


def _coalesce(*values: Json) -> Json:
    return next((value for value in values if not is_empty(value)), None)


def _ternary(yes: Json, no: Json, value: Json) -> Json:
    return yes if given(value) else no


def _indented(spaces: Json, text: Json) -> str:
    count = integer(spaces)
    if not 0 <= count <= limits.TEMPLATE_LEVELS:
        raise CallError(f"{count} is no number of blanks")
    pad = " " * count
    return pad + _replaced("\n", f"\n{pad}", text)


def _repeated(count: Json, text: Json) -> str:
    times, piece = integer(count), text_of(text)
    check_length(times * len(piece))
    return piece * max(times, 0)


def _replaced(old: Json, new: Json, text: Json) -> str:
    before, after, whole = text_of(old), text_of(new), text_of(text)
    check_length(len(whole) + whole.count(before) * (len(after) - len(before)))
    return whole.replace(before, after)


def _joined(between: Json, items: Json) -> str:
    several = items if isinstance(given(items), list | None) else [items]
    texts, mark = [text_of(item) for item in list_of(several) if given(item) is not None], text_of(between)
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
    for one in list_of(items):
        found.setdefault(_told_apart(one), one)
    return list(found.values())


def _without(items: Json, *unwanted: Json) -> Json:
    marks = set(map(_told_apart, unwanted))
    return [one for one in list_of(items) if _told_apart(one) not in marks]


def _until(count: Json) -> Json:
    if abs(integer(count)) > limits.RENDERED_CHARS:
        raise CallError("a list that is too long")
    return list(range(integer(count))) if integer(count) >= 0 else list(range(0, integer(count), -1))


def _from_json(text: Json) -> Json:
    try:
        return orjson.loads(text_of(text))
    except orjson.JSONDecodeError as error:
        raise CallError(str(error)) from None


def _to_raw_json(value: Json, layout: int = 0) -> str:
    try:
        return orjson.dumps(given(value), option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS | layout, default=int).decode()
    except TypeError as error:
        raise CallError(str(error)) from None


def _to_json(value: Json, layout: int = 0) -> str:
    """As Go writes JSON, fit to stand in HTML."""
    return _to_raw_json(value, layout).translate(_ESCAPED_FOR_HTML)


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


def _merged(first: Json, *others: Json) -> Json:
    """The first map, with what others have that it hasn't, also in maps within."""
    into = map_of(first)
    for one in others:
        for key, value in map_of(one).items():
            if isinstance(into.get(key), dict) and isinstance(value, dict):
                into[key] = _merged(dict(into[key]), value)
            elif is_empty(into.get(key)):
                into[key] = value
    return into


def _overwritten(first: Json, *others: Json) -> Json:
    """The first map, with what others say in its place, also in maps within."""
    into = map_of(first)
    for one in others:
        for key, value in map_of(one).items():
            both = isinstance(into.get(key), dict) and isinstance(value, dict)
            into[key] = _overwritten(dict(into[key]), value) if both else value
    return into


def _copy(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value


def _set(of: Json, key: Json, value: Json) -> Json:
    found = map_of(of)
    found[text_of(key)] = given(value)
    return found


def _unset(of: Json, key: Json) -> Json:
    found = map_of(of)
    found.pop(text_of(key), None)
    return found


def _chunks(size: Json, items: Json) -> Json:
    count, whole = integer(size), list_of(items)
    if count < 1:
        raise CallError("a size of chunks below 1")
    return [whole[first : first + count] for first in range(0, len(whole), count)]


def _parts(between: str, text: str, most: int = -1) -> Json:
    """The parts of a text as a map: of ``_0``, ``_1`` and so on."""
    pieces = list(text) if not between else text.split(between, most - 1 if most > 0 else -1)
    return {f"_{index}": piece for index, piece in enumerate(pieces)} if most else {}


def _steps(first: Json, end: Json, step: Json) -> Json:
    start, stop, by = integer(first), integer(end), integer(step)
    if not by or (by > 0) is (start > stop):
        return []
    if (abs(stop - start) + abs(by) - 1) // abs(by) > limits.RENDERED_CHARS:
        raise CallError("a list that is too long")
    return list(range(start, stop, by))


def _sequence(*ends: Json) -> str:
    """Numbers up to and with the last, with blanks between; from 1 unless said."""
    if len(ends) == _SEQUENCE_MOST:
        first, by, last = map(integer, ends)
    else:
        first, last = (1, integer(ends[0])) if len(ends) == 1 else map(integer, ends)
        by = 1 if last >= first else -1
    return " ".join(map(str, _steps(first, last + (1 if by > 0 else -1), by)))


def _rounded(value: Json, places: Json, half: Json = 0.5) -> float:
    exact, factor = float_of(value), 10.0 ** max(min(integer(places), 15), -15)
    whole = math.floor(abs(exact) * factor) if math.isfinite(exact) else 0
    up = abs(exact) * factor - whole >= float_of(half)
    return math.copysign((whole + up) / factor, exact)


def _computed(run: Callable[[float, float], float]) -> Callable[..., Json]:
    def of_all(first: Json, *values: Json) -> Json:
        total = float_of(first)
        for value in values:
            try:
                total = run(total, float_of(value))
            except ZeroDivisionError:
                total = math.nan if not total or math.isnan(total) else math.copysign(math.inf, total)
            except OverflowError:
                total = math.inf
        return total

    return of_all


def _whole(run: Callable[[float], int], value: Json) -> float:
    exact = float_of(value)
    return float(run(exact)) if math.isfinite(exact) else exact


def _octal(value: Json) -> int:
    try:
        return int(text_of(value), 8)
    except ValueError:
        return 0


def _decoded_32(text: Json) -> str:
    try:
        return base64.b32decode(text_of(text)).decode("utf-8", "replace")
    except (binascii.Error, ValueError) as error:
        return str(error)


def _type(value: Json) -> str:
    return type_name(given(value))


def _slice(value: Json, *ends: Json) -> Json:
    items = list_of(value)
    first, last = [*map(integer, ends), *(0, len(items))[len(ends) :]][:2]
    return items[first:last]


def _abbreviated(width: Json, text: Json) -> str:
    whole = text_of(text)
    return whole if len(whole) <= integer(width) or integer(width) < 4 else f"{whole[: integer(width) - 3]}..."


def _concat(*lists: Json) -> Json:
    return [one for items in lists for one in list_of(items)]


def _quoted(*values: Json) -> str:
    """As Go quotes texts, so that whatever reads YAML reads them as they are."""
    return " ".join(quote(text_of(value)) for value in values if given(value) is not None)


def _in_single_quotes(*values: Json) -> str:
    return " ".join(f"'{text_of(value)}'" for value in values if given(value) is not None)


def _fails(message: Json) -> Json:
    raise CallError(text_of(message))


def _kind(value: Json) -> str:
    value = given(value)
    if value is None:
        return "invalid"
    return _KINDS[type(value)]


_ANY = -1
_SEQUENCE_MOST = 3
_ESCAPED_FOR_HTML = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_KINDS = {bool: "bool", int: "int", Int64: "int64", float: "float64", str: "string", list: "slice", dict: "map"}
_TEXTS: Mapping[str, Callable[[str], Json]] = {
    "adler32sum": lambda text: str(zlib.adler32(text.encode())),
    "b32enc": lambda text: base64.b32encode(text.encode()).decode(),
    "b64enc": lambda text: base64.b64encode(text.encode()).decode(),
    "lower": str.lower,
    "sha1sum": lambda text: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(),
    "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "sha512sum": lambda text: hashlib.sha512(text.encode()).hexdigest(),
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
    "split": _parts,
    "splitList": lambda between, text: text.split(between) if between else list(text),
    "trimall": lambda chars, text: text.strip(chars),
    "trimAll": lambda chars, text: text.strip(chars),
    "trimPrefix": lambda part, text: text.removeprefix(part),
    "trimSuffix": lambda part, text: text.removesuffix(part),
}
"""Functions of two texts, what is done to the second being said by the first."""
_OTHERS: Mapping[str, tuple[Callable[..., Json], int, int]] = {
    "abbrev": (_abbreviated, 2, 2),
    "add": (lambda *values: sum(map(integer, values)), 0, _ANY),
    "add1": (lambda value: integer(value) + 1, 1, 1),
    "add1f": (lambda value: float_of(value) + 1, 1, 1),
    "addf": (_computed(lambda one, other: one + other), 1, _ANY),
    "all": (lambda *values: not any(map(is_empty, values)), 0, _ANY),
    "any": (lambda *values: not all(map(is_empty, values)), 0, _ANY),
    "append": (lambda items, value: [*list_of(items), value], 2, 2),
    "atoi": (integer, 1, 1),
    "b32dec": (_decoded_32, 1, 1),
    "b64dec": (_decoded, 1, 1),
    "biggest": (lambda first, *values: max(map(integer, (first, *values))), 1, _ANY),
    "ceil": (lambda value: _whole(math.ceil, value), 1, 1),
    "chunk": (_chunks, 2, 2),
    "coalesce": (_coalesce, 0, _ANY),
    "compact": (lambda items: [one for one in list_of(items) if not is_empty(one)], 1, 1),
    "concat": (_concat, 0, _ANY),
    "deepCopy": (_copy, 1, 1),
    "deepEqual": (lambda one, other: _told_apart(one) == _told_apart(other), 2, 2),
    "default": (_default, 1, 2),
    "dict": (_dict, 0, _ANY),
    "dig": (_dig, 3, _ANY),
    "div": (_divided, 2, 2),
    "divf": (_computed(lambda one, other: one / other), 1, _ANY),
    "empty": (is_empty, 1, 1),
    "fail": (_fails, 1, 1),
    "first": (lambda items: next(iter(list_of(items)), None), 1, 1),
    "float64": (float_of, 1, 1),
    "floor": (lambda value: _whole(math.floor, value), 1, 1),
    "fromJson": (_from_json, 1, 1),
    "get": (lambda of, key: map_of(of).get(key, ""), 2, 2),
    "has": (lambda value, items: given(value) in list_of(items), 2, 2),
    "hasKey": (lambda of, key: key in map_of(of), 2, 2),
    "indent": (_indented, 2, 2),
    "initial": (lambda items: list_of(items)[:-1], 1, 1),
    "int": (integer, 1, 1),
    "int64": (integer, 1, 1),
    "join": (_joined, 2, 2),
    "keys": (lambda of: list(map_of(of)), 1, 1),
    "kindIs": (lambda kind, value: kind == _kind(value), 2, 2),
    "kindOf": (_kind, 1, 1),
    "last": (lambda items: next(reversed(list_of(items)), None), 1, 1),
    "list": (lambda *values: list(map(given, values)), 0, _ANY),
    "max": (lambda first, *values: max(map(integer, (first, *values))), 1, _ANY),
    "maxf": (_computed(max), 1, _ANY),
    "merge": (_merged, 1, _ANY),
    "mergeOverwrite": (_overwritten, 1, _ANY),
    "min": (lambda first, *values: min(map(integer, (first, *values))), 1, _ANY),
    "minf": (_computed(min), 1, _ANY),
    "mod": (lambda value, by: integer(value) - _divided(value, by) * integer(by), 2, 2),
    "mul": (_product, 1, _ANY),
    "mulf": (_computed(lambda one, other: one * other), 1, _ANY),
    "nindent": (lambda spaces, text: "\n" + _indented(spaces, text), 2, 2),
    "nospace": (lambda text: "".join(text_of(text).split()), 1, 1),
    "omit": (lambda of, *keys: {key: value for key, value in map_of(of).items() if key not in keys}, 1, _ANY),
    "pick": (lambda of, *keys: {key: value for key, value in map_of(of).items() if key in keys}, 1, _ANY),
    "pluck": (lambda key, *maps: [one[key] for one in map(map_of, maps) if key in one], 1, _ANY),
    "prepend": (lambda items, value: [value, *list_of(items)], 2, 2),
    "push": (lambda items, value: [*list_of(items), value], 2, 2),
    "quote": (_quoted, 0, _ANY),
    "repeat": (_repeated, 2, 2),
    "replace": (_replaced, 3, 3),
    "rest": (lambda items: list_of(items)[1:], 1, 1),
    "reverse": (lambda items: list_of(items)[::-1], 1, 1),
    "round": (_rounded, 2, 3),
    "seq": (_sequence, 1, 3),
    "set": (_set, 3, 3),
    "slice": (_slice, 1, 3),
    "sortAlpha": (lambda items: sorted(map(text_of, list_of(items))), 1, 1),
    "splitn": (lambda between, most, text: _parts(text_of(between), text_of(text), integer(most)), 3, 3),
    "squote": (_in_single_quotes, 0, _ANY),
    "sub": (lambda value, other: integer(value) - integer(other), 2, 2),
    "subf": (_computed(lambda one, other: one - other), 1, _ANY),
    "substr": (lambda first, last, text: text_of(text)[max(integer(first), 0) : integer(last) if integer(last) >= 0 else None], 3, 3),
    "ternary": (_ternary, 3, 3),
    "toDecimal": (_octal, 1, 1),
    "toJson": (_to_json, 1, 1),
    "toPrettyJson": (lambda value: _to_json(value, orjson.OPT_INDENT_2), 1, 1),
    "toRawJson": (_to_raw_json, 1, 1),
    "toStrings": (lambda items: list(map(text_of, list_of(items))), 1, 1),
    "trunc": (lambda count, text: text_of(text)[: integer(count)] if integer(count) >= 0 else text_of(text)[integer(count) :], 2, 2),
    "tuple": (lambda *values: list(map(given, values)), 0, _ANY),
    "typeIs": (lambda name, value: name == _type(value), 2, 2),
    "typeIsLike": (lambda name, value: _type(value) in (name, f"*{name}"), 2, 2),
    "typeOf": (_type, 1, 1),
    "uniq": (_unique, 1, 1),
    "unset": (_unset, 2, 2),
    "until": (_until, 1, 1),
    "untilStep": (_steps, 3, 3),
    "values": (lambda of: list(map_of(of).values()), 1, 1),
    "without": (_without, 1, _ANY),
}
"""The others, with how many values they take at the least and at the most."""


def _of_text(run: Callable[[str], Json]) -> Callable[..., Json]:
    return lambda value: run(text_of(value))


def _of_texts(run: Callable[[str, str], Json]) -> Callable[..., Json]:
    return lambda first, second: run(text_of(first), text_of(second))


_SPRIG: Mapping[str, KnownFunction] = {
    **{name: KnownFunction(run, least, most) for name, (run, least, most) in (*_OTHERS.items(), *OF_SEVERAL.items())},
    **{name: KnownFunction(run, count, count) for name, (run, count) in PATTERNS.items()},
    **{name: KnownFunction(_of_text(run), 1, 1) for name, run in (*_TEXTS.items(), *WORDS.items())},
    **{name: KnownFunction(_of_texts(run), 2, 2) for name, run in _PAIRS.items()},
}
_STRICT = (
    "append", "chunk", "compact", "deepCopy", "first", "fromJson", "has", "initial", "last", "merge", "mergeOverwrite", "prepend", "push",
    "regexFind", "regexFindAll", "regexMatch", "regexReplaceAll", "regexReplaceAllLiteral", "regexSplit", "rest", "reverse", "slice",
    "toJson", "toPrettyJson", "toRawJson", "uniq", "without",
)  # fmt: skip
"""Those that have a twin that begins with ``must``; here both tell what is wrong."""
SPRIG: Mapping[str, KnownFunction] = {**_SPRIG, **{f"must{name[0].upper()}{name[1:]}": _SPRIG[name] for name in _STRICT}}
"""By name."""
