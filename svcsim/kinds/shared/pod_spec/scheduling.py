"""Where a pod may run: affinity, tolerations and spreading."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import each, label_key, one_of, positive
from svcsim.kinds.shared.references import STRINGS
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import label_value, qualified_name
from svcsim.meta.types import Json
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, List, Str, Struct

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_MATCH_FIELDS = ("metadata.name",)


def _requirement_rules(value: Json, path: str) -> Iterator[FieldError]:
    operator, values = value.get("operator"), value.get("values") or ()
    match operator:
        case "In" | "NotIn":
            if not values:
                yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        case "Exists" | "DoesNotExist":
            if values:
                yield forbidden_field(f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        case "Gt" | "Lt":
            if len(values) != 1:
                yield required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
        case _:
            yield invalid_value(f"{path}.operator", operator, "not a valid selector operator")


def _label_named(value: Json, path: str) -> Iterator[FieldError]:
    yield from label_key(value.get("key") or "", f"{path}.key")


def _field_rules(requirements: Json, path: str) -> Iterator[FieldError]:
    """Of a node's fields only its name can be asked for, and one at a time."""
    for index, value in enumerate(requirements):
        where = f"{path}[{index}]"
        if value.get("operator") not in ("In", "NotIn"):
            yield invalid_value(f"{where}.operator", value.get("operator"), "not a valid selector operator")
        elif len(value.get("values") or ()) != 1:
            yield required(f"{where}.values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
        if value.get("key") not in _MATCH_FIELDS:
            yield invalid_value(f"{where}.key", value.get("key"), "not a valid field selector key")


def _terms_needed(terms: Json, path: str) -> Iterator[FieldError]:
    if not terms:
        yield required(path, "must have at least one node selector term")


def _weight(value: Json, path: str) -> Iterator[FieldError]:
    if not 1 <= value <= 100:
        yield invalid_value(path, value, "must be in the range 1-100")


def _place_needed(value: Json, path: str) -> Iterator[FieldError]:
    key = value.get("topologyKey")
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    else:
        yield from (invalid_value(f"{path}.topologyKey", key, finding) for finding in qualified_name(key))


def _toleration_rules(value: Json, path: str) -> Iterator[FieldError]:
    key, operator, effect, text = (value.get(name) or "" for name in ("key", "operator", "effect", "value"))
    if key:
        yield from label_key(key, f"{path}.key")
    elif operator != "Exists":
        told = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid_value(f"{path}.operator", operator, told)
    if value.get("tolerationSeconds") is not None and effect != "NoExecute":
        yield invalid_value(f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    if operator in ("Equal", ""):
        if findings := label_value(text):
            yield invalid_value(f"{path}.operator", text, ";".join(findings))
    elif operator == "Exists":
        if text:
            yield invalid_value(f"{path}.operator", value, "value must be empty when `operator` is 'Exists'")
    else:
        yield unsupported(f"{path}.operator", operator, ("Equal", "Exists"))
    if effect:
        yield from one_of(*_EFFECTS)(effect, f"{path}.effect")


def _skew(value: Json, path: str) -> Iterator[FieldError]:
    if value <= 0:
        yield invalid_value(path, value, "must be greater than zero")


def _spread_rules(value: Json, path: str) -> Iterator[FieldError]:
    yield from _place_needed(value, path)
    if value.get("minDomains") is not None and value.get("whenUnsatisfiable") != "DoNotSchedule":
        told = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {value.get('whenUnsatisfiable')}"
        yield invalid_value(f"{path}.minDomains", value["minDomains"], told)


def each_place_once(constraints: Json, path: str) -> Iterator[FieldError]:
    """No two constraints speak of the same places in the same way."""
    seen: set[tuple[str, str]] = set()
    for index, value in enumerate(constraints):
        identity = (value.get("topologyKey") or "", value.get("whenUnsatisfiable") or "")
        if identity in seen:
            yield duplicate(f"{path}[{index}].{{topologyKey, whenUnsatisfiable}}", f"{{{identity[0]}, {identity[1]}}}")
        seen.add(identity)


NODE_SELECTOR_REQUIREMENT = Struct(
    "NodeSelectorRequirement",
    Field(1, "key", Str(), "The label, or the field", required=True),
    Field(2, "operator", Str(), "In, NotIn, Exists, DoesNotExist, Gt or Lt", required=True),
    Field(3, "values", STRINGS, "The values it is compared with"),
    doc="A condition on a node",
)
_REQUIREMENTS = List(NODE_SELECTOR_REQUIREMENT, kind="atomic")
NODE_SELECTOR_TERM = Struct(
    "NodeSelectorTerm",
    Field(1, "matchExpressions", _REQUIREMENTS, "Conditions on the node's labels", rules=(each(_requirement_rules), each(_label_named))),
    Field(2, "matchFields", _REQUIREMENTS, "Conditions on the node's fields", rules=(_field_rules,)),
    atomic=True,
    doc="Conditions that must all hold; without any, no node fits",
)
NODE_SELECTOR = Struct(
    "NodeSelector",
    Field(
        1,
        "nodeSelectorTerms",
        List(NODE_SELECTOR_TERM, kind="atomic"),
        "Terms of which one must hold",
        required=True,
        presence=True,
        rules=(_terms_needed,),
    ),
    atomic=True,
    doc="A choice of nodes",
)
PREFERRED_SCHEDULING_TERM = Struct(
    "PreferredSchedulingTerm",
    Field(1, "weight", Int(), "How much it counts, from 1 to 100", required=True, rules=(_weight,)),
    Field(2, "preference", NODE_SELECTOR_TERM, "Which nodes are preferred", required=True),
    doc="A preference for nodes",
)
NODE_AFFINITY = Struct(
    "NodeAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", NODE_SELECTOR, "Nodes the pod may be put on"),
    Field(
        2,
        "preferredDuringSchedulingIgnoredDuringExecution",
        List(PREFERRED_SCHEDULING_TERM, kind="atomic"),
        "Nodes the pod is better put on",
    ),
    doc="Which nodes attract the pod",
)
POD_AFFINITY_TERM = Struct(
    "PodAffinityTerm",
    Field(1, "labelSelector", LABEL_SELECTOR, "Which pods are meant"),
    Field(2, "namespaces", STRINGS, "Namespaces of those pods; the own one if neither is set"),
    Field(3, "topologyKey", Str(), "The node label whose equal values make a place", required=True, default=""),
    Field(4, "namespaceSelector", LABEL_SELECTOR, "Namespaces of those pods, by label; {} for all"),
    Field(5, "matchLabelKeys", STRINGS, "Labels whose values must be the pod's own"),
    Field(6, "mismatchLabelKeys", STRINGS, "Labels whose values must not be the pod's own"),
    rules=(_place_needed,),
    doc="Pods to be near to, or far from, and what near means",
)
WEIGHTED_POD_AFFINITY_TERM = Struct(
    "WeightedPodAffinityTerm",
    Field(1, "weight", Int(), "How much it counts, from 1 to 100", required=True, rules=(_weight,)),
    Field(2, "podAffinityTerm", POD_AFFINITY_TERM, "Pods to be near to, or far from", required=True),
    doc="A preference about other pods",
)
_TERMS = List(POD_AFFINITY_TERM, kind="atomic")
_WEIGHTED_TERMS = List(WEIGHTED_POD_AFFINITY_TERM, kind="atomic")
POD_AFFINITY = Struct(
    "PodAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must be near"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that are better near"),
    doc="Which pods attract the pod",
)
POD_ANTI_AFFINITY = Struct(
    "PodAntiAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must not be near"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that are better not near"),
    doc="Which pods repel the pod",
)
AFFINITY = Struct(
    "Affinity",
    Field(1, "nodeAffinity", NODE_AFFINITY, "Which nodes attract the pod"),
    Field(2, "podAffinity", POD_AFFINITY, "Which pods attract the pod"),
    Field(3, "podAntiAffinity", POD_ANTI_AFFINITY, "Which pods repel the pod"),
    doc="What attracts and repels the pod",
)
TOLERATION = Struct(
    "Toleration",
    Field(1, "key", Str(), "The taint's key; empty for all keys, with operator Exists"),
    Field(2, "operator", Str(), "Exists, Equal, Lt or Gt; Equal if unset"),
    Field(3, "value", Str(), "The taint's value, unless the operator is Exists"),
    Field(4, "effect", Str(), "NoSchedule, PreferNoSchedule or NoExecute; empty for all"),
    Field(5, "tolerationSeconds", Int(bits=64), "How long a NoExecute taint is borne; for ever if unset"),
    rules=(_toleration_rules,),
    doc="A taint the pod bears",
)
TOPOLOGY_SPREAD_CONSTRAINT = Struct(
    "TopologySpreadConstraint",
    Field(1, "maxSkew", Int(), "How many more pods one place may have than another", required=True, rules=(_skew,)),
    Field(2, "topologyKey", Str(), "The node label whose equal values make a place", required=True, default=""),
    Field(
        3, "whenUnsatisfiable", Str(), "DoNotSchedule or ScheduleAnyway", required=True, rules=(one_of("DoNotSchedule", "ScheduleAnyway"),)
    ),
    Field(4, "labelSelector", LABEL_SELECTOR, "Which pods are counted"),
    Field(5, "minDomains", Int(), "Places there must be at least", rules=(positive,)),
    Field(6, "nodeAffinityPolicy", Str(), "Honor or Ignore the pod's choice of nodes; Honor if unset", rules=(one_of("Honor", "Ignore"),)),
    Field(7, "nodeTaintsPolicy", Str(), "Honor or Ignore taints of nodes; Ignore if unset", rules=(one_of("Honor", "Ignore"),)),
    Field(8, "matchLabelKeys", STRINGS, "Labels whose values must be the pod's own"),
    rules=(_spread_rules,),
    doc="How evenly pods are spread",
)
