"""Where a pod may run: affinity, tolerations and spreading."""

from collections.abc import Iterable, Iterator

from svcsim.kinds.shared.checks import each, label_key, one_of, true_if
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import INCLUSION_POLICY, NODE_OPERATOR, SPREADING, TAINT_EFFECT, TOLERATION_OPERATOR
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, dns_subdomain, label_value
from svcsim.meta.types import Json
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, List, Str, Struct

_EFFECT = one_of("NoSchedule", "PreferNoSchedule", "NoExecute")
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


def _label_values(requirements: Json, path: str) -> Iterator[FieldError]:
    """Values that a label can have: of requirements that must be met; a preference may be for what nobody has."""
    for index, value in enumerate(requirements):
        for position, text in enumerate(value.get("values") or ()):
            yield from (invalid_value(f"{path}[{index}].values[{position}]", text, finding) for finding in label_value(text))


def _required_terms(terms: Json, path: str) -> Iterator[FieldError]:
    if not terms:
        yield required(path, "must have at least one node selector term")
    for index, term in enumerate(terms):
        yield from _label_values(term.get("matchExpressions") or (), f"{path}[{index}].matchExpressions")


def _label_named(value: Json, path: str) -> Iterator[FieldError]:
    yield from label_key(value.get("key") or "", f"{path}.key")


