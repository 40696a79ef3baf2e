"""PodTopologySpread: that pods of a kind are spread evenly over zones, hosts, or whatever a constraint names.

Constraints that must hold keep pods from nodes; those that had better hold make nodes better or worse. A pod without any is spread over
hosts and zones all the same, with the others that its services or its controller select.
"""

from collections.abc import Collection, Sequence
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
from svcsim.scheduler.rules import MAX_SCORE, Candidates, Check, Filter, Rejection, Score, Scorer
from svcsim.scheduler.tally import Domain, Share, Tally
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
            counted.append(_Counted(spread, _tally(spread, keys, pod, cycle), int(spread.selector.matches(labels))))
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


def _preferred(pod: PodInfo, cycle: Cycle, candidates: Candidates) -> Scorer | None:
    """The fewer of its like there are in a node's domains, the better; the more domains there are, the more each pod counts."""
    labelled, everywhere = cycle.snapshot.labelled, len(cycle.snapshot.nodes)
    if pod.spreads:
        spreads = tuple(spread for spread in pod.spreads if not spread.required)
    else:  # what no node has says nothing of any
        spreads = tuple(spread for spread in default_spreads(pod, cycle.known) if spread.topology_key in labelled)
    if not spreads:
        return None
    keys = tuple(dict.fromkeys(spread.topology_key for spread in spreads))
    needed = keys if pod.spreads else ()
    nodes = candidates.nodes
    left_out = {node.name: None for node in nodes if not all(key in node.facts.labels for key in needed)} if needed else {}
    hostname = cycle.known.keys.hostname_label
    parts: list[_Weighed] = []

    def begin() -> Steps[None]:
        for spread in spreads:
            on_host = spread.topology_key == hostname
            column = cycle.snapshot.column(spread.topology_key)
            size = len(nodes) - len(left_out) if on_host else _values(column, candidates, left_out)
            tally = _tally(spread, needed, pod, cycle)
            on_all = labelled.get(spread.topology_key) == everywhere
            layout = cycle.snapshot.layout
            parts.append(_Weighed(tally, spread.topology_key, column, layout, log(size + 2), spread.max_skew - 1.0, on_host, on_all))
            if cycle.turn.is_over(limits.STEPS_A_NODE + len(nodes)):
                yield

    cycle.begin(begin())

    def score(some: Candidates) -> list[int]:
        if some.layout == cycle.snapshot.layout and all(part.is_of(some.layout) for part in parts):
            there = list(zip(*(part.at(some) for part in parts), strict=True))
        else:  # some node went meanwhile, and others have its position now
            there = [tuple([part.of(node) for part in parts]) for node in some.nodes]
        worth = {values: _rounded(parts, values) for values in set(there)}  # there are few beside the nodes
        raw = [worth[values] for values in there]
        return [_LEFT_OUT if node.name in left_out else value for node, value in zip(some.nodes, raw, strict=True)] if left_out else raw

    return score


def _values(column: Sequence[str | None], candidates: Candidates, left_out: Collection[str]) -> int:
    """How many values a label has on nodes that aren't left out."""
    there = candidates.of_each(column)
    if left_out:
        there = tuple([value for node, value in zip(candidates.nodes, there, strict=True) if node.name not in left_out])
    values = set(there)
    return len(values) - (None in values)


_Value: TypeAlias = int | str | None
"""How many pods like this are on a node, or which domain it is in; None where it lacks the label."""


class _Weighed(NamedTuple):
    """What one constraint says of nodes."""

    tally: Tally
    label: str
    column: Sequence[str | None]
    """What nodes have for the label, by position."""
    layout: int
    """The layout of the snapshot whose positions these are."""
    weight: float
    skew: float
    on_host: bool
    on_all: bool
    """Whether there is no node without the label."""

    def is_of(self, layout: int) -> bool:
        """Whether all positions are those of a layout."""
        return layout == self.layout == self.tally.layout

    def at(self, some: Candidates) -> Sequence[_Value]:
        """What there is at nodes that stand where they stood."""
        if not self.on_host:
            return some.of_each(self.column)
        on_nodes = some.of_each(self.tally.on_node)
        if self.on_all:
            return on_nodes
        return [None if name is None else here for name, here in zip(some.of_each(self.column), on_nodes, strict=True)]

    def of(self, node: NodeInfo) -> _Value:
        """What there is at a node, wherever it stands by now."""
        value = node.facts.labels.get(self.label)
        return self.tally.of_node(node.name) if self.on_host and value is not None else value

    def worth(self, value: _Value) -> float:
        """The more pods like this, the more; nothing for a node without the label."""
        if value is None:
            return 0.0
        total = value if isinstance(value, int) else self.tally.totals.get((self.label, value), 0)
        return total * self.weight + self.skew


def _rounded(parts: Sequence[_Weighed], values: Sequence[_Value]) -> int:
    """What all constraints together say where there are these values."""
    return int(sum([part.worth(value) for part, value in zip(parts, values, strict=True)], 0.0) + 0.5)


def _evenest_best(raw: Sequence[int]) -> list[int]:
    values = set(raw)  # there are few beside the nodes
    there = values - {_LEFT_OUT}
    least, most = min(there, default=0), max(there, default=0)
    points = {value: MAX_SCORE * (most + least - value) // most if most else MAX_SCORE for value in there} | {_LEFT_OUT: 0}
    return [points[value] for value in raw]


SPREAD_SCORE = Score("PodTopologySpread", 2, _preferred, _evenest_best, of_node_alone=False)


def default_spreads(pod: PodInfo, known: Known) -> tuple[Spread, ...]:
    """How pods are spread that don't say how; not at all where nothing selects them."""
    selector = known.default_selector(pod)
    if selector.empty:
        return ()
    keys = ((known.keys.hostname_label, _HOST_SKEW), (known.keys.zone_label, _ZONE_SKEW))
    return tuple(Spread(skew, key, selector, 1, honours_affinity=True, honours_taints=False, required=False) for key, skew in keys)


def _tally(spread: Spread, keys: tuple[str, ...], pod: PodInfo, cycle: Cycle) -> Tally:
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
    return cycle.tally((*key, spread.honours_taints, spread.required), contribute)


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
