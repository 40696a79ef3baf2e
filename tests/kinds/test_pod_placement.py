"""What makes terms for nodes and other pods wrong, spreading, and tolerations."""

import pytest

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import created
from tests.kinds.wrong_pods import LABEL, LABEL_VALUE, QUALIFIED, SUBDOMAIN, check, pod

NODE_TERMS = [
    (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
        ["matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ),
    (
        {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-1"]}]},
        [f'matchExpressions[0].values[0]: Invalid value: "-1": {LABEL_VALUE}'],
    ),
    (
        {"matchExpressions": [{"key": "a b", "operator": "Exists"}]},
        [f'matchExpressions[0].key: Invalid value: "a b": name part {QUALIFIED}'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "Exists"}]},
        ['matchFields[0].operator: Invalid value: "Exists": not a valid selector operator'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]},
        ["matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"],
    ),
    (
        {"matchFields": [{"key": "metadata.namespace", "operator": "In", "values": ["a"]}]},
        ['matchFields[0].key: Invalid value: "metadata.namespace": not a valid field selector key'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["A"]}]},
        [f'matchFields[0].values[0]: Invalid value: "A": {SUBDOMAIN}'],
    ),
]


@pytest.mark.parametrize(("term", "expected"), NODE_TERMS)
def test_terms_for_nodes(term, expected):
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    where = f"spec.affinity.nodeAffinity.{required}.nodeSelectorTerms[0]"
    check(pod(affinity={"nodeAffinity": {required: {"nodeSelectorTerms": [term]}}}), [f"{where}.{text}" for text in expected])


def test_a_preference_may_be_for_a_value_that_no_label_has():
    term = {"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-1"]}]}}
    check(pod(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}), [])
    check(
        pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}),
        [
            (
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: "
                "must have at least one node selector term"
            )
        ],
    )


SELECTOR = {"matchLabels": {"app": "a"}}
POD_TERMS = [
    ({"namespaces": ["ns a"]}, [f'namespace: Invalid value: "ns a": {LABEL}']),
    ({"labelSelector": None, "matchLabelKeys": ["k"]}, ["matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"]),
    (
        {"labelSelector": None, "mismatchLabelKeys": ["k"]},
        ["mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
    ),
    ({"matchLabelKeys": ["/simple"]}, ['matchLabelKeys[0]: Invalid value: "/simple": prefix part must be non-empty']),
    (
        {"matchLabelKeys": ["k"], "mismatchLabelKeys": ["k"]},
        ['matchLabelKeys[0]: Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys'],
    ),
    (
        {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
        ['labelSelector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), POD_TERMS)
def test_terms_for_pods(fields, expected):
    term = {"topologyKey": "zone", "labelSelector": SELECTOR, **fields}
    where = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    check(
        pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}), [f"{where}.{text}" for text in expected]
    )


SPREADS = [
    ({"maxSkew": 0}, ["maxSkew: Invalid value: 0: must be greater than zero"]),
    ({"topologyKey": ""}, ["topologyKey: Required value: can not be empty"]),
    ({"whenUnsatisfiable": "N/A"}, ['whenUnsatisfiable: Unsupported value: "N/A": supported values: "DoNotSchedule", "ScheduleAnyway"']),
    ({"minDomains": -1}, ["minDomains: Invalid value: -1: must be greater than zero"]),
    (
        {"minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"},
        ["minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"],
    ),
    ({"nodeAffinityPolicy": "N/A"}, ['nodeAffinityPolicy: Unsupported value: "N/A": supported values: "Honor", "Ignore"']),
    ({"nodeTaintsPolicy": "N/A"}, ['nodeTaintsPolicy: Unsupported value: "N/A": supported values: "Honor", "Ignore"']),
    (
        {"labelSelector": None, "matchLabelKeys": ["app"]},
        ["matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
    ),
    ({"matchLabelKeys": ["/a"]}, ['matchLabelKeys[0]: Invalid value: "/a": prefix part must be non-empty']),
]


@pytest.mark.parametrize(("fields", "expected"), SPREADS)
def test_spreading(fields, expected):
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR, **fields}
    check(pod(topologySpreadConstraints=[constraint]), [f"spec.topologySpreadConstraints[0].{text}" for text in expected])


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
LABELS = {"app": "a", "rev": "1"}


def labelled(**spec):
    made = pod(**spec)
    made["metadata"]["labels"] = LABELS
    return made


def requirement(key, operator, value):
    return {"key": key, "operator": operator, "values": [value]}


def test_label_keys_of_terms_are_written_into_their_selectors_when_a_pod_is_made():
    own = {"key": "rev", "operator": "Exists"}
    near = {"topologyKey": "zone", "labelSelector": SELECTOR, "matchLabelKeys": ["rev", "not-there"]}
    apart = {"topologyKey": "zone", "labelSelector": {"matchExpressions": [own]}, "mismatchLabelKeys": ["rev"]}
    both = {"topologyKey": "zone", "labelSelector": {}, "matchLabelKeys": ["app"], "mismatchLabelKeys": ["rev"]}
    nobody = {"topologyKey": "zone", "namespaces": ["a"]}
    affinity = {
        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [own]}]}},
        "podAffinity": {REQUIRED: [near, nobody], PREFERRED: [{"weight": 1, "podAffinityTerm": both}]},
        "podAntiAffinity": {REQUIRED: [apart], PREFERRED: [{"weight": 2, "podAffinityTerm": near}]},
    }
    made = created(POD, labelled(affinity=affinity))["spec"]["affinity"]
    narrowed = {**near, "labelSelector": {**SELECTOR, "matchExpressions": [requirement("rev", "In", "1")]}}
    expressions = [requirement("app", "In", "a"), requirement("rev", "NotIn", "1")]
    assert made["podAffinity"][REQUIRED] == [narrowed, nobody]
    assert made["podAffinity"][PREFERRED] == [
        {"weight": 1, "podAffinityTerm": {**both, "labelSelector": {"matchExpressions": expressions}}}
    ]
    assert made["podAntiAffinity"][REQUIRED] == [{**apart, "labelSelector": {"matchExpressions": [own, requirement("rev", "NotIn", "1")]}}]
    assert made["podAntiAffinity"][PREFERRED] == [{"weight": 2, "podAffinityTerm": narrowed}]
    assert made["nodeAffinity"] == affinity["nodeAffinity"]
    check(labelled(affinity=affinity), [])


