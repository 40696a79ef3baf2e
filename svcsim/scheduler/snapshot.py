"""The nodes and what stands on them, kept up to date change by change: what every placement is decided on.

Nothing is recounted when a pod is to be placed. Each node carries the sum of what its pods ask for, and its pods counted by what
selectors see of them, because the replicas of one template are all alike. A pod that was just given a node is *assumed* to be there until
the watch says so, so that the next one sees its place taken without waiting for the API server.
"""

from dataclasses import dataclass, field
from typing import TypeVar

from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.taints import PREFER_NO_SCHEDULE, Taint, taints_of
from svcsim.meta.types import Object
from svcsim.scheduler.changes import Change
from svcsim.scheduler.pod import ANY_ADDRESS, SOME_ADDRESS, Group, PodInfo, Port
from svcsim.scheduler.resources import Amounts, amounts

T = TypeVar("T")


@dataclass(slots=True)
class NodeInfo:
    """A node as the scheduler sees it."""

    name: str
    known: bool = False
    """Whether the Node object is there; pods may outlive it, or come to our notice first."""
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: Amounts = field(default_factory=dict)
    images: dict[str, int] = field(default_factory=dict)
    """Sizes in bytes by image name."""
    pods: dict[str, PodInfo] = field(default_factory=dict)
    requested: Amounts = field(default_factory=dict)
    scored_cpu: int = 0
    scored_memory: int = 0
    groups: dict[Group, int] = field(default_factory=dict)
    owners: dict[str, int] = field(default_factory=dict)
    ports: dict[Port, int] = field(default_factory=dict)
    """Those taken, each at its address and once more at `SOME_ADDRESS`."""
    repelling: dict[str, PodInfo] = field(default_factory=dict)
    """Pods here with required anti-affinity, by key."""

    def add(self, pod: PodInfo) -> None:
        self.pods[pod.key] = pod
        self._count(pod, 1)
        if pod.anti_affinity:
            self.repelling[pod.key] = pod

    def remove(self, key: str) -> PodInfo | None:
        pod = self.pods.pop(key, None)
        if pod is not None:
            self._count(pod, -1)
            self.repelling.pop(key, None)
        return pod

    def _count(self, pod: PodInfo, sign: int) -> None:
        needs = pod.needs
        for name, value in needs.requests:
            self.requested[name] = self.requested.get(name, 0) + sign * value
        self.scored_cpu += sign * needs.scoring[0]
        self.scored_memory += sign * needs.scoring[1]
        _tally(self.groups, pod.group, sign)
        if pod.owner_uid:
            _tally(self.owners, pod.owner_uid, sign)
        for port in needs.ports:
            _tally(self.ports, port, sign)
            _tally(self.ports, port.at(SOME_ADDRESS), sign)

    def takes(self, port: Port) -> bool:
        """Whether the port, or what is as good as the port, is taken."""
        if port.ip == ANY_ADDRESS:
            return port.at(SOME_ADDRESS) in self.ports
        return port in self.ports or port.at(ANY_ADDRESS) in self.ports


def _tally(counts: dict[T, int], item: T, sign: int) -> None:
    count = counts.get(item, 0) + sign
    if count:
        counts[item] = count
    else:
        del counts[item]


