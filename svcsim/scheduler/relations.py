"""How a pod stands to the pods that are already placed: whom it wants near, whom it keeps away, how evenly it is to be spread.

These questions are about whole zones, not one node, so they are counted once for each try and then looked up for each node. A pod that
asks for none of this costs next to nothing here.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, tolerance, untolerated
from svcsim.scheduler.pod import Group, PodInfo, PodTerm, Spread
from svcsim.scheduler.snapshot import NodeInfo, Snapshot
from svcsim.scheduler.turns import Steps, Turn

AFFINITY: Literal["affinity"] = "affinity"
ANTI_AFFINITY: Literal["anti-affinity"] = "anti-affinity"
REPELLED: Literal["repelled"] = "repelled"
Rule = Literal["affinity", "anti-affinity", "repelled"]

NamespaceLabels = Callable[[str], dict[str, str]]
"""A namespace's labels by its name."""


class WellKnownKeys(NamedTuple):
    """Keys that depend on the dialect."""

    unschedulable_taint: str
    zone_label: str

    @classmethod
    def of(cls, dialect: Dialect) -> "WellKnownKeys":
        return cls(dialect.key("unschedulable", "node"), dialect.key("zone", "topology"))


class SpreadCount(NamedTuple):
    """One spread constraint, counted: pods like this one by domain."""

    topology_key: str
    max_skew: int
    counts: dict[str, int]
    least: int
    counts_itself: int

    def skew_with(self, domain: str) -> int:
        """How many more than the emptiest domain this one would have with the pod in it."""
        return self.counts.get(domain, 0) + self.counts_itself - self.least


