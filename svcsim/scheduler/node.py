"""A node as the scheduler sees it: what its object says, and what the pods on it add up to."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from svcsim.meta.host_ports import ANY_ADDRESS, SOME_ADDRESS, HostPort
from svcsim.scheduler.changes import NodeFacts
from svcsim.scheduler.pod import Group, PodInfo
from svcsim.scheduler.resources import Amounts

T = TypeVar("T")
NOTHING = NodeFacts("", {}, (), False, {}, {})


@dataclass(slots=True, eq=False)
class NodeInfo:
    """Nothing is recounted when a pod is to be placed: each node carries the sums, change by change."""

    name: str
    known: bool = False
    """Whether the Node object is there; pods may outlive it, or come to our notice first."""
    facts: NodeFacts = NOTHING
    version: int = 0
    """The snapshot's version when something about it last changed."""
    position: int = -1
    """Where it stands among the snapshot's nodes."""
    imagined: bool = False
    """A copy, to try out what would be if other pods were on it."""
    pods: dict[str, PodInfo] = field(default_factory=dict)
    requested: Amounts = field(default_factory=dict)
    scored_cpu: int = 0
    scored_memory: int = 0
    groups: dict[Group, int] = field(default_factory=dict)
    ports: dict[HostPort, int] = field(default_factory=dict)
    """The host ports in use, each at its address and once more at `SOME_ADDRESS`."""
    repelling: dict[str, PodInfo] = field(default_factory=dict)
    """Pods here with required anti-affinity, by key."""
    drawn: dict[str, PodInfo] = field(default_factory=dict)
    """Pods here that want others near or would rather not, by key."""

    @property
    def labels(self) -> dict[str, str]:
        return self.facts.labels

    def add(self, pod: PodInfo) -> None:
        self.pods[pod.key] = pod
        self._count(pod, 1)
        if pod.terms.anti_affinity:
            self.repelling[pod.key] = pod
        if pod.terms.affinity or pod.terms.preferred:
            self.drawn[pod.key] = pod

    def remove(self, key: str) -> PodInfo | None:
        pod = self.pods.pop(key, None)
        if pod is not None:
            self._count(pod, -1)
            self.repelling.pop(key, None)
            self.drawn.pop(key, None)
        return pod

    def imagine(self) -> "NodeInfo":
        """A copy on which pods can come and go without consequence."""
        return self.copy(imagined=True)

    def copy(self, *, imagined: bool = False) -> "NodeInfo":
        """Another such node, with the same pods."""
        return replace(
            self,
            imagined=imagined,
            pods=dict(self.pods),
            requested=dict(self.requested),
            groups=dict(self.groups),
            ports=dict(self.ports),
            repelling=dict(self.repelling),
            drawn=dict(self.drawn),
        )

    def takes(self, port: HostPort) -> bool:
        """Whether the port, or what is as good as the port, is taken."""
        if port.ip == ANY_ADDRESS:
            return port.at(SOME_ADDRESS) in self.ports
        return port in self.ports or port.at(ANY_ADDRESS) in self.ports

    def _count(self, pod: PodInfo, sign: int) -> None:
        needs = pod.needs
        for name, value in needs.requests:
            self.requested[name] = self.requested.get(name, 0) + sign * value
        self.scored_cpu += sign * needs.scoring[0]
        self.scored_memory += sign * needs.scoring[1]
        count(self.groups, pod.group, sign)
        for port in needs.ports:
            count(self.ports, port, sign)
            count(self.ports, port.at(SOME_ADDRESS), sign)


def count(counts: dict[T, int], item: T, by: int) -> None:
    """Count an item up or down; what comes to nothing is not kept."""
    total = counts.get(item, 0) + by
    if total:
        counts[item] = total
    else:
        counts.pop(item, None)
