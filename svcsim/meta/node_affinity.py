"""Which nodes a pod may go to by their labels and names: its node selector, and its required node affinity.

The scheduler asks it of every pod, the DaemonSet controller of every node, so the answer stands here, below both.
"""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.types import Json, Object

NAME_FIELD = "metadata.name"
"""The one field of a node that an affinity may name."""
_EVERYTHING = LabelSelector()
_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!", "Gt": ">", "Lt": "<"}


class NodeTerm(NamedTuple):
    """One term of a node affinity: the node's labels and its name must fit."""

    labels: LabelSelector
    names: LabelSelector
    weight: int = 0

    def fits(self, labels: dict[str, str], name: str) -> bool:
        """Whether a node of these labels and that name is meant."""
        return self.labels.matches(labels) and (self.names is _EVERYTHING or self.names.matches({NAME_FIELD: name}))


def node_affinity_of(spec: Object) -> Object:
    """The node affinity in a pod's spec; empty where there is none."""
    affinity: Object = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return affinity


def required_terms(affinity: Object) -> tuple[NodeTerm, ...] | None:
    """The required terms of a node affinity, one of which must fit. None requires nothing; an empty tuple fits nowhere."""
    return selector_terms(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))


def volume_terms(volume: Object) -> tuple[NodeTerm, ...] | None:
    """The terms of a persistent volume, one of which fits the nodes that can reach it, as with `required_terms`."""
    return selector_terms((volume["spec"].get("nodeAffinity") or {}).get("required"))


def selector_terms(selector: Object | None) -> tuple[NodeTerm, ...] | None:
    """The terms of a node selector, if there is one, as with `required_terms`."""
    if selector is None:
        return None
    terms = (node_term(term) for term in selector.get("nodeSelectorTerms") or ())
    return tuple(term for term in terms if term is not None)


class NodeChoice(NamedTuple):
    """The nodes that a pod's spec allows, by its selector and by what its affinity requires."""

    selector: dict[str, str]
    terms: tuple[NodeTerm, ...] | None

    def fits(self, labels: dict[str, str], name: str) -> bool:
        """Whether a node is one of them."""
        if any(labels.get(key) != value for key, value in self.selector.items()):
            return False
        return self.terms is None or any(term.fits(labels, name) for term in self.terms)


def node_choice(spec: Object) -> NodeChoice:
    """What a pod's spec says of nodes."""
    return NodeChoice(spec.get("nodeSelector") or {}, required_terms(node_affinity_of(spec)))


def preferred_terms(affinity: Object) -> tuple[NodeTerm, ...]:
    """The preferred terms of a node affinity: nodes that they fit are preferred, by the weight of each."""
    preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    terms = (node_term(item.get("preference") or {}, item.get("weight") or 0) for item in preferred)
    return tuple(term for term in terms if term is not None)


def node_term(term: Object, weight: int = 0) -> NodeTerm | None:
    """None for a term without any condition: it fits no node."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return None
    return NodeTerm(_selector(expressions), _selector(fields), weight)


def _selector(expressions: Sequence[Json]) -> LabelSelector:
    return LabelSelector(map(_requirement, expressions)) if expressions else _EVERYTHING


def _requirement(expression: Json) -> Requirement:
    values = expression.get("values") or ()
    return Requirement(expression["key"], _OPERATORS[expression["operator"]], tuple(sorted(values) if len(values) > 1 else values))
