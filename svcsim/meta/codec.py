"""Bytes to JSON values and back: the two ends of every request.

JSON is orjson's. What is let in nests at most `limits.OBJECT_LEVELS` deep, so that everything behind this door may walk a value
recursively and encode it again. The usual body is cleared by counting brackets in C; only a suspicious one is walked.

YAML is read as the field's tools read it (`svcsim.meta.yaml_reader`) and written as they write it (`svcsim.meta.yaml_writer`).
"""

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

import orjson

from svcsim import limits
from svcsim.meta.errors import StatusError, bad_request, too_many_values
from svcsim.meta.objects import CONTAINERS, deep_equal
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from svcsim.meta.yaml_reader import YamlDocument

_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_ESCAPED_COLONS = (b"\\u003a", b"\\u003A")


def decode_json(body: bytes) -> Json:
    """The value a JSON document stands for; a 400 for anything that is none."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _not_json(body, error) from None
    if _may_be_too_deep(body) and depth(value) > limits.OBJECT_LEVELS:
        raise _too_deep()
    return value


def decode_sent_json(body: bytes) -> Json:
    """Decode JSON from a client, which has a limit besides its size: 413 for more than `limits.OBJECT_VALUES` values."""
    if len(body) > 2 * limits.OBJECT_VALUES and _has_too_many_values(body):
        raise too_many_values(limits.OBJECT_VALUES)
    return decode_json(body)


def encode(value: Json) -> bytes:
    """A JSON value as compact JSON; a 400 where it has come to nest too deep to be encoded."""
    return _dumps(value, 0)


def encode_pretty(value: Json) -> bytes:
    """A JSON value as JSON for people: two spaces a level."""
    return _dumps(value, orjson.OPT_INDENT_2)


def encode_sorted(value: Json) -> bytes:
    """A JSON value as compact JSON with the keys of its maps in order."""
    return _dumps(value, orjson.OPT_SORT_KEYS)


def same_json(left: Json, right: Json) -> bool:
    """Whether two values that have a JSON form are the same, as `deep_equal` says: ``==`` alone takes false for 0, and true for 1.

    Numbers are spelled alike nearly always: then nothing is walked but by ``==`` and the encoder, whatever the order of the keys.
    """
    if left is right:
        return True
    if left != right:
        return False
    if type(left) in CONTAINERS:
        return _dumps(left, orjson.OPT_SORT_KEYS) == _dumps(right, orjson.OPT_SORT_KEYS) or deep_equal(left, right)
    return isinstance(left, bool) == isinstance(right, bool)


def depth(value: Json) -> int:
    """How many maps and lists stand inside one another; 0 for a scalar. Does not recurse, and stops at one level more than there may be."""
    return extent(value)[0]


def extent(value: Json) -> tuple[int, int]:
    """How deep a value is, as `depth` says, and how many values there are in it down to there, itself among them."""
    levels, values = 0, 1
    row: list[Json] = [value]
    while levels <= limits.OBJECT_LEVELS and (containers := [item for item in row if isinstance(item, dict | list)]):
        levels += 1
        # In this process a value may contain itself, several times over: each container counts once a level.
        once = {id(item): item for item in containers}.values()
        row = [child for item in once for child in (item.values() if isinstance(item, dict) else item)]
        values += len(row)
    return levels, values


def check_values(value: Json) -> Json:
    """The value itself. Raises 413 if there are too many values in it."""
    if extent(value)[1] > limits.OBJECT_VALUES:
        raise too_many_values(limits.OBJECT_VALUES)
    return value


def duplicate_keys(body: bytes, value: Json) -> list[str]:
    """Paths of keys that stand twice in one map of ``body``, in document order: ``spec.containers[0].name``.

    ``value`` is what `decode_json` made of the body. A key that stood twice is one key there, so how many colons it takes to write the
    value down again tells: each key has one, and those within texts come to as many again, unless they were written as escapes.
    """
    may_hide = b"\\" in body and any(colon in body for colon in _ESCAPED_COLONS)
    if not may_hide and body.count(b":") == encode(value).count(b":"):
        return []
    found: dict[str, None] = {}
    _collect_duplicates(json.loads(body, object_pairs_hook=_Pairs), "", found)
    return list(found)


def duplicate_fields(body: bytes, value: Json) -> list[str]:
    """The fields that stand twice in a JSON body, in the words clients know."""
    return [f"duplicate field {quoted(path)}" for path in duplicate_keys(body, value)]


def unknown_and_duplicate_fields(body: bytes, unknown: "Sequence[str]") -> list[str]:
    """The fields nobody declared and those that stand twice, in words, as they follow each other in a JSON body.

    What stands inside of an unknown field isn't looked at, and isn't told of.
    """
    return list(dict.fromkeys(_told_in_order(json.loads(body, object_pairs_hook=_Pairs), "", frozenset(unknown))))


def decode_yaml(body: bytes) -> Json:
    """The value of a body's one YAML document; JSON is YAML too. A key that stands twice has its last value."""
    return decode_yaml_strict(body)[0]


