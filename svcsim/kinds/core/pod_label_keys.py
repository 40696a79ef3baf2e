"""Label keys in a new pod's terms about other pods: what they mean is written into the selectors, by the labels that it has then.

So a scheduler needs to look at nothing but the selector, and the pod's labels may change afterwards.
"""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def merge_label_keys(pod: Object, context: Context) -> None:
    """Narrow the selectors of affinities and of spreading. A term without a selector means no pods, and goes on so."""
    spec, labels = pod["spec"], pod["metadata"].get("labels") or {}
    if affinity := spec.get("affinity"):
        spec["affinity"] = {name: _affinity(part, labels) if name in _ABOUT_PODS else part for name, part in affinity.items()}
    if constraints := spec.get("topologySpreadConstraints"):
        spec["topologySpreadConstraints"] = [_merged(one, labels) for one in constraints]


_ABOUT_PODS = ("podAffinity", "podAntiAffinity")
_OPERATORS = (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))


def _affinity(affinity: Object, labels: Object) -> Object:
    return {name: [_term(term, labels) for term in terms] for name, terms in affinity.items()}


def _term(term: Object, labels: Object) -> Object:
    """A term, or one with a weight."""
    inner = term.get("podAffinityTerm")
    return _merged(term, labels) if inner is None else {**term, "podAffinityTerm": _merged(inner, labels)}


def _merged(term: Object, labels: Object) -> Object:
    selector = term.get("labelSelector")
    added = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for name, operator in _OPERATORS
        for key in term.get(name) or ()
        if key in labels
    ]
    if selector is None or not added:
        return term
    return {**term, "labelSelector": {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *added]}}
