"""How many objects there are, by resource and namespace: kept in memory, and recorded with every commit so that opening need not count."""

from svcsim.storage.contract import Event, EventType
from svcsim.storage.engine import Transaction
from svcsim.storage.files import Tables
from svcsim.storage.layout import REVISION
from svcsim.storage.resources import Resources, entries

COUNT_KEY = b"count/"

_CHANGE = {EventType.ADDED: 1, EventType.MODIFIED: 0, EventType.DELETED: -1}


class Counts:
    """Numbers of objects, as committed."""

    def __init__(self, tables: Tables, resources: Resources) -> None:
        self._meta = tables.meta
        self._resources = resources
        self._by_namespace: dict[tuple[str, str], int] = {}
        self._by_resource: dict[str, int] = {}
        self._changed: dict[tuple[str, str], int] = {}
        with tables.env.begin() as txn:
            for place, value in entries(txn, tables.meta, COUNT_KEY):
                self._set(resources.name(place), place[2:].decode(), REVISION.unpack(value)[0])

    def of(self, resource: str, namespace: str) -> int:
        """How many of a resource; in all namespaces for ``""``."""
        return self._by_namespace.get((resource, namespace), 0) if namespace else self._by_resource.get(resource, 0)

    def total(self) -> int:
        """How many there are at all."""
        return sum(self._by_resource.values())

    def record(self, txn: Transaction, events: list[Event]) -> None:
        """Put what the numbers will be after these events into the transaction that makes them so."""
        self._changed = {}
        for kind, record, _ in events:
            change = _CHANGE[kind]
            if change:
                place = record.key[:2]
                before = self._changed.get(place)
                self._changed[place] = (self._by_namespace.get(place, 0) if before is None else before) + change
        for (resource, namespace), number in self._changed.items():
            key = COUNT_KEY + self._resources.assign(resource) + namespace.encode()
            if number:
                txn.put(key, REVISION.pack(number), db=self._meta)
            else:
                txn.delete(key, db=self._meta)

    def recorded(self) -> None:
        """The transaction is committed."""
        for (resource, namespace), number in self._changed.items():
            self._set(resource, namespace, number)
        self._changed = {}

    def _set(self, resource: str, namespace: str, number: int) -> None:
        before = self._by_namespace.pop((resource, namespace), 0)
        if number:
            self._by_namespace[resource, namespace] = number
        self._by_resource[resource] = self._by_resource.get(resource, 0) + number - before
