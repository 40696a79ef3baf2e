"""A cache of what was derived from a thing, by which thing it is rather than by what it equals.

Schemas are large trees of frozen dataclasses: hashing or comparing one by value walks all of it, and some of their defaults can't be
hashed at all. Each is made once and kept, so its identity will do.
"""

from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def cached_by_identity(limit: int) -> Callable[[Callable[[S], T]], Callable[[S], T]]:
    """Remember a function's results for its last ``limit`` arguments; the oldest is forgotten first."""

    def remember(function: Callable[[S], T]) -> Callable[[S], T]:
        known: dict[int, tuple[S, T]] = {}

        def cached(thing: S) -> T:
            entry = known.get(id(thing))
            if entry is None:
                if len(known) >= limit:
                    del known[next(iter(known))]
                # The thing is kept beside the result: while it lives here, nothing else can have its identity.
                entry = known[id(thing)] = (thing, function(thing))
            return entry[1]

        return cached

    return remember
