"""Zones' shares of the endpoints of a service (Topology Aware Routing): each zone has as many as its part of all nodes' CPU is worth.

An endpoint serves its own zone first; zones that have more than their share give some to those that have less. If that would overload one
zone's endpoints, there are no hints, and an event says why.
"""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from svcsim.controllers.endpoints.words import EndpointWords
from svcsim.meta.objects import condition_is, get_path, labels_of
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object

_MOST: Final = Fraction(6, 5)
"""How much an endpoint may be loaded, as a multiple of its fair share."""
_HALF: Final = Fraction(1, 2)
NODES_UNKNOWN: Final = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
TOO_FEW: Final = "Insufficient number of endpoints"
OVERLOADED: Final = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold"
NO_ZONE: Final = "One or more endpoints do not have a zone specified"
ENABLED: Final = "Topology Aware Hints has been enabled"
DISABLED: Final = "Topology Aware Hints has been disabled"


class NoSharesError(Exception):
    """Why zones can't have shares."""


def cpu_of_zones(nodes: Iterable[Object], words: EndpointWords) -> dict[str, Fraction]:
    """How much of all CPU there is in each zone; none where that can't be told of all nodes, or there is one zone alone.

    Nodes that aren't ready don't count, nor do those of the control plane.
    """
    found: dict[str, Fraction] = {}
    for zone, cpu in filter(None, (capacity_of(node, words) for node in nodes)):
        if not zone or not cpu:
            return {}
        found[zone] = found.get(zone, Fraction(0)) + cpu
    total = sum(found.values())
    return {zone: cpu / total for zone, cpu in sorted(found.items())} if len(found) > 1 else {}


def capacity_of(node: Object, words: EndpointWords) -> tuple[str, Fraction] | None:
    """The zone of a node, and how much CPU pods may have of it; None of a node that doesn't count."""
    labels = labels_of(node)
    if not condition_is(node, "Ready") or any(role in labels for role in words.control_plane):
        return None
    return labels.get(words.zone, ""), parse(get_path(node, "status.allocatable.cpu") or "0").number


def share_out(endpoints: list[Object], ratios: Mapping[str, Fraction]) -> None:
    """Give endpoints that are ready hints for zones. Raises `NoSharesError`, and then there are none."""
    wanted = _wanted(len(endpoints), ratios)
    if not all(endpoint.get("zone") for endpoint in endpoints):
        raise NoSharesError(NO_ZONE)
    has: dict[str, int] = {}
    for endpoint in endpoints:
        has[endpoint["zone"]] = has.get(endpoint["zone"], 0) + 1
    giving, receiving = _moves(wanted, has)
    for endpoint in endpoints:
        zone = endpoint["zone"]
        if giving.get(zone) and receiving:
            giving[zone] -= 1
            zone = next(iter(receiving))
            receiving[zone] -= 1
            if not receiving[zone]:
                del receiving[zone]
        endpoint["hints"] = {"forZones": [{"name": zone}]}


def _wanted(count: int, ratios: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """How many of so many endpoints zones are to have: no fewer than keep them from being overloaded."""
    if not ratios:
        raise NoSharesError(NODES_UNKNOWN)
    size = f"({count} endpoints, {len(ratios)} zones)"
    if count < len(ratios):
        raise NoSharesError(f"{TOO_FEW} {size}")
    least = {zone: math.ceil(ratio * count / _MOST) for zone, ratio in ratios.items()}
    if sum(least.values()) > count:
        raise NoSharesError(f"{OVERLOADED} {size}")
    return {zone: max(ratio * count, Fraction(least[zone])) for zone, ratio in ratios.items()}


def _moves(wanted: Mapping[str, Fraction], has: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """How many endpoints zones give to others, and how many they receive: one at a time from who has most to spare to who lacks most."""
    spare = {zone: has.get(zone, 0) - share for zone, share in wanted.items() if has.get(zone, 0) > share}
    lacks = {zone: share - has.get(zone, 0) for zone, share in wanted.items() if has.get(zone, 0) < share}
    giving: dict[str, int] = {}
    receiving: dict[str, int] = {}
    while spare and lacks:
        giver, taker = max(spare, key=spare.__getitem__), max(lacks, key=lacks.__getitem__)
        if min(spare[giver], lacks[taker]) < _HALF or max(spare[giver], lacks[taker]) < 1:
            break
        for moved, left, zone in ((giving, spare, giver), (receiving, lacks, taker)):
            moved[zone] = moved.get(zone, 0) + 1
            left[zone] -= 1
    return giving, receiving
