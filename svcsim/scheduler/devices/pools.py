"""The devices that drivers offer, read from their ResourceSlices: complete pools alone, each in its newest state. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from svcsim import limits
from svcsim.meta.device_claims import DeviceId
from svcsim.meta.indexed import object_key
from svcsim.meta.node_affinity import NodeTerm, selector_terms
from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.scheduler.node import NodeInfo

if TYPE_CHECKING:
    from svcsim.schema.cel.device_questions import AskedDevice


class PoolName(NamedTuple):
    """A pool of a driver."""

    driver: str
    pool: str


class Where(NamedTuple):
    """The nodes that can use a device."""

    node: str = ""
    """The only one; empty where a selector says which, or all can."""
    selector: Object | None = None
    terms: tuple[NodeTerm, ...] | None = None
    """Those of the selector."""

    @classmethod
    def of(cls, said: Object) -> "Where":
        """As a slice or a device says it."""
        selector = said.get("nodeSelector")
        return cls(said.get("nodeName") or "", selector, selector_terms(selector))

    def includes(self, node: NodeInfo) -> bool:
        """Whether a node is one of them."""
        if self.node:
            return self.node == node.name
        return self.terms is None or any(term.fits(node.labels, node.name) for term in self.terms)


class Counter(NamedTuple):
    """One of the amounts that devices of a pool share."""

    counter_set: str
    name: str


@dataclass(slots=True, eq=False)
class Device:
    """A device, with what has been found out about it."""

    id: DeviceId
    spec: Object
    """As its slice has it."""
    where: Where
    consumed: Mapping[Counter, Fraction]
    """What it takes of the counters of its pool."""
    asked: "AskedDevice | None" = None
    """Its form for expressions, once one has been asked of it."""
    answers: dict[str, bool | str] = field(default_factory=dict)
    """By expression: whether it is meant, or why that can't be said."""

    def answer(self, expression: str) -> bool | str:
        """Whether it is meant by an expression, or why that can't be said. It is remembered."""
        answer = self.answers.get(expression)
        if answer is None:
            if len(self.answers) >= limits.DEVICE_ANSWERS:
                self.answers.clear()
            answer = self.answers[expression] = self._asked(expression)
        return answer

    def _asked(self, expression: str) -> bool | str:
        from svcsim.schema.cel.device_questions import AskedDevice, DeviceQuestionError  # noqa: PLC0415 - loads the CEL library, which most clusters never need

        if self.asked is None:
            self.asked = AskedDevice(self.id.driver, self.spec)
        try:
            return self.asked.fulfils(expression)
        except DeviceQuestionError as error:
            return str(error)

    @property
    def pool(self) -> PoolName:
        return PoolName(self.id.driver, self.id.pool)

    def attribute(self, name: str) -> Object | None:
        """An attribute by its name with a domain; the driver's is that of names without one."""
        attributes: Object = self.spec.get("attributes") or {}
        found = attributes.get(name)
        if found is None and name.startswith(f"{self.id.driver}/"):
            found = attributes.get(name.partition("/")[2])
        return found

    def capacity(self, name: str) -> Fraction | None:
        """How much it has of something."""
        amounts: Object = self.spec.get("capacity") or {}
        found = amounts.get(name)
        if found is None:
            found = amounts.get(name.removeprefix(f"{self.id.driver}/"), amounts.get(f"{self.id.driver}/{name}"))
        return None if found is None else parse(found["value"]).number


class Slice(NamedTuple):
    """One slice, read."""

    pool: PoolName
    generation: int
    slices: int
    """How many slices the pool has in this generation."""
    where: Where
    devices: tuple[Device, ...]
    counters: Mapping[Counter, Fraction]


class Inventory(NamedTuple):
    """All devices that may be given to claims."""

    devices: tuple[Device, ...] = ()
    by_node: Mapping[str, tuple[Device, ...]] = {}
    """Those that one node alone can use."""
    others: tuple[Device, ...] = ()
    counters: Mapping[PoolName, Mapping[Counter, Fraction]] = {}
    by_pool: Mapping[PoolName, tuple[Device, ...]] = {}
    incomplete: tuple[tuple[PoolName, tuple[Where, ...]], ...] = ()
    """Pools of which slices are missing, and which nodes can use what there is of them."""

    def near(self, node: NodeInfo) -> list[Device]:
        """The devices that a node can use: its own come first."""
        return [*self.by_node.get(node.name, ()), *(device for device in self.others if device.where.includes(node))]


def read_slice(obj: Object) -> Slice:
    """What a ResourceSlice says."""
    spec = obj["spec"]
    driver, pool, where = spec["driver"], spec["pool"], Where.of(spec)
    each = bool(spec.get("perDeviceNodeSelection"))
    devices = tuple(
        Device(
            DeviceId(driver, pool["name"], device["name"]),
            device,
            Where.of(device) if each else where,
            {
                Counter(one["counterSet"], name): parse(amount["value"]).number
                for one in device.get("consumesCounters") or ()
                for name, amount in one["counters"].items()
            },
        )
        for device in spec.get("devices") or ()
    )
    counters = {
        Counter(one["name"], name): parse(amount["value"]).number
        for one in spec.get("sharedCounters") or ()
        for name, amount in one["counters"].items()
    }
    count = pool.get("resourceSliceCount") or 0
    return Slice(PoolName(driver, pool["name"]), pool.get("generation") or 0, count, where, devices, counters)


class Slices:
    """Reads each slice once: what was found out about its devices stays as long as it does."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[str, Slice]] = {}
        """By name, of which revision."""

    def of(self, objects: Iterable[Object]) -> list[Slice]:
        """The slices, in the order of their names."""
        known, self._read = self._read, {}
        for obj in sorted(objects, key=object_key):
            name, revision = name_of(obj), metadata_of(obj)["resourceVersion"]
            before = known.get(name)
            self._read[name] = before if before is not None and before[0] == revision else (revision, read_slice(obj))
        return [found for _, found in self._read.values()]


def inventory(slices: Iterable[Slice]) -> Inventory:
    """The complete pools among slices. A pool in which a name stands twice isn't used: nobody could say which device is meant."""
    pools: dict[PoolName, list[Slice]] = {}
    for one in slices:
        newest = pools.setdefault(one.pool, [])
        if newest and newest[0].generation < one.generation:
            newest.clear()
        if not newest or newest[0].generation == one.generation:
            newest.append(one)
    devices: list[Device] = []
    by_node: dict[str, list[Device]] = {}
    others: list[Device] = []
    by_pool: dict[PoolName, tuple[Device, ...]] = {}
    counters: dict[PoolName, Mapping[Counter, Fraction]] = {}
    incomplete: list[tuple[PoolName, tuple[Where, ...]]] = []
    for name in sorted(pools):
        parts = pools[name]
        found = tuple(device for part in parts for device in part.devices)
        if len(parts) != parts[0].slices or len(dict.fromkeys(device.id for device in found)) < len(found):
            places = {id(where): where for part in parts for where in (part.where, *(device.where for device in part.devices))}
            incomplete.append((name, tuple(places.values())))
            continue
        by_pool[name] = found
        counters[name] = {counter: amount for part in parts for counter, amount in part.counters.items()}
        devices += found
        for device in found:
            (by_node.setdefault(device.where.node, []) if device.where.node else others).append(device)
    return Inventory(
        tuple(devices), {node: tuple(there) for node, there in by_node.items()}, tuple(others), counters, by_pool, tuple(incomplete)
    )