class Snapshot:
    """All nodes by name, and where each pod is."""

    def __init__(self, cordon_taint: str) -> None:
        """``cordon_taint`` is the key of the taint that stands for a node's mark that nothing may be scheduled on it."""
        self._cordon_taint = cordon_taint
        self._nodes: dict[str, NodeInfo] = {}
        self._places: dict[str, str] = {}
        self._assumed: dict[str, str] = {}
        self.nodes: list[NodeInfo] = []
        """The nodes there are, in the order they came."""
        self.repelling = 0
        """Pods with required anti-affinity in the whole cluster: while there are none, nobody needs to look."""
        self.soft_taints = 0
        """Taints that only ask to be avoided, in the whole cluster."""
        self.images: dict[str, int] = {}
        """How many nodes have each image."""

    def set_node(self, node: Object) -> list[Change]:
        """Take in a Node, or its new version; says what about it could help parked pods."""
        info = self._node(name_of(node))
        spec, status = node.get("spec") or {}, node.get("status") or {}
        labels, taints = labels_of(node), taints_of(node)
        unschedulable = bool(spec.get("unschedulable"))
        allocatable = amounts(status.get("allocatable") or status.get("capacity"))
        changes: list[Change] = []
        if not info.known:
            changes.append(Change.NODE_ADDED)
        else:
            # The taint goes just after the mark; who tried in between would fail, and have to wait for its back-off.
            cordoned = unschedulable or any(taint.key == self._cordon_taint for taint in taints)
            if taints != info.taints or (info.unschedulable and not cordoned):
                changes.append(Change.NODE_TAINTS)
            if labels != info.labels:
                changes.append(Change.NODE_LABELS)
            if any(value > info.allocatable.get(name, 0) for name, value in allocatable.items()):
                changes.append(Change.NODE_CAPACITY)
        self._count_for_all(info, -1)
        info.labels, info.taints, info.unschedulable, info.allocatable = labels, taints, unschedulable, allocatable
        info.images = {name: image.get("sizeBytes") or 0 for image in status.get("images") or () for name in image.get("names") or ()}
        self._count_for_all(info, 1)
        if not info.known:
            info.known = True
            self.nodes.append(info)
        return changes

    def remove_node(self, name: str) -> None:
        """The Node is gone; its pods may not know yet."""
        info = self._nodes.get(name)
        if info is None or not info.known:
            return
        self.nodes.remove(info)
        self._count_for_all(info, -1)
        info.known, info.images, info.taints = False, {}, ()
        self._drop_if_empty(info)

    def set_pod(self, pod: PodInfo) -> list[Change]:
        """Take in a pod that has a node, or its new version; says what about it could help parked pods."""
        self._assumed.pop(pod.key, None)
        if pod.finished:
            return self.remove_pod(pod.key)
        before = self._take_out(pod.key)
        self._put(pod)
        if before is None or before.group != pod.group:
            return [Change.POD_PLACED]
        return [Change.POD_GONE] if before.needs.requests != pod.needs.requests else []

    def remove_pod(self, key: str) -> list[Change]:
        """A pod is gone, or takes nothing any more."""
        self._assumed.pop(key, None)
        return [] if self._take_out(key) is None else [Change.POD_GONE]

    def assume(self, pod: PodInfo, node_name: str) -> None:
        """Count a pod in where it is about to be."""
        self._take_out(pod.key)
        self._put(pod, node_name)
        self._assumed[pod.key] = node_name

    def forget(self, key: str) -> None:
        """An assumption did not come true."""
        if self._assumed.pop(key, None) is not None:
            self._take_out(key)

    def is_assumed(self, key: str) -> bool:
        """Whether the pod is on its way to a node."""
        return key in self._assumed

    def keys(self) -> list[str]:
        """Every pod that has a place."""
        return list(self._places)

    def node(self, name: str) -> NodeInfo | None:
        """A node that is there."""
        info = self._nodes.get(name)
        return info if info is not None and info.known else None

    def _count_for_all(self, info: NodeInfo, sign: int) -> None:
        for name in info.images:
            _tally(self.images, name, sign)
        self.soft_taints += sign * sum(taint.effect == PREFER_NO_SCHEDULE for taint in info.taints)

    def _put(self, pod: PodInfo, node_name: str = "") -> None:
        name = node_name or pod.node_name
        self._node(name).add(pod)
        self._places[pod.key] = name
        self.repelling += bool(pod.anti_affinity)

    def _take_out(self, key: str) -> PodInfo | None:
        place = self._places.pop(key, None)
        if place is None:
            return None
        info = self._nodes[place]
        pod = info.remove(key)
        if pod is not None:
            self.repelling -= bool(pod.anti_affinity)
        self._drop_if_empty(info)
        return pod

    def _node(self, name: str) -> NodeInfo:
        info = self._nodes.get(name)
        if info is None:
            info = self._nodes[name] = NodeInfo(name)
        return info

    def _drop_if_empty(self, info: NodeInfo) -> None:
        if not info.known and not info.pods:
            del self._nodes[info.name]
