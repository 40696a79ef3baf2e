"""What follows from a schema, worked out once and kept with it.

Schemas are large trees of records: hashing or comparing one by value walks all of it, and some of their defaults can't be hashed
at all. So what follows from one is kept by that very one, and goes with it: definitions of custom resources come and go. Nothing that is
kept so may refer to the schema itself, or both would stay until somebody searches all there is for garbage.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, TypeVarTuple


class _Schema(Protocol):
    @property
    def derived(self) -> dict[object, Any]:
        """By what it was worked out with."""
        ...


S = TypeVar("S", bound=_Schema)
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def derived(function: Callable[[S, *Ts], T]) -> Callable[[S, *Ts], T]:
    """Remember a function's result for each schema, and for what else it is given."""

    def remembered(schema: S, *others: *Ts) -> T:
        known = schema.derived
        key = (function, *others) if others else function
        if key not in known:
            known[key] = function(schema, *others)
        found: T = known[key]
        return found

    return remembered
