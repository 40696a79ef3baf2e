"""Resources and their numbers: a name of up to 250 characters would not fit into an LMDB key beside a namespace and a name.

Numbers are given out at a resource's first write and recorded in the same transaction. They are never given back.
"""

from svcsim.storage.engine import Table, Transaction
from svcsim.storage.files import Tables
from svcsim.storage.layout import RESOURCE, opened, sealed

RESOURCE_KEY = b"resource/"


class Resources:
    """The numbers given out so far."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._prefixes: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._unrecorded: dict[str, bytes] = {}
        with tables.env.begin() as txn:
            for name, prefix in entries(txn, tables.meta, RESOURCE_KEY):
                self._prefixes[name.decode()], self._names[prefix] = prefix, name.decode()

    def prefix(self, resource: str) -> bytes | None:
        """What stands before every key of the resource; None while nothing was ever written under it."""
        return self._prefixes.get(resource)

    def assign(self, resource: str) -> bytes:
        """The prefix of every key of the resource, for a write: a new one is assigned if there is none yet."""
        prefix = self._prefixes.get(resource)
        if prefix is None:
            prefix = RESOURCE.pack(len(self._prefixes) + 1)
            self._prefixes[resource], self._names[prefix] = prefix, resource
            self._unrecorded[resource] = prefix
        return prefix

    def name(self, stem: bytes) -> str:
        """The resource whose number a stem starts with."""
        return self._names[stem[: RESOURCE.size]]

    def record(self, txn: Transaction) -> None:
        """Put the new numbers into a transaction; once more, should the last one have failed."""
        for name, prefix in self._unrecorded.items():
            key = RESOURCE_KEY + name.encode()
            txn.put(key, sealed(prefix, key), db=self._tables.meta)

    def recorded(self) -> None:
        """The transaction is committed."""
        self._unrecorded.clear()


def entries(txn: Transaction, table: Table, prefix: bytes) -> list[tuple[bytes, bytes]]:
    """What stands in ``meta`` under keys with a prefix: the rest of each key, and its value. Raises `CorruptError`."""
    found = []
    cursor = txn.cursor(table)
    more = cursor.set_range(prefix)
    while more and cursor.key().startswith(prefix):
        found.append((cursor.key()[len(prefix) :], opened(*cursor.item())))
        more = cursor.next()
    return found