def _field_rules(requirements: Json, path: str) -> Iterator[FieldError]:
    """The rules of ``matchFields``: a node's name is the only field, and each requirement has one value."""
    for index, value in enumerate(requirements):
        where = f"{path}[{index}]"
        if value.get("operator") not in ("In", "NotIn"):
            yield invalid_value(f"{where}.operator", value.get("operator"), "not a valid selector operator")
        elif len(value.get("values") or ()) != 1:
            yield required(f"{where}.values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
        if value.get("key") not in _MATCH_FIELDS:
            yield invalid_value(f"{where}.key", value.get("key"), "not a valid field selector key")
            continue
        for position, name in enumerate(value.get("values") or ()):
            yield from (invalid_value(f"{where}.values[{position}]", name, finding) for finding in dns_subdomain(name))


@true_if(lambda value: 1 <= value <= 100)
def _weight(value: Json, path: str) -> Iterable[FieldError]:
    return (invalid_value(path, value, "must be in the range 1-100"),)


def _pod_term_rules(value: Json, path: str) -> list[FieldError]:
    """Namespaces and a topology that can be, and labels of the pod's own that no selector names too."""
    findings: list[FieldError] = []
    for name in value.get("namespaces") or ():
        findings += [invalid_value(f"{path}.namespace", name, finding) for finding in dns_label(name)]
    if "matchLabelKeys" in value or "mismatchLabelKeys" in value:
        findings += _label_keys(value, path)
    key = value.get("topologyKey") or ""
    if not key:
        findings.append(required(f"{path}.topologyKey", "can not be empty"))
    if not label_key.holds(key):
        findings += label_key.told(key, f"{path}.topologyKey")
    return findings


def _label_keys(value: Json, path: str) -> Iterator[FieldError]:
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = value.get(name) or ()
        if keys and value.get("labelSelector") is None:
            yield forbidden_field(f"{path}.{name}", "must not be specified when labelSelector is not set")
            continue
        for index, key in enumerate(keys):
            yield from label_key(key, f"{path}.{name}[{index}]")
    matched, others = value.get("matchLabelKeys") or (), value.get("mismatchLabelKeys") or ()
    yield from _selected_already(matched, value.get("labelSelector") or {}, path)
    for index, key in enumerate(matched):
        if key in others:
            yield invalid_value(f"{path}.matchLabelKeys[{index}]", key, "exists in both matchLabelKeys and mismatchLabelKeys")


def _selected_already(matched: Json, selector: Json, path: str) -> Iterator[FieldError]:
    """A pod's selectors have one requirement for each of its label keys: what it was made with. A second for that label is the user's own.

    As in Kubernetes, the path is that of the term with the key's place in ``matchLabelKeys``.
    """
    places = {key: index for index, key in enumerate(matched)}
    named = set(selector.get("matchLabels") or ())
    for requirement in selector.get("matchExpressions") or ():
        key = requirement.get("key")
        if key in places and key in named:
            yield invalid_value(f"{path}[{places[key]}]", key, "exists in both matchLabelKeys and labelSelector")
        named.add(key)


def _toleration_rules(value: Json, path: str) -> list[FieldError]:
    key, operator, effect, text = value.get("key"), value.get("operator") or "", value.get("effect") or "", value.get("value") or ""
    findings: list[FieldError] = []
    if key:
        if not label_key.holds(key):
            findings += label_key.told(key, f"{path}.key")
    elif operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        findings.append(invalid_value(f"{path}.operator", operator, detail))
    if value.get("tolerationSeconds") is not None and effect != "NoExecute":
        detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        findings.append(invalid_value(f"{path}.effect", effect, detail))
    if operator in ("Equal", ""):
        if wrong := label_value(text):
            findings.append(invalid_value(f"{path}.operator", text, ";".join(wrong)))
    elif operator == "Exists":
        if text:
            findings.append(invalid_value(f"{path}.operator", text, "value must be empty when `operator` is 'Exists'"))
    else:
        findings.append(unsupported(f"{path}.operator", operator, ("Equal", "Exists")))
    if effect and not _EFFECT.holds(effect):
        findings += _EFFECT.told(effect, f"{path}.effect")
    return findings


@true_if(lambda value: value > 0)
def _skew(value: Json, path: str) -> Iterable[FieldError]:
    return (invalid_value(path, value, "must be greater than zero"),)


def _spread_rules(value: Json, path: str) -> Iterator[FieldError]:
    if not value.get("topologyKey"):
        yield required(f"{path}.topologyKey", "can not be empty")
    if value.get("matchLabelKeys"):
        yield from _label_keys(value, path)
    if value.get("minDomains") is not None and value.get("whenUnsatisfiable") != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {value.get('whenUnsatisfiable')}"
        yield invalid_value(f"{path}.minDomains", value["minDomains"], detail)


def each_topology_once(constraints: Json, path: str) -> Iterator[FieldError]:
    """No two constraints have the same topology key and effect: the earlier ones are told."""
    if len(constraints) < 2:
        return
    pairs = [(value.get("topologyKey") or "", value.get("whenUnsatisfiable") or "") for value in constraints]
    for index, (key, effect) in enumerate(pairs):
        if (key, effect) in pairs[index + 1 :]:
            yield duplicate(f"{path}[{index}].{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {effect}}}")


NODE_SELECTOR_REQUIREMENT = Struct(
    "NodeSelectorRequirement",
    Field(1, "key", Str(), "Key of the label, or name of the field", required=True),
    Field(2, "operator", NODE_OPERATOR, "How the value relates to the values", required=True),
    Field(3, "values", STRINGS, "Values to compare with"),
    doc="A requirement for a label or field of a node",
)
_REQUIREMENTS = List(NODE_SELECTOR_REQUIREMENT, list_type="atomic")
NODE_SELECTOR_TERM = Struct(
    "NodeSelectorTerm",
    Field(
        1, "matchExpressions", _REQUIREMENTS, "Requirements for labels of the node", rules=(each(_requirement_rules), each(_label_named))
    ),
    Field(2, "matchFields", _REQUIREMENTS, "Requirements for fields of the node", rules=(_field_rules,)),
    atomic=True,
    doc="Requirements that must all be met; a term without requirements selects no node",
)
NODE_SELECTOR = Struct(
    "NodeSelector",
    Field(
        1,
        "nodeSelectorTerms",
        List(NODE_SELECTOR_TERM, list_type="atomic"),
        "Terms of which at least one must be met",
        required=True,
        presence=True,
        rules=(_required_terms,),
    ),
    atomic=True,
    doc="Selects nodes",
)
PREFERRED_SCHEDULING_TERM = Struct(
    "PreferredSchedulingTerm",
    Field(1, "weight", Int(), "Weight of the preference, from 1 to 100", required=True, rules=(_weight,)),
    Field(2, "preference", NODE_SELECTOR_TERM, "Term that selects the preferred nodes", required=True),
    doc="A preference for certain nodes",
)
NODE_AFFINITY = Struct(
    "NodeAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", NODE_SELECTOR, "Nodes on which the pod may be scheduled"),
    Field(
        2,
        "preferredDuringSchedulingIgnoredDuringExecution",
        List(PREFERRED_SCHEDULING_TERM, list_type="atomic"),
        "Nodes on which the pod is scheduled by preference",
    ),
    doc="Rules about the nodes on which the pod is scheduled",
)
POD_AFFINITY_TERM = Struct(
    "PodAffinityTerm",
    Field(1, "labelSelector", LABEL_SELECTOR, "Label selector of the pods"),
    Field(
        2, "namespaces", STRINGS, "Names of the namespaces of the pods; that of the pod itself if neither this nor namespaceSelector is set"
    ),
    Field(3, "topologyKey", Str(), "Key of a node label; nodes with the same value form one domain", required=True, default=""),
    Field(4, "namespaceSelector", LABEL_SELECTOR, "Label selector of the namespaces of the pods; {} selects all"),
    Field(5, "matchLabelKeys", STRINGS, "Keys of labels that must have the same values as on the pod itself"),
    Field(6, "mismatchLabelKeys", STRINGS, "Keys of labels that must have other values than on the pod itself"),
    rules=(_pod_term_rules,),
    doc="Pods to be near to or away from, and the domain that counts as near",
)
WEIGHTED_POD_AFFINITY_TERM = Struct(
    "WeightedPodAffinityTerm",
    Field(1, "weight", Int(), "Weight of the preference, from 1 to 100", required=True, rules=(_weight,)),
    Field(2, "podAffinityTerm", POD_AFFINITY_TERM, "Pods to be near to or away from", required=True),
    doc="A preference to be near to or away from other pods",
)
_TERMS = List(POD_AFFINITY_TERM, list_type="atomic")
_WEIGHTED_TERMS = List(WEIGHTED_POD_AFFINITY_TERM, list_type="atomic")
POD_AFFINITY = Struct(
    "PodAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must run in the same domain"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that run in the same domain by preference"),
    doc="Rules about pods near which the pod is scheduled",
)
POD_ANTI_AFFINITY = Struct(
    "PodAntiAffinity",
    Field(1, "requiredDuringSchedulingIgnoredDuringExecution", _TERMS, "Pods that must not run in the same domain"),
    Field(2, "preferredDuringSchedulingIgnoredDuringExecution", _WEIGHTED_TERMS, "Pods that run in another domain by preference"),
    doc="Rules about pods away from which the pod is scheduled",
)
AFFINITY = Struct(
    "Affinity",
    Field(1, "nodeAffinity", NODE_AFFINITY, "Rules about the nodes on which the pod is scheduled"),
    Field(2, "podAffinity", POD_AFFINITY, "Rules about pods near which the pod is scheduled"),
    Field(3, "podAntiAffinity", POD_ANTI_AFFINITY, "Rules about pods away from which the pod is scheduled"),
    doc="Rules about the nodes and other pods near which the pod is scheduled",
)
TOLERATION = Struct(
    "Toleration",
    Field(1, "key", Str(), "Key of the tolerated taint; empty with operator Exists tolerates all keys"),
    Field(2, "operator", TOLERATION_OPERATOR, "How the value is compared with that of the taint; Equal if unset"),
    Field(3, "value", Str(), "Value to compare with; must be empty with operator Exists"),
    Field(4, "effect", TAINT_EFFECT, "Tolerated effect; empty tolerates all effects"),
    Field(5, "tolerationSeconds", Int(bits=64), "Seconds for which a NoExecute taint is tolerated; forever if unset"),
    rules=(_toleration_rules,),
    doc="Lets a pod be scheduled on, or stay on, a node with a matching taint",
)
TOPOLOGY_SPREAD_CONSTRAINT = Struct(
    "TopologySpreadConstraint",
    Field(1, "maxSkew", Int(), "Largest allowed difference in the number of pods between two domains", required=True, rules=(_skew,)),
    Field(2, "topologyKey", Str(), "Key of a node label; nodes with the same value form one domain", required=True, default=""),
    Field(
        3,
        "whenUnsatisfiable",
        SPREADING,
        "What to do if the constraint cannot be met",
        required=True,
        rules=(one_of(*SPREADING.values),),
    ),
    Field(4, "labelSelector", LABEL_SELECTOR, "Label selector of the pods that are counted"),
    Field(5, "minDomains", Int(), "Smallest number of domains", rules=(_skew,)),
    Field(
        6,
        "nodeAffinityPolicy",
        INCLUSION_POLICY,
        "Whether nodes that the pod does not select are left out; Honor if unset",
        rules=(one_of(*INCLUSION_POLICY.values),),
        presence=True,
    ),
    Field(
        7,
        "nodeTaintsPolicy",
        INCLUSION_POLICY,
        "Whether nodes with taints that the pod does not tolerate are left out; Ignore if unset",
        rules=(one_of(*INCLUSION_POLICY.values),),
        presence=True,
    ),
    Field(8, "matchLabelKeys", STRINGS, "Keys of labels that must have the same values as on the pod itself"),
    rules=(_spread_rules,),
    doc="How evenly pods are spread over domains, such as zones or nodes",
)
