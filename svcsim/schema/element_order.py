"""Where the items of a merged list come to stand.

A strategic merge patch knows the order of the items its author knows of; the server has items of its own beside them. Both orders are
kept, and where they leave a choice, the order in the present list decides.
"""

import json
from typing import NamedTuple

from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json


def unfit(message: str) -> StatusError:
    """422: a patch that is one, but not for this object."""
    return StatusError(422, "Invalid", message)


def spelled(value: Json) -> str:
    """A value as messages about patches spell it: ``map[name:web ports:[80 443]]``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{spelled(item)}' for key, item in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(spelled, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return "<nil>" if value is None else str(value)


class Items(NamedTuple):
    """How the items of one list are told apart: maps by one key, other values by themselves."""

    key: str

    def token(self, item: Json) -> Json:
        """Something hashable that is equal exactly when two items are the same one."""
        value = item
        if self.key:
            if not isinstance(item, dict):
                raise unfit(f"expected a map with the key {self.key}, but received {spelled(item)}")
            if self.key not in item:
                raise unfit(f"map: {spelled(item)} does not contain declared merge key: {self.key}")
            value = item[self.key]
        return (type(value), json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value)

    def positions(self, items: list[Json]) -> dict[Json, int]:
        """Where each item stands first."""
        places: dict[Json, int] = {}
        for index, item in enumerate(items):
            places.setdefault(self.token(item), index)
        return places


def by_presence(merged: list[Json], known: list[Json], items: Items) -> tuple[list[Json], list[Json]]:
    """The merged items that are in ``known``, and those that aren't."""
    places = items.positions(known)
    mine = [item for item in merged if items.token(item) in places]
    others = [item for item in merged if items.token(item) not in places]
    return mine, others


def interleaved(mine: list[Json], others: list[Json], order: list[Json], live: list[Json], items: Items) -> list[Json]:
    """``mine`` in the given order and ``others`` in live order between them: each before the first of mine that it precedes in live."""
    wanted_positions, present = items.positions(order), items.positions(live)
    mine = sorted(mine, key=lambda item: wanted_positions.get(items.token(item), len(wanted_positions)))
    others = sorted(others, key=lambda item: present.get(items.token(item), len(present)))
    result: list[Json] = []
    placed = 0
    for item in mine:
        place = present.get(items.token(item), 0)
        while placed < len(others) and present.get(items.token(others[placed]), place) < place:
            result.append(others[placed])
            placed += 1
        result.append(item)
    return result + others[placed:]
