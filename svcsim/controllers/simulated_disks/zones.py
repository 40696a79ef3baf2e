"""In which zones a disk may be made: where the nodes are, or the one node that was chosen, and where the class allows it. Pure."""

import zlib
from collections.abc import Iterable
from typing import NamedTuple

from svcsim.meta.objects import labels_of
from svcsim.meta.types import Object


class PossibleZones(NamedTuple):
    """Their names, the one to take first; none where nothing is known of zones."""

    key: str
    """The label of nodes that tells their zone."""
    names: list[str]


class NoZoneError(Exception):
    """There is no place for a disk."""


def possible_zones(key: str, nodes: Iterable[Object], storage_class: Object, what: str) -> PossibleZones:
    """Which one it is follows from ``what`` it is for, so that disks are spread. Raises `NoZoneError` where the class allows none."""
    there = {labels_of(node)[key]: None for node in nodes if key in labels_of(node)}
    allowed = _allowed(key, storage_class)
    names = sorted(there if allowed is None else (zone for zone in allowed if zone in there or not there))
    if allowed is not None and not names:
        raise NoZoneError("no node is in a zone that the allowedTopologies of the class name")
    first = zlib.crc32(what.encode()) % max(len(names), 1)
    return PossibleZones(key, names[first:] + names[:first])


def _allowed(key: str, storage_class: Object) -> list[str] | None:
    terms = storage_class.get("allowedTopologies") or ()
    named = [
        value
        for term in terms
        for expression in term.get("matchLabelExpressions") or ()
        if expression["key"] == key
        for value in expression["values"]
    ]
    return list(dict.fromkeys(named)) or None
