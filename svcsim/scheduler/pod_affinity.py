"""InterPodAffinity: whom a pod wants near, whom it keeps away, and who keeps it away."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.scheduler.changes import Change, Kind, NodeFacts
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import Group, PodInfo, PodTerm, PodTerms
from svcsim.scheduler.rules import MAX_SCORE, Check, Filter, Rejection, Score, Scorer
from svcsim.scheduler.tally import Domain, Share, Tally

AFFINITY = Rejection(("node(s) didn't match pod affinity rules",), preemption_may_help=False)
ANTI_AFFINITY = Rejection(("node(s) didn't match pod anti-affinity rules",), preemption_may_help=True)
REPELLED = Rejection(("node(s) didn't satisfy existing pods anti-affinity rules",), preemption_may_help=True)
HARD_WEIGHT = 1
"""What it counts for that a pod would be near one that must have it near."""


class _Rules(NamedTuple):
    """What one pod has to keep to, counted."""

    near: Tally | None
    keys: tuple[str, ...]
    """The labels whose values are the domains in which it wants others."""
    wants_itself: bool
    """Whether it is one of those: the first of a group has to be allowed somewhere."""
    apart: tuple[str, ...]
    """The labels whose values are the domains in which it doesn't want others."""
    away: Tally | None
    repelled: Tally | None


def _required(pod: PodInfo, cycle: Cycle) -> Check | None:
    """The pod is near those it wants, and away from those it doesn't want or that don't want it."""
    terms, known = pod.terms, cycle.known
    if not terms.affinity and not terms.anti_affinity and not cycle.snapshot.repelling:
        return None
    rules = _Rules(
        near=_meant(terms.affinity, cycle) if terms.affinity else None,
        keys=tuple(dict.fromkeys(term.topology_key for term in terms.affinity)),
        wants_itself=all(known.means(term, pod.group) for term in terms.affinity),
        apart=tuple(dict.fromkeys(term.topology_key for term in terms.anti_affinity)),
        away=_meant_by_any(terms.anti_affinity, cycle) if terms.anti_affinity else None,
        repelled=_repelled(pod.group, cycle) if cycle.snapshot.repelling else None,
    )
    return lambda node: _as_imagined(rules, node) if node.imagined else _as_it_is(rules, node)


def _as_it_is(rules: _Rules, node: NodeInfo) -> Rejection | None:
    """The verdict on a node of the snapshot, by the counts of pods in its domains."""
    near, keys, wants_itself, apart, away, repelled = rules
    labels = node.facts.labels
    if near is not None:
        totals = near.totals
        for key in keys:
            domain = (key, labels.get(key))
            if domain not in totals and not (wants_itself and not totals and key in labels):
                return AFFINITY
    if away is not None:
        totals = away.totals
        for key in apart:
            if (key, labels.get(key)) in totals:
                return ANTI_AFFINITY
    if repelled is not None:
        totals = repelled.totals
        for item in labels.items():
            if item in totals:
                return REPELLED
    return None


def _as_imagined(rules: _Rules, node: NodeInfo) -> Rejection | None:
    """The verdict on a node with other pods than it has in the snapshot."""
    near, keys, wants_itself, apart, away, repelled = rules
    labels = node.facts.labels
    if near is not None:
        alone = wants_itself and near.is_empty(node)
        for key in keys:
            if key not in labels or (not alone and near.at(node, (key, labels[key])) <= 0):
                return AFFINITY
    if away is not None and any(key in labels and away.at(node, (key, labels[key])) > 0 for key in apart):
        return ANTI_AFFINITY
    if repelled is not None and any(repelled.at(node, domain) > 0 for domain in labels.items()):
        return REPELLED
    return None


def _meant(terms: tuple[PodTerm, ...], cycle: Cycle) -> Tally:
    """Pods that all of some terms mean, by the domains that each names."""
    means = _Means(terms, cycle.known)

    def contribute(node: NodeInfo) -> Share:
        found = means.count(node)
        return _by_domain([(term, found) for term in terms], node) if found else ()

    return cycle.tally(("meant by all", id(terms)), contribute, len(terms))


def _meant_by_any(terms: tuple[PodTerm, ...], cycle: Cycle) -> Tally:
    """Pods that one of some terms means, by the domains that it names."""
    judges = [_Means((term,), cycle.known) for term in terms]

    def contribute(node: NodeInfo) -> Share:
        labels = node.facts.labels
        return _by_domain(
            [(term, judge.count(node)) for term, judge in zip(terms, judges, strict=True) if term.topology_key in labels], node
        )

    return cycle.tally(("meant by any", id(terms)), contribute, len(terms))


class _Means:
    """Whom all of some terms mean. Pods look alike by the thousands; each look is judged once."""

    def __init__(self, terms: tuple[PodTerm, ...], known: Known) -> None:
        self._terms = terms
        self._known = known
        self._judged: dict[Group, bool] = {}

    def count(self, node: NodeInfo) -> int:
        return sum(number for group, number in node.groups.items() if self._all(group))

    def _all(self, group: Group) -> bool:
        judged = self._judged.get(group)
        if judged is None:
            judged = self._judged[group] = all(self._known.means(term, group) for term in self._terms)
        return judged


