"""PodTopologySpread: that pods of a kind are spread evenly over zones, hosts, or whatever a constraint names.

Constraints that must hold keep pods from nodes; those that had better hold make nodes better or worse. A pod without any is spread over
hosts and zones all the same, with the others that its services or its controller select.
"""

from collections.abc import Hashable, Sequence
from math import log
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, untolerated
from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.node_rules import allows
from svcsim.scheduler.pod import Group, PodInfo, Spread
from svcsim.scheduler.rules import MAX_SCORE, Check, Filter, Kinds, Rejection, Score, Scorer
from svcsim.scheduler.tally import Contribute, Domain, Share, Tally
from svcsim.scheduler.turns import Steps

SPREAD = Rejection(("node(s) didn't match pod topology spread constraints",), preemption_may_help=True)
SPREAD_NO_LABEL = Rejection(("node(s) didn't match pod topology spread constraints (missing required label)",), preemption_may_help=False)
_HOST_SKEW, _ZONE_SKEW = 3, 5
_LEFT_OUT = -1
"""The raw score of a node that lacks one of the labels."""
_OF_NODES = (Kind.NODE_ADDED, Kind.NODE_GONE, Kind.NODE_LABELS, Kind.NODE_TAINTS)
_OF_PODS = (Kind.POD_PLACED, Kind.POD_GONE, Kind.POD_LABELS)


class _Counted(NamedTuple):
    spread: Spread
    tally: Tally
    itself: int

    def most(self, node: NodeInfo) -> int:
        """How many there may be in a domain before the pod comes."""
        least = self.tally.least(node) if len(self.tally.totals) >= self.spread.min_domains else 0
        return self.spread.max_skew + least - self.itself


def _required(pod: PodInfo, cycle: Cycle) -> Check | None:
    """With the pod here, no domain has too many more of its like than the emptiest."""
    spreads = tuple(spread for spread in pod.spreads if spread.required)
    if not spreads:
        return None
    labels = dict(pod.group.labels)
    keys = tuple(dict.fromkeys(spread.topology_key for spread in spreads))
    counted: list[_Counted] = []

    def begin() -> Steps[None]:
        for spread in spreads:
            counted.append(_Counted(spread, cycle.tally(*_counting(spread, keys, pod, cycle)), int(spread.selector.matches(labels))))
            if cycle.turn.is_over(limits.STEPS_A_NODE):
                yield

    cycle.begin(begin())

    bounds: list[tuple[str, dict[Domain, int], int]] = []
    """What holds for all nodes as they are, once everything is counted."""

    def check(node: NodeInfo) -> Rejection | None:
        if node.imagined:
            return _with_moved(counted, node)
        if not bounds:
            bounds.extend((one.spread.topology_key, one.tally.totals, one.most(node)) for one in counted)
        labels = node.facts.labels
        for key, totals, most in bounds:
            value = labels.get(key)
            if value is None:
                return SPREAD_NO_LABEL
            if totals.get((key, value), 0) > most:
                return SPREAD
        return None

    return check


def _with_moved(counted: Sequence[_Counted], node: NodeInfo) -> Rejection | None:
    """The verdict on a node with other pods than it has in the snapshot."""
    for one in counted:
        value = node.facts.labels.get(one.spread.topology_key)
        if value is None:
            return SPREAD_NO_LABEL
        if one.tally.at(node, (one.spread.topology_key, value)) > one.most(node):
            return SPREAD
    return None


def _helped(pod: PodInfo, change: Change, _known: Known) -> bool:
    """A pod that is counted came, went or changed; or a node that is counted did."""
    spreads = [spread for spread in pod.spreads if spread.required]
    if change.kind in _OF_PODS:
        groups = [one.group for one in (change.pod, change.pod_before) if one is not None]
        return any(
            group.namespace == pod.namespace and spread.selector.matches(dict(group.labels)) for group in groups for spread in spreads
        )
    facts = [one for one in (change.node, change.node_before) if one is not None]
    return any(all(spread.topology_key in one.labels for spread in spreads) for one in facts)


POD_TOPOLOGY_SPREAD = Filter("PodTopologySpread", _required, (*_OF_NODES, *_OF_PODS), _helped, of_node_alone=False)


def _preferred(pod: PodInfo, cycle: Cycle) -> Scorer | None:
    """The fewer of its like there are in a node's domains, the better; the more domains there are, the more each pod counts."""
    if pod.spreads:
        spreads = tuple(spread for spread in pod.spreads if not spread.required)
    else:  # what no node has says nothing of any
        spreads = tuple(spread for spread in default_spreads(pod, cycle.known) if spread.topology_key in cycle.snapshot.labelled)
    if not spreads:
        return None
    needed = tuple(dict.fromkeys(spread.topology_key for spread in spreads)) if pod.spreads else ()
    parts: list[_Part] = []

    def begin() -> Steps[None]:
        for spread in spreads:
            parts.append(_part(spread, needed, pod, cycle))
            if cycle.turn.is_over(limits.STEPS_A_NODE):
                yield

    cycle.begin(begin())

    def look(node: NodeInfo) -> _Look:
        labels = node.facts.labels
        return tuple([part.value(node) for part in parts]) if all(key in labels for key in needed) else None

    def worth(kinds: Kinds[_Look]) -> Steps[list[int]]:
        there = [look for look in kinds.looks if look is not None]
        nodes = kinds.total - sum([kinds.number(at) for at, look in enumerate(kinds.looks) if look is None])
        weights: list[float] = []
        for at, part in enumerate(parts):
            weights.append(part.weight(nodes, {look[at] for look in there}))
            if cycle.turn.is_over(len(there)):
                yield
        raw: list[int] = []
        for look in kinds.looks:
            raw.append(_LEFT_OUT if look is None else _rounded(parts, weights, look))
            if cycle.turn.is_over(len(parts)):
                yield
        return raw

    default = () if pod.spreads else tuple([(spread.topology_key, spread.selector) for spread in spreads])
    return Scorer.of(look, worth, (pod.namespace, default))


