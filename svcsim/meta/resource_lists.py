"""Reading the ``APIResourceList`` of a server that isn't trusted.

One aggregated server must not break discovery of the others: invalid entries are left out, and so are those beyond the limit for one list.
A long list is decoded entry by entry, so that a thread that reads it yields the interpreter in between, and entries that aren't read aren't
decoded.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, TypeGuard

from svcsim import limits
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object

_TEXTS = ("singularName", "group", "version")
_LISTS = ("verbs", "shortNames", "categories")
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class ReadEntries(NamedTuple):
    """The entries of a list that can be used, how many others there are among those that are read, and whether there are more to read."""

    good: list[Object]
    left_out: int
    more: bool


def read_entries(listed: Json) -> ReadEntries | None:
    """What an ``APIResourceList`` lists; None where it is none."""
    entries = (listed.get("resources") or []) if isinstance(listed, dict) else None
    return _read(iter(entries)) if isinstance(entries, list) else None


def decode_entries(body: bytes) -> ReadEntries | None:
    """What an ``APIResourceList`` in JSON lists; None where it is none."""
    try:
        if len(body) <= limits.ASIDE_BYTES:
            return read_entries(decode_json(body))
        return _read(decode_json(entry.encode()) for entry in _spelled(body.decode()))
    except (StatusError, ValueError, IndexError, RecursionError):
        return None


def _read(entries: Iterator[Json]) -> ReadEntries:
    read = list(islice(entries, limits.DISCOVERED_TYPES))
    good = [one for one in read if _is_entry(one)]
    return ReadEntries(good, len(read) - len(good), any(True for _ in entries))


def _spelled(text: str) -> Iterator[str]:
    """The entries as they are spelled. Raises `ValueError`, `IndexError` and `RecursionError` where it can't be read."""
    at = _after(text, 0, "{")
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _after(text, end, ":")
        if key == "resources" and text[at] == "[":
            yield from _items(text, _after(text, at, "["))
            return
        value, end = _DECODER.raw_decode(text, at)
        if key == "resources" and value:
            raise ValueError("it is no list")
        at = _next(text, end)


def _items(text: str, at: int) -> Iterator[str]:
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield text[at:end]
        at = _next(text, end)


def _after(text: str, at: int, mark: str) -> int:
    """Where something begins behind a mark that has to stand here."""
    at = _skipped(text, at)
    if text[at] != mark:
        raise ValueError(f"{mark} is missing")
    return _skipped(text, at + 1)


def _next(text: str, end: int) -> int:
    """Where the next of several begins, or their end is."""
    at = _skipped(text, end)
    return at if text[at] in "]}" else _after(text, at, ",")


def _skipped(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None, "no blanks are some, too"
    return blanks.end()


def _is_entry(entry: Json) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), str) and entry[key] for key in ("name", "kind"))
        and all(isinstance(entry.get(key) or "", str) for key in _TEXTS)
        and all(are_texts(entry.get(key) or []) for key in _LISTS)
    )


def are_texts(value: object) -> TypeGuard[list[str]]:
    """Whether it is a list of nothing but texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