def _repelled(group: Group, cycle: Cycle) -> Tally:
    """Pods that keep away those that look like this one, by the domains they keep them from."""
    drawn_to = _DrawnTo(group, cycle.known)

    def contribute(node: NodeInfo) -> Share:
        if not node.repelling:
            return ()
        terms = (term for pod in node.repelling.values() for term in pod.terms.anti_affinity)
        return _by_domain([(term, 1) for term in terms if drawn_to.means(term)], node)

    return cycle.tally(("repelled", group), contribute)


class _DrawnTo:
    """Which terms of others mean pods that look like this one. The terms of a template's pods are alike; each is judged once."""

    def __init__(self, group: Group, known: Known) -> None:
        self._group = group
        self._known = known
        self._judged: dict[PodTerm, bool] = {}

    def means(self, term: PodTerm) -> bool:
        judged = self._judged.get(term)
        if judged is None:
            judged = self._judged[term] = self._known.means(term, self._group)
        return judged


def _by_domain(weighed: Iterable[tuple[PodTerm, int]], node: NodeInfo) -> Share:
    """What terms come to on a node, by the domains that they name."""
    found: dict[Domain, int] = {}
    for term, weight in weighed:
        value = node.facts.labels.get(term.topology_key)
        if value is not None and weight:
            found[term.topology_key, value] = found.get((term.topology_key, value), 0) + weight
    return tuple(found.items())


def _helped(pod: PodInfo, change: Change, known: Known) -> bool:
    """Whether a pod came that it wants near, or one went that it avoids or that avoided it; or a node's domains have changed."""
    terms = pod.terms
    if change.node is not None:
        return change.node_before is None or bool(change.barriers) or _is_elsewhere(terms, change.node, change.node_before)
    here, before = change.pod, change.pod_before
    if here is not None and terms.affinity and all(known.means(term, here.group) for term in terms.affinity):
        return True
    if before is None:
        return False
    # The pod that went may have been the last one that kept the first pod of a group from being placed.
    wanted = (*terms.anti_affinity, *terms.affinity)
    return any(known.means(term, before.group) for term in wanted) or any(
        known.means(term, pod.group) for term in before.terms.anti_affinity
    )


def _is_elsewhere(terms: PodTerms, node: NodeFacts, before: NodeFacts) -> bool:
    """Whether a node has left a domain of those that a pod's terms speak of, or come to one in which it may find whom it wants."""
    wanted, unwanted = ([term.topology_key for term in some] for some in (terms.affinity, terms.anti_affinity))
    keys = (*wanted, *(key for key in unwanted if key in before.labels))
    return any(node.labels.get(key) != before.labels.get(key) for key in keys)


INTER_POD_AFFINITY = Filter(
    "InterPodAffinity",
    _required,
    (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.POD_PLACED, Kind.POD_GONE, Kind.POD_LABELS),
    _helped,
    of_node_alone=False,
)


def _preferred(pod: PodInfo, cycle: Cycle) -> Scorer | None:
    """Whom the pod would like near or rather not, and who would like it near or rather not."""
    if not pod.terms.preferred and not cycle.snapshot.drawn:
        return None
    tally = _liked(pod.terms.preferred, pod.group, cycle)
    keys: list[str] = []
    """The labels that name the domains there are, once everything is counted."""

    def score(node: NodeInfo) -> int:
        if not keys:
            keys.extend(dict.fromkeys([key for key, _ in tally.totals]))
        labels, totals = node.facts.labels, tally.totals
        return sum([totals.get((key, labels.get(key, "")), 0) for key in keys])

    return Scorer.of_number(score)


def _liked(own: tuple[PodTerm, ...], group: Group, cycle: Cycle) -> Tally:
    """What speaks for each domain, and against it, for pods that look like this and have such terms."""
    known = cycle.known
    judges = [_Means((term,), known) for term in own]
    drawn_to = _DrawnTo(group, known)

    def contribute(node: NodeInfo) -> Share:
        weighed = [(term, term.weight * judge.count(node)) for term, judge in zip(own, judges, strict=True)]
        for other in node.drawn.values():
            weighed += [(term, HARD_WEIGHT) for term in other.terms.affinity if drawn_to.means(term)]
            weighed += [(term, term.weight) for term in other.terms.preferred if drawn_to.means(term)]
        return _by_domain(weighed, node)

    return cycle.tally(("liked", id(own), group), contribute, 1 + len(own))


def _between(raw: list[int]) -> list[int]:
    """The lowest has 0 and the highest 100; where all are equal, it makes no difference."""
    low, high = min(raw), max(raw)
    return [int(MAX_SCORE * ((value - low) / (high - low))) for value in raw] if high > low else [0] * len(raw)


AFFINITY_SCORE = Score("InterPodAffinity", 2, _preferred, _between)
