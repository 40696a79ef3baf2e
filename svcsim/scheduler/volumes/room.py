"""Where there is room for a volume that is to be made, as CSIStorageCapacity objects tell it: of a class, on nodes of some labels. Pure."""

from collections.abc import Iterable

from svcsim.meta.claims import wanted_size
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.objects import get_path
from svcsim.meta.quantity import of
from svcsim.meta.types import Object


def counts_room(driver: Object | None) -> bool:
    """Whether a CSIDriver says how much room it has: then there is none where it says nothing."""
    return driver is not None and bool(get_path(driver, "spec.storageCapacity"))


def largest_volume(capacity: Object) -> int | None:
    """The size, in bytes, of the largest volume for which there is room; None where that isn't known."""
    told = capacity.get("maximumVolumeSize") or capacity.get("capacity")
    return None if told is None else of(told).value()


def has_grown(capacity: Object, before: Object | None) -> bool:
    """Whether there is room for larger volumes than before."""
    now, then = largest_volume(capacity), None if before is None else largest_volume(before)
    return now is not None and (then is None or now > then)


class Room:
    """The nodes from which there is room for a claim's volume, found by label: a class may have as many capacities as there are nodes."""

    def __init__(self, claim: Object, capacities: Iterable[Object]) -> None:
        """``capacities`` are those of the claim's class."""
        self._by_label: dict[str, dict[str, list[LabelSelector]]] = {}
        self._others: list[LabelSelector] = []
        size = wanted_size(claim).value()
        for capacity in capacities:
            largest = largest_volume(capacity)
            if largest is not None and largest >= size:
                self._add(from_object(capacity.get("nodeTopology")))

    def _add(self, nodes: LabelSelector) -> None:
        label = next(iter(nodes.exact.items()), None)
        if label is None:
            self._others.append(nodes)
        else:
            self._by_label.setdefault(label[0], {}).setdefault(label[1], []).append(nodes)

    def is_near(self, labels: dict[str, str]) -> bool:
        """Whether a node of these labels is one of them."""
        found = [by_value.get(labels.get(key, ""), ()) for key, by_value in self._by_label.items()]
        return any(nodes.matches(labels) for some in (*found, self._others) for nodes in some)
