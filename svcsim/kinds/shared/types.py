"""Types of fields that kinds often need."""

from svcsim.schema.types import List, Map, Quantity, Str, Type

RESOURCE_LIST = Map(Quantity(thousandths=True))
"""Amounts by resource name."""
EXACT_AMOUNTS = Map(Quantity())
"""Amounts by name that are kept as finely as they are told, such as those of devices."""
STRINGS = List(Str(), list_type="atomic")
"""A list of strings that has one owner."""


def map_list(item: Type, *keys: str, unique: bool = False) -> List:
    """A list whose items are told apart by these keys; strategic merge, which knows one key only, goes by the first.

    Most such lists were marked after objects with equal items had long been accepted: only ``unique`` ones refuse them.
    """
    return List(item, list_type="map", keys=keys, merge_key=keys[0], unique=unique)
