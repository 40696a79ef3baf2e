"""What the controller remembers of an autoscaler: its recommendations of late, and how it has changed the size.

It is kept in memory alone, as Kubernetes' controller does: one that starts again begins with the size as it is.
"""

from typing import NamedTuple

_LONGEST_WINDOW_S = 3600.0
"""Nobody looks further back: no window and no period may be longer."""


class Noted(NamedTuple):
    """A number, and when it was noted: a size that was recommended, or by how much a size was changed."""

    number: int
    at: float


class Memory:
    """What is remembered of one autoscaler."""

    def __init__(self, replicas: int, now: float) -> None:
        self.recommendations = [Noted(replicas, now)]
        self.added: list[Noted] = []
        self.removed: list[Noted] = []

    def recommend(self, replicas: int, now: float) -> None:
        """Note what would have been done if nothing were remembered."""
        self.recommendations = [*_recent(self.recommendations, now), Noted(replicas, now)]

    def rescaled(self, before: int, after: int, now: float) -> None:
        """Note a change of the size."""
        if after > before:
            self.added = [*_recent(self.added, now), Noted(after - before, now)]
        else:
            self.removed = [*_recent(self.removed, now), Noted(before - after, now)]


def _recent(noted: list[Noted], now: float) -> list[Noted]:
    return [one for one in noted if one.at >= now - _LONGEST_WINDOW_S]


def changed_within(noted: list[Noted], seconds: float, now: float) -> int:
    """By how much a size was changed in the last so many seconds."""
    return sum(one.number for one in noted if one.at > now - seconds)
