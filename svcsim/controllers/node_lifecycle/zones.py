"""How fast pods are driven away from nodes that don't answer: zone by zone, slower where many fail at once, and not at all where all do.

When most of what stands in one place falls silent it is rather the network that failed, and pods would be moved in vain.
Nodes of a zone wait in one line, and leave it one at a time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from svcsim.dialect import Dialect
from svcsim.meta.objects import labels_of
from svcsim.meta.types import Object

RATE = 0.1
"""Nodes a second from which pods are driven away, in each zone."""
SECONDARY_RATE = 0.01
"""The rate while much of a large zone is disrupted; in a small one pods stay where they are."""
LARGE_ZONE_NODES = 50
UNHEALTHY_SHARE = 0.55
_FEW = 2
"""So many nodes that fail are no disruption."""

State = Literal["Initial", "Normal", "PartialDisruption", "FullDisruption"]


def zone_of(node: Object, dialect: Dialect) -> str:
    """Where a node stands, by its labels."""
    labels = labels_of(node)
    return "/".join(labels.get(dialect.key(name, "topology"), "") for name in ("region", "zone"))


def state_of(ready: int, not_ready: int) -> State:
    """How a zone fares with so many nodes."""
    if not ready and not_ready:
        return "FullDisruption"
    if not_ready > _FEW and not_ready / (ready + not_ready) >= UNHEALTHY_SHARE:
        return "PartialDisruption"
    return "Normal"


def rate_of(state: State, nodes: int) -> float:
    """Nodes a second, in a zone of so many; 0 is none."""
    if state == "PartialDisruption":
        return SECONDARY_RATE if nodes > LARGE_ZONE_NODES else 0.0
    return RATE


@dataclass(slots=True)
class Zone:
    """One zone, and the nodes that wait there."""

    state: State = "Initial"
    rate: float = RATE
    waiting: dict[str, None] = field(default_factory=dict)
    free_at: float = 0.0
    """When the next may leave the line."""

    def set_rate(self, rate: float, now: float) -> None:
        """Go on at another rate. Who would have had to wait has to wait at that one from now on."""
        if rate != self.rate:
            if rate and (not self.rate or now < self.free_at):
                self.free_at = now + 1 / rate
            self.rate = rate

    def next_at(self) -> float | None:
        """When the next node may leave the queue; None if none waits, or none may."""
        return self.free_at if self.waiting and self.rate else None

    def let_go(self, now: float) -> str | None:
        """The node whose turn it is now, if it is anybody's."""
        due = self.next_at()
        if due is None or due > now:
            return None
        name = next(iter(self.waiting))
        del self.waiting[name]
        self.free_at = now + 1 / self.rate
        return name


class ZoneCounts:
    """How many nodes of each zone are ready, and how many aren't."""

    def __init__(self) -> None:
        self.by_zone: dict[str, tuple[int, int]] = {}
        self._nodes: dict[str, tuple[str, bool]] = {}

    def put(self, node: str, zone: str, *, ready: bool) -> bool:
        """Count a node, which stands in a zone; says whether that is news."""
        if self._nodes.get(node) == (zone, ready):
            return False
        self.drop(node)
        self._nodes[node] = (zone, ready)
        self._add(zone, ready, 1)
        return True

    def drop(self, node: str) -> None:
        """Count a node no more."""
        if node in self._nodes:
            self._add(*self._nodes.pop(node), -1)

    def _add(self, zone: str, ready: bool, how_many: int) -> None:
        are_ready, are_not = self.by_zone.get(zone, (0, 0))
        self.by_zone[zone] = (are_ready + how_many * ready, are_not + how_many * (not ready))
        if self.by_zone[zone] == (0, 0):
            del self.by_zone[zone]


class Zones:
    """All zones of a cluster."""

    def __init__(self) -> None:
        self._zones: dict[str, Zone] = {}
        self._zone_of: dict[str, str] = {}

    def wait(self, node: str, zone: str) -> None:
        """A node waits for its turn, in the line of its zone."""
        self.leave(node)
        self._zone_of[node] = zone
        self._zones.setdefault(zone, Zone()).waiting[node] = None

    def waits(self, node: str, zone: str) -> bool:
        """Whether it does, in the line of the zone that it stands in by now."""
        return self._zone_of.get(node) == zone

    def leave(self, node: str) -> None:
        """The node no longer waits."""
        zone = self._zone_of.pop(node, None)
        if zone is not None:
            self._zones[zone].waiting.pop(node, None)

    def leave_all(self) -> None:
        for node in list(self._zone_of):
            self.leave(node)

    def due(self, now: float) -> Iterable[str]:
        """The nodes whose turn it is."""
        for zone in self._zones.values():
            while (name := zone.let_go(now)) is not None:
                self._zone_of.pop(name, None)
                yield name

    def next_at(self) -> float | None:
        """When the next node's turn is."""
        return min((at for zone in self._zones.values() if (at := zone.next_at()) is not None), default=None)

    def take_in(self, counts: Mapping[str, tuple[int, int]], now: float) -> Literal["", "entered", "left"]:
        """Go by how many nodes of each zone are ready, and how many aren't; says whether all zones came or ceased to be disrupted.

        Where every zone is, nobody's turn comes.
        """
        new = {name: state_of(*count) for name, count in counts.items()}
        for name in [name for name in self._zones if name not in new]:
            for node in self._zones.pop(name).waiting:
                self._zone_of.pop(node, None)
        for name in new:
            self._zones.setdefault(name, Zone())
        all_were = bool(self._zones) and all(zone.state == "FullDisruption" for zone in self._zones.values())
        all_are = bool(new) and all(state == "FullDisruption" for state in new.values())
        if all_are and all_were:
            return ""
        for name, state in new.items():
            zone = self._zones[name]
            if all_are:
                zone.set_rate(0.0, now)
            elif all_were or zone.state != state:
                zone.set_rate(rate_of(state, sum(counts[name])), now)
            zone.state = state
        return "entered" if all_are else "left" if all_were else ""