_Value: TypeAlias = int | str | None
"""How many pods like this are on a node, or which domain it is in; None where it lacks the label."""
_Look: TypeAlias = tuple[_Value, ...] | None
"""What each constraint sees of a node; None for one that lacks a label it needs."""


class _Part(NamedTuple):
    """What one constraint says of nodes."""

    label: str
    skew: float
    contribute: Contribute
    tally: Tally | None
    """How many pods there are in each domain; None where each node is one."""

    def value(self, node: NodeInfo) -> _Value:
        """What it sees of a node."""
        value = node.facts.labels.get(self.label)
        return value if value is None or self.tally is not None else sum([count for _, count in self.contribute(node)])

    def weight(self, nodes: int, values: set[_Value]) -> float:
        """How much each pod counts where so many nodes have these values."""
        return log((nodes if self.tally is None else len(values - {None})) + 2)

    def worth(self, value: _Value, weight: float) -> float:
        """The more pods like this, the more; nothing for a node without the label."""
        if value is None:
            return 0.0
        totals = {} if self.tally is None else self.tally.totals
        total = value if isinstance(value, int) else totals.get((self.label, value), 0)
        return total * weight + self.skew


def _part(spread: Spread, needed: tuple[str, ...], pod: PodInfo, cycle: Cycle) -> _Part:
    label = spread.topology_key
    counting = _counting(spread, needed, pod, cycle)
    tally = None if label == cycle.known.keys.hostname_label else cycle.tally(*counting)
    return _Part(label, spread.max_skew - 1.0, counting.contribute, tally)


def _rounded(parts: Sequence[_Part], weights: Sequence[float], look: tuple[_Value, ...]) -> int:
    """What all constraints together say where there are these values."""
    return int(sum([part.worth(value, weight) for part, weight, value in zip(parts, weights, look, strict=True)], 0.0) + 0.5)


def _evenest_best(raw: list[int]) -> list[int]:
    values = set(raw)  # there are few beside the nodes
    there = values - {_LEFT_OUT}
    least, most = min(there, default=0), max(there, default=0)
    points = {value: MAX_SCORE * (most + least - value) // most if most else MAX_SCORE for value in there} | {_LEFT_OUT: 0}
    return [points[value] for value in raw]


SPREAD_SCORE = Score("PodTopologySpread", 2, _preferred, _evenest_best)


def default_spreads(pod: PodInfo, known: Known) -> tuple[Spread, ...]:
    """How pods are spread that don't say how; not at all where nothing selects them."""
    selector = known.default_selector(pod)
    if selector.empty:
        return ()
    keys = ((known.keys.hostname_label, _HOST_SKEW), (known.keys.zone_label, _ZONE_SKEW))
    return tuple(Spread(skew, key, selector, 1, honours_affinity=True, honours_taints=False, required=False) for key, skew in keys)


class _Counting(NamedTuple):
    """What a tally counts, and how."""

    key: Hashable
    contribute: Contribute


def _counting(spread: Spread, keys: tuple[str, ...], pod: PodInfo, cycle: Cycle) -> _Counting:
    """The pods that a constraint counts, by domain, on nodes that have all of these labels and that it takes into account."""
    needs, namespace, tolerates = pod.needs, pod.namespace, cycle.tolerates
    limited = spread.honours_affinity and (needs.node_selector or needs.node_terms is not None)
    likes = _Likes(spread.selector, namespace)

    def contribute(node: NodeInfo) -> Share:
        labels = node.facts.labels
        value = labels.get(spread.topology_key)
        if value is None or not all(key in labels for key in keys) or (limited and not allows(pod, labels, node.name)):
            return ()
        if spread.honours_taints and untolerated(node.facts.taints, tolerates, (NO_SCHEDULE, NO_EXECUTE)) is not None:
            return ()
        return (((spread.topology_key, value), likes.count(node)),)

    of_needs = id(needs) if limited or spread.honours_taints else 0
    key = ("spread", namespace, spread.topology_key, spread.selector, id(pod.spreads) if keys else 0, bool(limited), of_needs)
    return _Counting((*key, spread.honours_taints, spread.required), contribute)


class _Likes:
    """Which pods a selector counts. Pods look alike by the thousands; each look is judged once."""

    def __init__(self, selector: LabelSelector, namespace: str) -> None:
        self._selector = selector
        self._namespace = namespace
        self._known: dict[Group, bool] = {}

    def count(self, node: NodeInfo) -> int:
        """How many on a node. An empty selector, as in Kubernetes, counts nobody."""
        if self._selector.empty:
            return 0
        return sum(number for group, number in node.groups.items() if self._counts(group))

    def _counts(self, group: Group) -> bool:
        known = self._known.get(group)
        if known is None:
            here = group.namespace == self._namespace and not group.terminating
            known = self._known[group] = here and self._selector.matches(dict(group.labels))
        return known
