"""What the rules of a schema could cost by what it lets an object have: each of them, and all together."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.errors import FieldError, forbidden_field

_ADVICE = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
_CONTRIBUTED = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_TOTAL = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
_NAMED = 4
"""Expressions that are named where all together cost too much; and none that costs less than this part of the total."""
_PART = 0.01


class _Estimate(NamedTuple):
    path: str
    units: float


class Estimates:
    """What all expressions of one schema could cost that have been looked at."""

    def __init__(self) -> None:
        self._seen: list[_Estimate] = []

    def seen(self, path: str, what: str, units: float, least: float = 0.0) -> Iterator[FieldError]:
        """Whether an expression could cost too much. ``least`` is what it takes whatever an object has, as a part of what it may."""
        self._seen.append(_Estimate(path, units))
        factor = max(units / limits.CEL_ESTIMATED_COST, least)
        if factor > 1:
            yield forbidden_field(path, _exceeded(what, factor))

    def findings(self, path: str) -> Iterator[FieldError]:
        """Whether all could cost too much together."""
        factor = sum(one.units for one in self._seen) / limits.CEL_ESTIMATED_TOTAL
        if factor <= 1:
            return
        costly = [one for one in self._seen if one.units >= limits.CEL_ESTIMATED_TOTAL * _PART]
        for one in sorted(costly, key=lambda one: -one.units)[:_NAMED]:
            yield forbidden_field(one.path, _CONTRIBUTED)
        yield forbidden_field(path, _exceeded(_TOTAL, factor))


def _exceeded(what: str, factor: float) -> str:
    told = "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{what} exceeds budget by factor of {told} {_ADVICE}"
