"""What the pods that a node has taken ask for: what is left for others follows from it, without a look at any of them."""

from typing import NamedTuple

from svcsim.meta.found_before import FoundBefore
from svcsim.meta.host_ports import HostPort, host_ports
from svcsim.meta.pod_amounts import pod_amounts, spec_granted, spec_in_force
from svcsim.meta.types import Object
from svcsim.nodes.machines.room import WholeAmounts, whole

_OF_POD = ("overhead", "resources")
_CONTAINERS = ("initContainers", "containers")
_OF_CONTAINER = ("resources", "ports", "restartPolicy")


class Asks(NamedTuple):
    """What a pod asks of its node. Shared between pods that ask for the same."""

    amounts: WholeAmounts
    ports: tuple[HostPort, ...]


_NOTHING = Asks({}, ())


def asks_of(pod: Object, *, granted: bool = True) -> Asks:
    """What a pod asks for, and no less than it has; where what it asks for isn't ``granted``, no more than that either."""
    spec = spec_in_force(pod) if granted else spec_granted(pod)
    said = {name: spec[name] for name in _OF_POD if spec.get(name)}
    for field in _CONTAINERS:
        if spec.get(field):
            said[field] = [{name: one[name] for name in _OF_CONTAINER if name in one} for one in spec[field]]
    return _asks(said)


_asks: FoundBefore[Asks] = FoundBefore(lambda spec: Asks(whole(pod_amounts(spec, "requests")), host_ports(spec)))


class Occupancy:
    """The pods that one machine has taken, by their UIDs."""

    def __init__(self) -> None:
        self._taken: dict[str, Asks] = {}
        self._used: WholeAmounts = {}

    def __len__(self) -> int:
        return len(self._taken)

    def __contains__(self, uid: str) -> bool:
        return uid in self._taken

    def of(self, uid: str) -> WholeAmounts:
        """What a pod that was taken asks for, itself counted as one of the pods."""
        return {**self._taken[uid].amounts, "pods": 1}

    def take(self, uid: str, asks: Asks) -> bool:
        """A pod has its place from now on, and what it asks for; whether that leaves more of anything to others than before."""
        before = self._taken.get(uid, _NOTHING)
        if before is asks:
            return False
        self.release(uid)
        self._taken[uid] = asks
        for name, amount in asks.amounts.items():
            self._used[name] = self._used.get(name, 0) + amount
        return any(amount > asks.amounts.get(name, 0) for name, amount in before.amounts.items())

    def release(self, uid: str) -> None:
        """It doesn't need it any more."""
        for name, amount in self._taken.pop(uid, _NOTHING).amounts.items():
            self._used[name] -= amount

    def used(self, name: str, besides: str = "") -> int:
        """How much of a resource is taken, by others than the pod of a UID."""
        return self._used.get(name, 0) - self._taken.get(besides, _NOTHING).amounts.get(name, 0)

    def excludes(self, ports: tuple[HostPort, ...]) -> bool:
        """Whether one of these ports is taken."""
        return bool(ports) and any(taken.excludes(port) for asks in self._taken.values() for taken in asks.ports for port in ports)