class Relations:
    """All that one try to place a pod needs to know beyond single nodes. It knows nothing before `count`."""

    def __init__(self, pod: PodInfo, snapshot: Snapshot, keys: WellKnownKeys, namespace_labels: NamespaceLabels, turn: Turn) -> None:
        self.words = keys
        self.turn = turn
        self.nodes = list(snapshot.nodes)
        """The nodes this try is about."""
        self.tolerates = tolerance(pod.needs.tolerations)
        self.spreads: list[SpreadCount] = []
        """Required ones."""
        self.preferred_spreads: list[SpreadCount] = []
        self.preferred_affinity: list[tuple[str, int, dict[str, int]]] = []
        """Topology key, weight and pods by domain."""
        self._pod = pod
        self._snapshot = snapshot
        self._namespace_labels = namespace_labels
        self._near: list[tuple[str, dict[str, int]]] = []
        self._away: list[tuple[str, dict[str, int]]] = []
        self._repelling: list[tuple[str, str]] = []
        self._first_of_its_kind = False

    def count(self) -> Steps[None]:
        """Count what can keep the pod from nodes."""
        pod = self._pod
        self.spreads = yield from self._count_spreads([spread for spread in pod.spreads if spread.required])
        for term in pod.affinity:
            self._near.append((term.topology_key, (yield from self._domains_with(term))))
        for term in pod.anti_affinity:
            found = yield from self._domains_with(term)
            if found:
                self._away.append((term.topology_key, found))
        if self._snapshot.repelling:
            self._repelling = yield from self._repelling_domains()
        self._first_of_its_kind = bool(self._near) and not any(found for _, found in self._near) and self._wants_itself()

    def count_preferences(self) -> Steps[None]:
        """Count what makes one node better than another."""
        pod = self._pod
        self.preferred_spreads = yield from self._count_spreads([spread for spread in pod.spreads if not spread.required])
        for term in pod.preferred_affinity:
            counts = yield from self._count_in_domains(term)
            self.preferred_affinity.append((term.topology_key, term.weight, counts))

    @property
    def steps_a_node(self) -> int:
        """How much there is to be looked at for one node."""
        needs = self._pod.needs
        of_node = (needs.node_selector, needs.node_terms or (), needs.requests, needs.ports)
        parts = (*of_node, self.spreads, self._near, self._away, self._repelling)
        return 1 + sum(map(len, parts))

    @property
    def has_pod_rules(self) -> bool:
        """Whether any rule between pods could keep this one from a node."""
        return bool(self._near or self._away or self._repelling)

    def broken_by(self, node: NodeInfo) -> Rule | None:
        """The rule between pods that keeps this one from the node."""
        for key, found in self._near:
            domain = node.labels.get(key)
            if domain is None or (domain not in found and not self._first_of_its_kind):
                return AFFINITY
        for key, found in self._away:
            if node.labels.get(key) in found:
                return ANTI_AFFINITY
        for key, domain in self._repelling:
            if node.labels.get(key) == domain:
                return REPELLED
        return None

    def owned_by_zone(self, owner_uid: str) -> dict[str, int]:
        """How many pods an owner has in each zone; nodes outside any zone make up one more."""
        zones: dict[str, int] = {}
        for node in self.nodes:
            zone = node.labels.get(self.words.zone_label, "")
            zones[zone] = zones.get(zone, 0) + node.owners.get(owner_uid, 0)
        return zones

    def image_spread(self, image: str) -> float:
        """The part of the nodes that has an image."""
        return self._snapshot.images.get(image, 0) / len(self.nodes)

    @property
    def soft_taints(self) -> bool:
        """Whether any node only asks to be avoided."""
        return self._snapshot.soft_taints > 0

    def _domains_with(self, term: PodTerm) -> Steps[dict[str, int]]:
        counts = yield from self._count_in_domains(term)
        return {domain: count for domain, count in counts.items() if count}

    def _count_in_domains(self, term: PodTerm) -> Steps[dict[str, int]]:
        """How many pods the term means, by domain."""
        counts: dict[str, int] = {}
        for node in self.nodes:
            domain = node.labels.get(term.topology_key)
            if domain is not None:
                counts[domain] = counts.get(domain, 0) + self._matching(node, term)
            if self.turn.is_over(1 if domain is None else 1 + len(node.groups)):
                yield
        return counts

    def _matching(self, node: NodeInfo, term: PodTerm) -> int:
        return sum(count for group, count in node.groups.items() if self._means(term, group))

    def _means(self, term: PodTerm, group: Group) -> bool:
        if term.namespace_selector is None or group.namespace in term.namespaces:
            here = group.namespace in term.namespaces
        else:
            here = term.namespace_selector.matches(self._namespace_labels(group.namespace))
        return here and term.selector.matches(dict(group.labels))

    def _wants_itself(self) -> bool:
        """The first of a group of pods that want each other near has to be allowed somewhere."""
        return all(self._means(term, self._pod.group) for term in self._pod.affinity)

    def _repelling_domains(self) -> Steps[list[tuple[str, str]]]:
        found: dict[tuple[str, str], None] = {}
        for node in self.nodes:
            for pod in list(node.repelling.values()):
                for term in pod.anti_affinity:
                    domain = node.labels.get(term.topology_key)
                    if domain is not None and self._means(term, self._pod.group):
                        found[term.topology_key, domain] = None
                if self.turn.is_over(len(pod.anti_affinity)):
                    yield
        return list(found)

    def _count_spreads(self, spreads: Sequence[Spread]) -> Steps[list[SpreadCount]]:
        if not spreads:
            return []
        keys = dict.fromkeys(spread.topology_key for spread in spreads)
        nodes = yield from self.turn.sliced(
            self.nodes, len(keys), lambda part: [node for node in part if keys.keys() <= node.labels.keys()]
        )
        steps = 1 + len(self._pod.needs.node_terms or ())
        allowed = yield from self.turn.sliced(nodes, steps, lambda part: [node for node in part if allows(self._pod, node)])
        counted: list[SpreadCount] = []
        for spread in spreads:
            count = yield from self._count_spread(spread, allowed if spread.honours_affinity else nodes)
            counted.append(count)
        return counted

    def _count_spread(self, spread: Spread, nodes: Sequence[NodeInfo]) -> Steps[SpreadCount]:
        counts: dict[str, int] = {}
        for node in nodes:
            domain = node.labels.get(spread.topology_key)
            if domain is not None and (not spread.honours_taints or self._tolerates_all(node)):
                counts[domain] = counts.get(domain, 0) + self._alike(node, spread)
            if self.turn.is_over(1 + len(node.groups) + len(node.taints)):
                yield
        enough = len(counts) >= spread.min_domains
        least = min(counts.values(), default=0) if enough else 0
        itself = int(spread.selector.matches(dict(self._pod.group.labels)))
        return SpreadCount(spread.topology_key, spread.max_skew, counts, least, itself)

    def _tolerates_all(self, node: NodeInfo) -> bool:
        return untolerated(node.taints, self.tolerates, (NO_SCHEDULE, NO_EXECUTE)) is None

    def _alike(self, node: NodeInfo, spread: Spread) -> int:
        return sum(
            count
            for group, count in node.groups.items()
            if group.namespace == self._pod.namespace and not group.terminating and spread.selector.matches(dict(group.labels))
        )


def allows(pod: PodInfo, node: NodeInfo) -> bool:
    """Whether the pod's node selector and required node affinity allow the node."""
    for key, value in pod.needs.node_selector:
        if node.labels.get(key) != value:
            return False
    if pod.needs.node_terms is None:
        return True
    return any(term.fits(node.labels, node.name) for term in pod.needs.node_terms)