def test_label_keys_of_spreading_are_written_into_its_selector_when_a_pod_is_made():
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": SELECTOR,
        "matchLabelKeys": ["rev"],
    }
    other = {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR}
    made = created(POD, labelled(topologySpreadConstraints=[spread, other]))["spec"]["topologySpreadConstraints"]
    assert made == [{**spread, "labelSelector": {**SELECTOR, "matchExpressions": [requirement("rev", "In", "1")]}}, other]
    check(labelled(topologySpreadConstraints=[spread, other]), [])


SELECTED_ALREADY = (
    {"labelSelector": SELECTOR, "matchLabelKeys": ["rev", "app"]},
    {"labelSelector": {"matchExpressions": [requirement("app", "NotIn", "b")]}, "matchLabelKeys": ["rev", "app"]},
    {"labelSelector": {}, "matchLabelKeys": ["app", "app"]},
)


@pytest.mark.parametrize("term", SELECTED_ALREADY)
def test_a_label_key_that_the_selector_names_too_is_refused(term):
    found = '[1]: Invalid value: "app": exists in both matchLabelKeys and labelSelector'
    term = {"topologyKey": "zone", **term}
    check(labelled(affinity={"podAffinity": {REQUIRED: [term]}}), [f"spec.affinity.podAffinity.{REQUIRED}[0]{found}"])
    weighted = {"weight": 1, "podAffinityTerm": term}
    where = f"spec.affinity.podAntiAffinity.{PREFERRED}[0].podAffinityTerm"
    check(labelled(affinity={"podAntiAffinity": {PREFERRED: [weighted]}}), [f"{where}{found}"])
    spread = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term}
    check(labelled(topologySpreadConstraints=[spread]), [f"spec.topologySpreadConstraints[0]{found}"])


TOLERATIONS = [
    ({"key": "nospecialchars^=@", "operator": "Equal"}, [f'key: Invalid value: "nospecialchars^=@": name part {QUALIFIED}']),
    ({"key": "a", "operator": "In"}, ['operator: Unsupported value: "In": supported values: "Equal", "Exists"']),
    ({"key": "a", "operator": "Exists", "value": "v"}, ["operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"]),
    ({"key": "a", "value": "a b"}, [f'operator: Invalid value: "a b": {LABEL_VALUE}']),
    ({"key": "a", "effect": "x"}, ['effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"']),
    (
        {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5},
        ["effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
    ),
]


@pytest.mark.parametrize(("toleration", "expected"), TOLERATIONS)
def test_tolerations(toleration, expected):
    check(pod(tolerations=[toleration]), [f"spec.tolerations[0].{text}" for text in expected])
