"""The services that have zones' shares for hints (`shares`), and what their owners are told of that.

Nodes are looked at for them alone: where no service asks, this costs nothing.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from svcsim.client.cache import Cache
from svcsim.client.events import EventRecorder
from svcsim.controllers.endpoints.shares import DISABLED, ENABLED, NoSharesError, capacity_of, cpu_of_zones, share_out
from svcsim.controllers.endpoints.words import EndpointWords
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from fractions import Fraction


class Sharing:
    """Gives them hints."""

    def __init__(self, nodes: Cache, events: EventRecorder, words: EndpointWords) -> None:
        self._nodes = nodes
        self._events = events
        self._words = words
        self._ratios: Mapping[str, Fraction] | None = None
        """The share of each zone in all CPU; None if it isn't known, or out of date."""
        self._sharing: dict[ObjectKey, set[str]] = {}
        """The services that ask, and in which IP families they have hints."""

    def node_changed(self, change: str, node: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The services for which shares may be others now."""
        if not self._sharing:
            return ()
        was, is_now = (one and capacity_of(one, self._words) for one in (before, None if change == "DELETED" else node))
        if before is not None and was == is_now:
            return ()
        self._ratios = None
        return tuple(self._sharing)

    def give(self, service: Object, slices: Iterable[Object]) -> None:
        """Hints for the endpoints in the slices that a service which asks for them is to have."""
        if self._ratios is None:
            self._ratios = cpu_of_zones(self._nodes.all(), self._words)
        having = self._sharing.setdefault(object_key(service), set())
        ready: dict[str, list[Object]] = {}
        for one in slices:
            found = [endpoint for endpoint in one["endpoints"] if endpoint["conditions"]["ready"]]
            ready.setdefault(one["addressType"], []).extend(found)
        for family, endpoints in ready.items():
            try:
                share_out(endpoints, self._ratios)
            except NoSharesError as error:
                having.discard(family)
                self._events.warning(service, "TopologyAwareHintsDisabled", f"{error}, addressType: {family}")
                continue
            if family not in having:
                self._events.normal(service, "TopologyAwareHintsEnabled", f"{ENABLED}, addressType: {family}")
                having.add(family)

    def end(self, service: Object) -> None:
        """A service doesn't ask for them, or not any more."""
        for family in sorted(self._sharing.get(object_key(service), ())):
            self._events.warning(service, "TopologyAwareHintsDisabled", f"{DISABLED}, addressType: {family}")
        self.forget(object_key(service))

    def forget(self, key: ObjectKey) -> None:
        """A service was deleted, or leads to no pods. State that isn't needed is dropped, too."""
        self._sharing.pop(key, None)
        if not self._sharing:
            self._ratios = None
