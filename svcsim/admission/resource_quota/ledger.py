"""What all objects of a namespace take, to the last commit, and what requests under way are about to take.

A quota holds where many write at once because everybody is weighed against one book: what is stored is in it in the turn of the event loop
in which its commit becomes visible, and what was let in is in it from that moment on, until it is stored or its request has failed. The
``status`` of quotas is written from this book, and never read for a decision.

Only resources that some quota names are in the book. Of their objects it keeps which charge each has, a small tuple that they share.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json
from svcsim.meta.pod_amounts import Quantities, added
from svcsim.meta.quantity import parse
from svcsim.meta.quota_usage import Charge, charge_of, counted_resource, is_ignored, is_taken, resource_behind, taken
from svcsim.meta.types import GroupVersion, Key, Object
from svcsim.registry.options import Caller
from svcsim.registry.scheme import Scheme
from svcsim.storage.contract import CompactedError, Damage, Event, EventType, Store

_LOG = logging.getLogger("svcsim.admission")
_NONE = parse("0")
_COUNTED_VERBS = frozenset(("create", "list", "watch", "delete"))
"""What can be done with objects that are counted."""
_EVERYWHERE = ""
OnChange: TypeAlias = Callable[[str], None]
"""Called with a namespace; with an empty one where it may be any."""


class _Book:
    """The objects of one resource."""

    def __init__(self, resource: str, dialect: Dialect) -> None:
        self.filled = False
        self._resource = resource
        self._dialect = dialect
        self._charges: dict[Charge, Charge] = {}
        """Each charge once, however many objects have it."""
        self._by_name: dict[str, dict[str, Charge]] = {}
        self._totals: dict[str, Counter[Charge]] = {}
        self._changed: dict[Key, None] = {}
        """While it is being filled: what has changed since, and so stays as it is whatever the older list says."""

    def of(self, namespace: str) -> Counter[Charge]:
        """How many objects of a namespace have which charge."""
        return self._totals.get(namespace) or Counter()

    def charge(self, namespace: str, name: str) -> Charge | None:
        """The charge of one object that is stored."""
        return self._by_name.get(namespace, {}).get(name)

    def follow(self, event: Event) -> None:
        """Take a change in."""
        key = event.record.key
        if not self.filled:
            self._changed[key] = None
        self._put(key, None if event.type is EventType.DELETED else self._read(event.record.body))

    def take(self, bodies: Iterable[bytes]) -> None:
        """Take in what was there before."""
        for body in bodies:
            obj: Object = decode_json(body)
            key = Key(self._resource, obj["metadata"].get("namespace") or "", obj["metadata"]["name"])
            if key not in self._changed:
                self._put(key, charge_of(self._resource, obj, self._dialect))

    def complete(self) -> None:
        """All that was there before is in it."""
        self.filled = True
        self._changed.clear()

    def _read(self, body: bytes) -> Charge:
        return charge_of(self._resource, decode_json(body), self._dialect)

    def _put(self, key: Key, charge: Charge | None) -> None:
        names = self._by_name.setdefault(key.namespace, {})
        totals = self._totals.setdefault(key.namespace, Counter())
        before = names.pop(key.name, None)
        if before is not None:
            totals[before] -= 1
            if not totals[before]:
                del totals[before]
        if charge is not None:
            names[key.name] = charge = self._charges.setdefault(charge, charge)
            totals[charge] += 1
        elif not names:
            del self._by_name[key.namespace], self._totals[key.namespace]


@dataclass(slots=True, eq=False)
class Reservation:
    """What one request is about to take."""

    key: Key
    charge: Charge
    over: bool = False
    """Whether the request is: then it counts as long as a write of it is on its way, which may outlive a client that went away."""


class QuotaLedger:
    """The books of a cluster."""

    def __init__(self, store: Store, scheme: Scheme) -> None:
        self._store = store
        self._scheme = scheme
        self._dialect = scheme.dialect
        self._books: dict[str, _Book] = {}
        self._reserved: dict[str, list[Reservation]] = {}
        """By namespace."""
        self._listeners: list[OnChange] = []
        self._filling = asyncio.Lock()
        scheme.on_change(lambda _: self._tell(_EVERYWHERE))

    def on_change(self, listener: OnChange) -> None:
        """Have a function called with each namespace in which something may be taken or given back, or be counted that wasn't."""
        self._listeners.append(listener)

    async def open(self, quotas: Iterable[Object]) -> None:
        """Have the books that quotas need."""
        resources = {resource_behind(name): None for quota in quotas for name in (quota.get("spec") or {}).get("hard") or {}}
        for resource in resources:
            book = self._books.get(resource)
            if book is None or not book.filled:
                async with self._filling:
                    await self._fill(resource)

    async def used(self, quota: Object) -> Quantities:
        """What `told` tells, from books that are opened if need be."""
        await self.open((quota,))
        return self.told(quota)

    def told(self, quota: Object) -> Quantities:
        """The amounts of `weighed` that belong in the status: those that some resource of this cluster can use."""
        return {name: amount for name, amount in self.weighed(quota).items() if self._is_known(name)}

    def _is_known(self, name: str) -> bool:
        resource = counted_resource(name)
        return self._counts(resource) if resource else is_taken(name, self._dialect)

    def _counts(self, resource: str) -> bool:
        """Whether there are objects of a resource in namespaces, and the ledger may read them."""
        plural, _, group = resource.partition(".")
        versions = () if is_ignored(resource) else self._scheme.group_versions().get(group, ())
        served = [self._scheme.find(GroupVersion(group, version), plural) for version in versions]
        return any(
            one is not None and one.namespaced and one.store_name == resource and set(one.kind.verbs) >= _COUNTED_VERBS for one in served
        )

    def _used(self, quota: Object) -> Quantities:
        namespace, hard = quota["metadata"]["namespace"], (quota.get("spec") or {}).get("hard") or {}
        found: Quantities = dict.fromkeys(hard, _NONE)
        for resource in dict.fromkeys(map(resource_behind, hard)):
            for charge, count in self._books[resource].of(namespace).items():
                for name, amount in taken(charge, quota).items():
                    found[name] = found[name] + amount.times(count)
        return found

    def weighed(self, quota: Object) -> Quantities:
        """What stored objects take of a quota, and requests under way will: all amounts that it names. Its books have to be open."""
        held = [one for one in self._reserved.get(quota["metadata"]["namespace"], ()) if self._holds(one)]
        return added((self._used(quota), *(self.more(*one.key, one.charge, quota) for one in held)))

    def more(self, resource: str, namespace: str, name: str, charge: Charge, quota: Object) -> Quantities:
        """What an object with that charge takes of a quota beyond what it takes as it is stored."""
        book = self._books.get(resource)
        before = book.charge(namespace, name) if book is not None else None
        was = {} if before is None else taken(before, quota)
        grown = {name: amount - was.get(name, _NONE) for name, amount in taken(charge, quota).items()}
        return {name: amount for name, amount in grown.items() if amount > _NONE}

    def reserve(self, key: Key, charge: Charge, caller: Caller) -> Reservation:
        """Keep what an object is about to take from all others, until it is stored or the request is over."""
        reservation = Reservation(key, charge)
        self._reserved.setdefault(key.namespace, []).append(reservation)
        caller.on_finish.append(partial(self.release, reservation))
        return reservation

    def release(self, reservation: Reservation) -> None:
        """Give it back, if no write of it is on its way. Doing it again does no harm."""
        reservation.over = True
        key = reservation.key
        held = [one for one in self._reserved.pop(key.namespace, ()) if self._holds(one)]
        if held:
            self._reserved[key.namespace] = held
        book = self._books.get(key.resource)
        if book is not None and book.charge(key.namespace, key.name) != reservation.charge:  # it was not stored
            self._tell(key.namespace)

    def _holds(self, reservation: Reservation) -> bool:
        return not reservation.over or self._store.pending(reservation.key)

    async def _fill(self, resource: str) -> None:
        book = self._books.get(resource)
        if book is None:
            book = self._books[resource] = _Book(resource, self._dialect)
            self._store.on_commit(resource, partial(self._follow, book))
        while not book.filled:
            damage: list[Damage] = []
            try:
                async for _, bodies in self._store.bodies(resource, on_damage=damage.append):
                    book.take(bodies)
            except CompactedError:
                continue  # The history is shorter than this took: once more, from a newer state.
            for _, _, error in damage:
                _LOG.error("a damaged object takes nothing of any quota: %s", error)
            book.complete()

    def _follow(self, book: _Book, event: Event) -> None:
        book.follow(event)
        self._tell(event.record.key.namespace)

    def _tell(self, namespace: str) -> None:
        for listener in self._listeners:
            listener(namespace)
