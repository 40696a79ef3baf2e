"""The nodes and what stands on them, kept up to date change by change: what every placement is decided on.

A pod that was just placed is *assumed* on its node until the watch confirms it, so that the next one sees its place taken without waiting
for the API server. A pod for which others are preempted is *nominated* for their node, so that no pod of lower priority takes the place.

Every change of a node has a version. Data derived from all nodes are updated from those that have changed since (`changed_since`), which
after one placement is one of thousands.
"""

from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.taints import PREFER_NO_SCHEDULE, taints_of
from svcsim.meta.types import Object
from svcsim.scheduler.changes import Change, Kind, NodeFacts
from svcsim.scheduler.node import NOTHING, NodeInfo, count
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.resources import amounts


class Snapshot:
    """All nodes by name, and where each pod is."""

    def __init__(self, cordon_taint: str) -> None:
        """``cordon_taint`` is the key of the taint that stands for a node's mark that nothing may be scheduled on it."""
        self._cordon_taint = cordon_taint
        self._nodes: dict[str, NodeInfo] = {}
        self._places: dict[str, str] = {}
        self._assumed: dict[str, str] = {}
        self._nominations: dict[str, str] = {}
        self._by_change: dict[str, NodeInfo] = {}
        """The nodes there are, the one that changed last at the end."""
        self.nodes: list[NodeInfo] = []
        """The nodes there are, in the order they came."""
        self.version = 0
        self.layout = 0
        """Grows when nodes go: then positions have changed."""
        self.nominated: dict[str, dict[str, PodInfo]] = {}
        """Pods that wait for a place that was cleared for them, by node."""
        self.repelling: dict[str, int] = {}
        """How many terms of required anti-affinity name each label, in the whole cluster: while there are none, nobody needs to look."""
        self.drawn = 0
        """Pods that want others near, or would rather not."""
        self.priorities: dict[int, int] = {}
        """How many pods have each priority."""
        self.soft_taints = 0
        """Taints that only ask to be avoided, in the whole cluster."""
        self.images: dict[str, int] = {}
        """How many nodes have each image."""
        self.labelled: dict[str, int] = {}
        """How many nodes have each label, whatever its value."""

    def set_node(self, node: Object) -> list[Change]:
        """Take in a Node, or its new version; says what about it could help parked pods."""
        info, facts = self._node(name_of(node)), _facts(node)
        before = info.facts
        if info.known and facts == before:
            return []
        kinds = self._kinds(facts, before) if info.known else [Kind.NODE_ADDED]
        self._count_for_all(before, -1)
        self._count_for_all(facts, 1)
        info.facts = facts
        if not info.known:
            info.known, info.position = True, len(self.nodes)
            self.nodes.append(info)
        self._changed(info)
        barriers = tuple(key for key in self.repelling if key in before.labels and before.labels[key] != facts.labels.get(key))
        return [Change(kind, node=facts, node_before=None if kind is Kind.NODE_ADDED else before, barriers=barriers) for kind in kinds]

    def remove_node(self, name: str) -> list[Change]:
        """The Node is gone; its pods may not know yet."""
        info = self._nodes.get(name)
        if info is None or not info.known:
            return []
        before = info.facts
        self._count_for_all(before, -1)
        info.known, info.facts, info.position = False, NOTHING, -1
        self.nodes = [node for node in self.nodes if node is not info]
        for position, node in enumerate(self.nodes):
            node.position = position
        del self._by_change[name]
        self.version += 1
        self.layout += 1
        self._drop_if_empty(info)
        return [Change(Kind.NODE_GONE, node_before=before)]

    def set_pod(self, pod: PodInfo) -> list[Change]:
        """Take in a pod that has a node, or its new version; says what about it could help parked pods."""
        self.denominate(pod.key)
        self._assumed.pop(pod.key, None)
        if pod.finished:
            return self.remove_pod(pod.key)
        info = self._nodes.get(self._places.get(pod.key, ""))
        before = None if info is None else info.pods.get(pod.key)
        if info is None or before is None or info.name != pod.node_name or before.shape != pod.shape:
            self._take_out(pod.key)
            self._put(pod, pod.node_name)
        else:
            info.pods[pod.key] = pod  # nothing about it counts for anybody
        if before is None or before.uid != pod.uid:
            return [Change(Kind.POD_PLACED, pod=pod)]
        changes: list[Change] = []
        if not before.node_name:  # it was assumed to be there
            changes.append(Change(Kind.POD_PLACED, pod=pod))
        elif before.group != pod.group:
            changes.append(Change(Kind.POD_LABELS, pod=pod, pod_before=before))
        if before.needs.requests != pod.needs.requests:
            changes.append(Change(Kind.POD_SHRUNK, pod=pod, pod_before=before))
        return changes

    def remove_pod(self, key: str) -> list[Change]:
        """A pod is gone, or no longer uses resources. A place that was cleared for it is free as well."""
        self._assumed.pop(key, None)
        waited = self.denominate(key)
        before = self._take_out(key) or waited
        return [] if before is None else [Change(Kind.POD_GONE, pod_before=before)]

    def place_of(self, key: str) -> PodInfo | None:
        """The pod as it is counted in; None where it has no place."""
        info = self._nodes.get(self._places.get(key, ""))
        return None if info is None else info.pods.get(key)

    def assume(self, pod: PodInfo, node_name: str) -> None:
        """Count a pod in where it is about to be."""
        self.denominate(pod.key)
        self._take_out(pod.key)
        self._put(pod, node_name)
        self._assumed[pod.key] = node_name

    def forget(self, key: str) -> list[Change]:
        """An assumption did not come true."""
        if self._assumed.pop(key, None) is None:
            return []
        before = self._take_out(key)
        return [] if before is None else [Change(Kind.POD_GONE, pod_before=before)]

    def is_assumed(self, key: str) -> bool:
        """Whether the pod is on its way to a node."""
        return key in self._assumed

    def condemn(self, key: str) -> None:
        """A pod is about to be taken away for another."""
        info = self._nodes.get(self._places.get(key, ""))
        if info is not None:
            info.pods[key] = info.pods[key]._replace(preempted=True)

    def nominate(self, pod: PodInfo, node_name: str) -> None:
        """Keep a place for a pod on a node: nobody of lower priority is to take it."""
        self.denominate(pod.key)
        self._nominations[pod.key] = node_name
        self.nominated.setdefault(node_name, {})[pod.key] = pod

    def denominate(self, key: str) -> PodInfo | None:
        """Drop the reservation of a place for a pod; returns the pod if there was one."""
        node_name = self._nominations.pop(key, None)
        if node_name is None:
            return None
        there = self.nominated[node_name]
        pod = there.pop(key)
        if not there:
            del self.nominated[node_name]
        return pod

    def nomination(self, key: str) -> str:
        """The node on which a place is kept for a pod; empty where there is none."""
        return self._nominations.get(key, "")

    def keys(self) -> list[str]:
        """Every pod that has a place."""
        return list(self._places)

    def node(self, name: str) -> NodeInfo | None:
        """A node that is there."""
        info = self._nodes.get(name)
        return info if info is not None and info.known else None

    def changed_since(self, version: int) -> list[NodeInfo]:
        """The nodes that have changed since the snapshot had a version, and are there."""
        changed: list[NodeInfo] = []
        for node in reversed(self._by_change.values()):
            if node.version <= version:
                break
            changed.append(node)
        return changed

    def without(self, key: str) -> "Snapshot":
        """A snapshot in which one pod has no node, to find out where else it could be; valid until this one changes."""
        other = Snapshot(self._cordon_taint)
        other._nodes, other.nominated = dict(self._nodes), dict(self.nominated)
        other.images, other.labelled, other.soft_taints = self.images, self.labelled, self.soft_taints
        other.repelling, other.drawn, other.priorities = self.repelling, self.drawn, self.priorities
        place = self._places.get(key)
        if place is not None:
            node = other._nodes[place] = self._nodes[place].copy()
            node.remove(key)
        other.nodes = [other._nodes[node.name] for node in self.nodes]
        other._by_change = {node.name: node for node in other.nodes}
        other.version, other.layout = self.version, self.layout
        return other

    def _kinds(self, facts: NodeFacts, before: NodeFacts) -> list[Kind]:
        kinds: list[Kind] = []
        # The taint goes just after the mark; who tried in between would fail, and have to wait for its back-off.
        cordoned = facts.unschedulable or any(taint.key == self._cordon_taint for taint in facts.taints)
        if facts.taints != before.taints or (before.unschedulable and not cordoned):
            kinds.append(Kind.NODE_TAINTS)
        if facts.labels != before.labels:
            kinds.append(Kind.NODE_LABELS)
        if any(value > before.allocatable.get(name, 0) for name, value in facts.allocatable.items()):
            kinds.append(Kind.NODE_CAPACITY)
        return kinds

    def _changed(self, info: NodeInfo) -> None:
        self.version += 1
        info.version = self.version
        if info.known:
            self._by_change.pop(info.name, None)
            self._by_change[info.name] = info

    def _count_for_all(self, facts: NodeFacts, sign: int) -> None:
        for name in facts.images:
            count(self.images, name, sign)
        for key in facts.labels:
            count(self.labelled, key, sign)
        self.soft_taints += sign * sum(taint.effect == PREFER_NO_SCHEDULE for taint in facts.taints)

    def _put(self, pod: PodInfo, node_name: str) -> None:
        info = self._node(node_name)
        info.add(pod)
        self._places[pod.key] = node_name
        self._count_related(pod, 1)
        self._changed(info)

    def _take_out(self, key: str) -> PodInfo | None:
        place = self._places.pop(key, None)
        if place is None:
            return None
        info = self._nodes[place]
        pod = info.remove(key)
        if pod is not None:
            self._count_related(pod, -1)
        self._changed(info)
        self._drop_if_empty(info)
        return pod

    def _count_related(self, pod: PodInfo, sign: int) -> None:
        for term in pod.terms.anti_affinity:
            count(self.repelling, term.topology_key, sign)
        self.drawn += sign * bool(pod.terms.affinity or pod.terms.preferred)
        count(self.priorities, pod.needs.priority, sign)

    def _node(self, name: str) -> NodeInfo:
        info = self._nodes.get(name)
        if info is None:
            info = self._nodes[name] = NodeInfo(name)
        return info

    def _drop_if_empty(self, info: NodeInfo) -> None:
        if not info.known and not info.pods:
            self._nodes.pop(info.name, None)


def _facts(node: Object) -> NodeFacts:
    status = node.get("status") or {}
    return NodeFacts(
        name=name_of(node),
        labels=labels_of(node),
        taints=taints_of(node),
        unschedulable=bool((node.get("spec") or {}).get("unschedulable")),
        allocatable=amounts(status.get("allocatable") or status.get("capacity")),
        images={name: image.get("sizeBytes") or 0 for image in status.get("images") or () for name in image.get("names") or ()},
    )
