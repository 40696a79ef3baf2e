"""Whose part of a load is how large: what a curve says is shared is divided among all that are ready."""

from typing import NamedTuple

from svcsim.meta.curves import Curve
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object


class Moment(NamedTuple):
    """When, and in which cluster, it is asked."""

    now: float
    seed: str


class Sharing(NamedTuple):
    """Who have a load together: how many of them are ready, and when the load began."""

    ready: int
    since: float


def part_of(curve: Curve, obj: Object, since_s: float, moment: Moment, chance: float, sharing: Sharing | None, whole: float = 0.0) -> float:
    """What a curve says of an object; its part of it, where it shares that with others."""
    if not curve.shared or sharing is None:
        return curve.at(since_s, moment.now, chance, whole)
    if not is_ready(obj) or not sharing.ready:
        return 0.0
    return curve.at(moment.now - sharing.since, moment.now, chance, whole) / sharing.ready
