"""How a pod stands to the pods that are already placed: whom it wants near, whom it keeps away, how evenly it is to be spread.

These questions are about whole zones, not one node, so they are counted once for each try and then looked up for each node. A pod that
asks for none of this costs next to nothing here.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, untolerated
from svcsim.scheduler.pod import Group, PodInfo, PodTerm, Spread
from svcsim.scheduler.snapshot import NodeInfo, Snapshot

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
    """All that one try to place a pod needs to know beyond single nodes."""

    def __init__(self, pod: PodInfo, snapshot: Snapshot, keys: WellKnownKeys, namespace_labels: NamespaceLabels) -> None:
        self.words = keys
        self._pod = pod
        self._snapshot = snapshot
        self._namespace_labels = namespace_labels
        self.spreads = [self._count_spread(spread) for spread in pod.spreads if spread.required]
        """Required ones."""
        self._near = [(term.topology_key, self._domains_with(term)) for term in pod.affinity]
        self._away = [(term.topology_key, self._domains_with(term)) for term in pod.anti_affinity]
        self._repelling = self._repelling_domains() if snapshot.repelling else []
        self._first_of_its_kind = bool(self._near) and not any(found for _, found in self._near) and self._wants_itself()

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

    def count_in_domains(self, term: PodTerm) -> dict[str, int]:
        """How many pods the term means, by domain."""
        domains = self._snapshot.domains(term.topology_key)
        return {domain: sum(self._matching(node, term) for node in nodes) for domain, nodes in domains.items()}

    def count_spread_preferred(self) -> list[SpreadCount]:
        """The constraints that are only preferred, counted."""
        return [self._count_spread(spread) for spread in self._pod.spreads if not spread.required]

    def owned_by_zone(self, owner_uid: str) -> dict[str, int]:
        """How many pods an owner has in each zone; nodes outside any zone make up one more."""
        zones: dict[str, int] = {}
        for node in self._snapshot.nodes:
            zone = node.labels.get(self.words.zone_label, "")
            zones[zone] = zones.get(zone, 0) + node.owners.get(owner_uid, 0)
        return zones

    def image_spread(self, image: str) -> float:
        """The part of the nodes that has an image."""
        return self._snapshot.images.get(image, 0) / len(self._snapshot.nodes)

    @property
    def soft_taints(self) -> bool:
        """Whether any node only asks to be avoided."""
        return self._snapshot.soft_taints > 0

    def _domains_with(self, term: PodTerm) -> dict[str, int]:
        return {domain: count for domain, count in self.count_in_domains(term).items() if count}

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

    def _repelling_domains(self) -> list[tuple[str, str]]:
        found: dict[tuple[str, str], None] = {}
        for node in self._snapshot.nodes:
            for pod in node.repelling.values():
                for term in pod.anti_affinity:
                    domain = node.labels.get(term.topology_key)
                    if domain is not None and self._means(term, self._pod.group):
                        found[term.topology_key, domain] = None
        return list(found)

    def _count_spread(self, spread: Spread) -> SpreadCount:
        counts: dict[str, int] = {}
        for node in self._snapshot.nodes:
            domain = node.labels.get(spread.topology_key)
            if domain is not None and self._counts_for(spread, node):
                counts[domain] = counts.get(domain, 0) + self._alike(node, spread)
        enough = len(counts) >= spread.min_domains
        least = min(counts.values(), default=0) if enough else 0
        itself = int(spread.selector.matches(dict(self._pod.group.labels)))
        return SpreadCount(spread.topology_key, spread.max_skew, counts, least, itself)

    def _counts_for(self, spread: Spread, node: NodeInfo) -> bool:
        if any(other.topology_key not in node.labels for other in self._pod.spreads if other.required == spread.required):
            return False
        if spread.honours_affinity and not allows(self._pod, node):
            return False
        return not spread.honours_taints or untolerated(node.taints, self._pod.tolerations, (NO_SCHEDULE, NO_EXECUTE)) is None

    def _alike(self, node: NodeInfo, spread: Spread) -> int:
        return sum(
            count
            for group, count in node.groups.items()
            if group.namespace == self._pod.namespace and not group.terminating and spread.selector.matches(dict(group.labels))
        )


def allows(pod: PodInfo, node: NodeInfo) -> bool:
    """Whether the pod's node selector and required node affinity allow the node."""
    for key, value in pod.node_selector:
        if node.labels.get(key) != value:
            return False
    if pod.node_terms is None:
        return True
    named = {"metadata.name": node.name}
    return any(term.labels.matches(node.labels) and term.names.matches(named) for term in pod.node_terms)
