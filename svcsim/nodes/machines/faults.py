"""What is broken on purpose: which nodes are down, whose images can't be pulled, who starts slowly.

A fault is a map as scenarios write it: ``{type: node-down, target: {kind: Node, name: node-1}}``. Faults live here and nowhere else, so
taking one away leaves nothing behind. Nodes ask what concerns them; who has to act at once when a fault comes or goes subscribes.
"""

import math
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.meta.errors import bad_request
from svcsim.meta.fault_percent import percent_of
from svcsim.meta.label_selectors import LabelSelector, from_object, parse_labels
from svcsim.meta.types import Object
from svcsim.nodes.images.pull_failures import NOT_FOUND

NODE_DOWN = "node-down"
NODE_PRESSURE = "node-pressure"
POD_CRASH = "pod-crash"
IMAGE_PULL_FAILURE = "image-pull-failure"
SLOW_START = "slow-start"
FAULT_TYPES = (NODE_DOWN, NODE_PRESSURE, POD_CRASH, IMAGE_PULL_FAILURE, SLOW_START)


class Fault(NamedTuple):
    """One fault. Empty names and namespaces mean any; ``percent`` of what it could hit is hit.

    Which nodes and which pods of those that are there is settled when it comes, and they are its ``chosen``; what comes later, a pull or a
    start, is a matter of chance each time.
    """

    id: str
    type: str
    name: str
    namespace: str
    labels: LabelSelector
    image: str
    percent: float
    details: Object
    chosen: frozenset[str] = frozenset()

    def hits(self, name: str, namespace: str = "", labels: dict[str, str] | None = None, image: str = "") -> bool:
        """Whether an object is a target."""
        return (
            (not self.name or fnmatchcase(name, self.name))
            and (not self.namespace or fnmatchcase(namespace, self.namespace))
            and (not self.image or fnmatchcase(image, self.image))
            and (self.labels.empty or self.labels.matches(labels or {}))
        )


Subscriber = Callable[[Fault, bool], None]
"""Called with a fault and whether it comes (true) or goes."""


class Standing(NamedTuple):
    """The targets that some faults find when they come."""

    hit_by: Callable[[Fault], list[str]]
    nothing: Callable[[], str]
    """What to say where a fault hits none of them."""


class Faults:
    """The faults in force, by id."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance.fork("faults")
        self._faults: dict[str, Fault] = {}
        self._subscribers: list[Subscriber] = []
        self._down: dict[str, int] = {}
        """Nodes that are down, and by how many faults."""
        self._struck: dict[str, int] = {}
        """How much each has struck so far."""
        self._standing: dict[str, Standing] = {}
        self._made = 0

    def subscribe(self, subscriber: Subscriber) -> None:
        """Be called when a fault comes or goes."""
        self._subscribers.append(subscriber)

    def find_targets(self, types: tuple[str, ...], standing: Standing) -> None:
        """Have faults of these types refused that would hit nothing: a name that is misspelled must not pass for a fault survived.

        One that says ``missing: ignore`` may hit nothing.
        """
        self._standing.update((fault_type, standing) for fault_type in types)

    def add(self, fault: Object) -> str:
        """Break something; gives the id to mend it by. Raises `StatusError` for what is no fault of nodes and pods, or hits none."""
        self._made += 1
        read = _read_fault(f"fault-{self._made}", fault)
        if read.type in self._standing:
            read = self._aimed(read, self._standing[read.type])
        self._faults[read.id] = read
        self._struck[read.id] = len(read.chosen)
        self._count_down(read, 1)
        self._notify(read, comes=True)
        return read.id

    def remove(self, fault_id: str) -> int | None:
        """Mend it; how many times it has struck, None if it isn't in force."""
        fault = self._faults.pop(fault_id, None)
        if fault is None:
            return None
        self._count_down(fault, -1)
        self._notify(fault, comes=False)
        return self._struck.pop(fault_id)

    def all(self) -> list[Object]:
        """The faults in force, as they were given, with their ids."""
        return [{**fault.details, "id": fault.id} for fault in self._faults.values()]

    def node_down(self, name: str) -> bool:
        """Whether a node neither does nor says anything."""
        return name in self._down

    def short_of(self, name: str) -> list[str]:
        """Resources a node is short of: memory, disk, pid."""
        pressed = [fault for fault in self._faults.values() if fault.type == NODE_PRESSURE and name in fault.chosen]
        return [fault.details.get("resource") or "memory" for fault in pressed]

    def pull_failure(self, image: str, namespace: str, pod: str, labels: dict[str, str]) -> str:
        """Why an image can't be pulled, by a name of the catalogue or in words; empty if it can."""
        for fault in self._faults.values():
            if fault.type == IMAGE_PULL_FAILURE and fault.hits(pod, namespace, labels, image) and self._rolls(fault):
                message: str = fault.details.get("message") or NOT_FOUND
                return message
        return ""

    def slow_start(self, image: str, namespace: str, pod: str, labels: dict[str, str]) -> float:
        """How many times longer than usual a container takes to start."""
        factor = 1.0
        for fault in self._faults.values():
            if fault.type == SLOW_START and fault.hits(pod, namespace, labels, image) and self._rolls(fault):
                factor *= float(fault.details.get("factor") or 10)
        return factor

    def _rolls(self, fault: Fault) -> bool:
        """Whether chance has a target hit by a fault that hits only some."""
        struck = fault.percent >= 100 or self._chance.uniform(0, 100) < fault.percent
        self._struck[fault.id] += struck
        return struck

    def _aimed(self, fault: Fault, standing: Standing) -> Fault:
        """The fault with its share of the targets, rounded up, as chance has it. Raises `StatusError` where there are none."""
        found = standing.hit_by(fault)
        if not found and fault.details.get("missing") != "ignore":
            raise bad_request(f"{fault.type}: {standing.nothing()}")
        for _ in range(len(found) - math.ceil(len(found) * fault.percent / 100)):
            found.pop(self._chance.integer(0, len(found) - 1))
        return fault._replace(chosen=frozenset(found))

    def _count_down(self, fault: Fault, more: int) -> None:
        for name in sorted(fault.chosen) if fault.type == NODE_DOWN else ():
            self._down[name] = self._down.get(name, 0) + more
            if not self._down[name]:
                del self._down[name]

    def _notify(self, fault: Fault, *, comes: bool) -> None:
        for subscriber in self._subscribers:
            subscriber(fault, comes)


def _read_fault(fault_id: str, fault: Object) -> Fault:
    kind = fault.get("type")
    if kind not in FAULT_TYPES:
        raise bad_request(f'unknown fault type "{kind}": nodes know {", ".join(FAULT_TYPES)}')
    target = fault.get("target") or {}
    if not isinstance(target, dict):
        raise bad_request("target must be an object")
    selector = target.get("selector") if "selector" in target else target.get("labels")
    if isinstance(selector, str):
        labels = parse_labels(selector)
    elif selector is None:
        labels = LabelSelector()
    elif "matchLabels" in selector or "matchExpressions" in selector:
        labels = from_object(selector)
    else:
        labels = from_object({"matchLabels": selector})
    return Fault(
        id=fault_id,
        type=kind,
        name=target.get("name") or "",
        namespace=target.get("namespace") or "",
        labels=labels,
        image=fault.get("image") or target.get("image") or "",
        percent=percent_of(fault),
        details=fault,
    )