def decode_yaml_strict(body: bytes) -> tuple[Json, list[str]]:
    """As `decode_yaml`, and what stands twice: ``duplicate field "a"`` where it is JSON, ``line 3: key "a" already set in map`` in YAML."""
    if body.lstrip()[:1] == b"{":
        try:
            value = decode_sent_json(body)
        except StatusError as error:
            if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                raise
            # flow style YAML may look like JSON
        else:
            return value, duplicate_fields(body, value)
    documents = list(decode_yaml_documents(body))
    if len(documents) > 1:
        raise bad_request(f"error converting YAML to JSON: expected one document, found a second at line {documents[1].line}")
    return (documents[0].value, documents[0].duplicates) if documents else (None, [])


def decode_yaml_documents(body: bytes) -> "Iterator[YamlDocument]":
    """The documents of a YAML stream, empty ones left out, each with the line it begins at."""
    from svcsim.meta import yaml_reader

    return yaml_reader.read_documents(body)


def encode_yaml(value: Json) -> bytes:
    """A JSON value as block style YAML with sorted keys, as ``-o yaml`` prints it."""
    from svcsim.meta import yaml_writer

    return yaml_writer.write_document(value)


def _dumps(value: Json, options: int) -> bytes:
    try:
        return orjson.dumps(value, option=options)
    except TypeError:
        if depth(value) > limits.OBJECT_LEVELS:
            raise _too_deep() from None
        raise


class _Pairs(list[tuple[str, Json]]):
    """A JSON map as it was written, with what stands twice."""


def _collect_duplicates(value: Json, path: str, found: dict[str, None]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, child in value:
            child_path = f"{path}.{key}" if path else key
            if key in seen:
                found[child_path] = None
            seen.add(key)
            _collect_duplicates(child, child_path, found)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            _collect_duplicates(child, f"{path}[{index}]", found)


def _told_in_order(value: Json, path: str, unknown: frozenset[str]) -> "Iterator[str]":
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, child in value:
            child_path = f"{path}.{key}" if path else key
            if child_path in unknown:
                yield f"unknown field {quoted(child_path)}"
                continue
            if key in seen:
                yield f"duplicate field {quoted(child_path)}"
            seen.add(key)
            yield from _told_in_order(child, child_path, unknown)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _told_in_order(child, f"{path}[{index}]", unknown)


def _may_be_too_deep(body: bytes) -> bool:
    """False where counting brackets proves the nesting harmless. Brackets inside of strings only ever make it say True."""
    if body.count(b"{") + body.count(b"[") <= limits.OBJECT_LEVELS:
        return False
    brackets = body.translate(None, _NOT_BRACKETS)
    for _ in range(limits.OBJECT_LEVELS // 2):  # a round takes one or two levels of innermost pairs away
        peeled = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(peeled) == len(brackets):
            break
        brackets = peeled
    return bool(brackets)


def _has_too_many_values(body: bytes) -> bool:
    """Whether there are more values than there may be; told by what stands between them, first without looking for strings."""
    if _count_separators(body) <= limits.OBJECT_VALUES:
        return False
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in body else body
    if unescaped.count(b'"') > 4 * (limits.OBJECT_VALUES + 1):  # a value is two strings at the most, a key and itself
        return True
    return _count_separators(b"".join(unescaped.split(b'"')[::2])) > limits.OBJECT_VALUES


def _count_separators(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def _not_json(body: bytes, error: orjson.JSONDecodeError) -> StatusError:
    if not body.strip():
        return bad_request("couldn't get version/kind; json parse error: unexpected end of JSON input")
    if "depth limit" in error.msg:
        return _too_deep()
    from svcsim.meta.json_syntax import wrong_with  # wanted seldom, and commands are to start quickly

    wrong = wrong_with(body) if error.pos <= limits.ASIDE_BYTES else ""  # Python is slow to read what the library reads at once
    return bad_request(
        f"couldn't get version/kind; json parse error: {wrong or f'{error.msg} (line {error.lineno}, column {error.colno})'}"
    )


def _too_deep() -> StatusError:
    return bad_request(f"couldn't get version/kind; json parse error: exceeded max depth: at most {limits.OBJECT_LEVELS} levels of nesting")
