"""What makes terms for nodes and other pods wrong, spreading, and tolerations."""

import pytest

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
    ({"matchLabelKeys": ["app"]}, ['matchLabelKeys[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector']),
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
