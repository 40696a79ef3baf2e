"""Reading the ``APIResourceList`` of a server that may be anybody's.

One server behind this one must not keep everybody from knowing what the others serve: entries that aren't what they should be are left
out, and so is what comes after as many as are read of one list.
"""

from typing import NamedTuple

from svcsim import limits
from svcsim.meta.types import Json, Object

_TEXTS = ("singularName", "group", "version")
_LISTS = ("verbs", "shortNames", "categories")


class ReadEntries(NamedTuple):
    """The entries of a list that can be used, and how many others there are."""

    good: list[Object]
    left_out: int


def read_entries(listed: Json) -> ReadEntries | None:
    """What an ``APIResourceList`` lists; None where it is none."""
    entries = (listed.get("resources") or []) if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return None
    good = [one for one in entries[: limits.DISCOVERED_TYPES] if _is_entry(one)]
    return ReadEntries(good, len(entries) - len(good))


def _is_entry(entry: Json) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), str) and entry[key] for key in ("name", "kind"))
        and all(isinstance(entry.get(key) or "", str) for key in _TEXTS)
        and all(_is_texts(entry.get(key) or []) for key in _LISTS)
    )


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
