"""How many objects there are, by resource and namespace: counted when the store is opened, and kept in memory from then on."""

from collections.abc import Mapping, Sequence

from svcsim.storage.contract import Event, EventType
from svcsim.storage.layout import RESOURCE
from svcsim.storage.resources import Resources

_CHANGE = {EventType.ADDED: 1, EventType.MODIFIED: 0, EventType.DELETED: -1}


class Counts:
    """Numbers of objects, as committed."""

    def __init__(self, resources: Resources, counted: Mapping[bytes, int]) -> None:
        """``counted`` are the objects by the part of a stem that stands before the name."""
        self._by_namespace: dict[tuple[str, str], int] = {}
        self._by_resource: dict[str, int] = {}
        for place, number in counted.items():
            self._add(resources.name(place), place[RESOURCE.size :].decode(), number)

    def of(self, resource: str, namespace: str) -> int:
        """How many of a resource; in all namespaces for ``""``."""
        return self._by_namespace.get((resource, namespace), 0) if namespace else self._by_resource.get(resource, 0)

    def total(self) -> int:
        """How many there are at all."""
        return sum(self._by_resource.values())

    def committed(self, events: Sequence[Event]) -> None:
        """Count what these events brought and took."""
        for kind, record, _ in events:
            change = _CHANGE[kind]
            if change:
                self._add(record.key.resource, record.key.namespace, change)

    def _add(self, resource: str, namespace: str, change: int) -> None:
        place = (resource, namespace)
        number = self._by_namespace.get(place, 0) + change
        if number:
            self._by_namespace[place] = number
        else:
            self._by_namespace.pop(place, None)
        self._by_resource[resource] = self._by_resource.get(resource, 0) + change
