"""HorizontalPodAutoscaler: what is filled in, what is refused, what a table shows, and that nothing gets lost between its versions."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v1 import HPA_V1
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import HPA_V2
from tests.kinds.helpers import context, created, filled, findings, row

TARGET = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
ALPHA = "autoscaling.alpha.kubernetes.io/"


def hpa(**spec):
    return {"metadata": {"name": "web"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5, **spec}}


def cpu(percent):
    return {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}


QUEUE = {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}}}
MEMORY = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "100Mi"}}}


def to_v1(obj, dialect=KUBERNETES):
    return HPA_V1.conversion.from_stored(obj, context(dialect))


def to_v2(obj, dialect=KUBERNETES):
    return HPA_V1.conversion.to_stored(obj, context(dialect))


# defaults


def test_an_autoscaler_is_completed():
    assert created(HPA_V2, hpa()) == {
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 5, "metrics": [cpu(80)]},
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    }


def test_what_a_behavior_leaves_open_is_filled_in():
    assert filled(HPA_V2, hpa(behavior={"scaleDown": {"stabilizationWindowSeconds": 60}}))["spec"]["behavior"] == {
        "scaleUp": {
            "stabilizationWindowSeconds": 0,
            "selectPolicy": "Max",
            "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}],
        },
        "scaleDown": {
            "stabilizationWindowSeconds": 60,
            "selectPolicy": "Max",
            "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
        },
    }


def test_annotations_of_v1_have_no_place_in_v2():
    given_one = {**hpa(), "metadata": {"name": "web", "annotations": {f"{ALPHA}metrics": "[]", "mine": "kept"}}}
    assert filled(HPA_V2, given_one)["metadata"]["annotations"] == {"mine": "kept"}


# rules

SOURCE_TYPES = '"ContainerResource", "External", "Object", "Pods", "Resource"'
MUST_SET = "must set either a target raw value or a target utilization"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, []),
        ({"minReplicas": 0}, ["spec.minReplicas: Invalid value: 0: must be greater than or equal to 1"]),
        ({"minReplicas": 0, "metrics": [cpu(80), QUEUE]}, []),
        ({"minReplicas": -1, "metrics": [QUEUE]}, ["spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"]),
        ({"minReplicas": 6}, ["spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"]),
        (
            {"scaleTargetRef": {"kind": "a/b", "name": ""}},
            ["spec.scaleTargetRef.kind: Invalid value: \"a/b\": may not contain '/'", "spec.scaleTargetRef.name: Required value"],
        ),
        (
            {"scaleTargetRef": {**TARGET, "apiVersion": "a/b/c"}},
            ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
        ),
        (
            {"metrics": [{"type": "Pods"}]},
            ["spec.metrics[0].pods: Required value: must populate information for the given metric source"],
        ),
        (
            {"metrics": [{**cpu(50), "type": "Odd"}]},
            [f'spec.metrics[0].type: Unsupported value: "Odd": supported values: {SOURCE_TYPES}'],
        ),
        (
            {"metrics": [{**cpu(50), "external": {"metric": {"name": "m"}, "target": {"type": "Value", "value": "1"}}}]},
            ["spec.metrics[0].external: Forbidden: must populate the given metric source only"],
        ),
        (
            {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]},
            [f"spec.metrics[0].resource.target.averageUtilization: Required value: {MUST_SET}"],
        ),
        (
            {"metrics": [{"type": "Resource", "resource": {"target": {"type": "Utilization", "averageUtilization": 0}}}]},
            [
                "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
                "spec.metrics[0].resource.name: Required value: must specify a resource name",
            ],
        ),
        (
            {"behavior": {"scaleUp": {"policies": [], "selectPolicy": "Odd", "stabilizationWindowSeconds": 3601}}},
            [
                "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
                'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"',
                "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
            ],
        ),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 0, "periodSeconds": 1801}]}}},
            [
                "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
                "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
            ],
        ),
    ],
)
def test_what_is_wrong_with_an_autoscaler(spec, expected):
    assert findings(HPA_V2, hpa(**spec)) == expected


# columns


def shown(metrics, current=()):
    return row(HPA_V2, {**hpa(metrics=metrics), "status": {"currentMetrics": list(current)}})["Targets"]


def external(**target):
    return {"type": "External", "external": {"metric": {"name": "m"}, "target": target}}


def test_an_autoscaler_in_one_line():
    assert row(HPA_V2, {**hpa(metrics=[cpu(80)], minReplicas=2), "status": {"currentReplicas": 3}}) == {
        "Reference": "Deployment/web",
        "Targets": "cpu: <unknown>/80%",
        "MinPods": "2",
        "MaxPods": 5,
        "Replicas": 3,
        "Age": "<unknown>",
    }


def test_what_metrics_are_at_and_are_to_be_kept_at():
    seen = {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 40, "averageValue": "80m"}}}
    assert shown([]) == "<none>"
    assert shown([cpu(80)], [seen]) == "cpu: 40%/80%"
    assert shown([MEMORY]) == "memory: <unknown>/100Mi"
    assert shown([external(type="Value", value="30")]) == "<unknown>/30"
    assert shown([external(type="AverageValue", averageValue="30")]) == "<unknown>/30 (avg)"
    assert shown([cpu(80), MEMORY, cpu(90), MEMORY]) == "cpu: <unknown>/80%, memory: <unknown>/100Mi + 2 more..."


# conversion


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_version_1_keeps_in_annotations_what_it_has_no_fields_for(dialect):
    pods = {
        "type": "Pods",
        "pods": {"metric": {"name": "m", "selector": {}}, "target": {"type": "AverageValue", "averageValue": "1"}},
    }
    told = to_v1(hpa(metrics=[cpu(50), MEMORY, pods], behavior={"scaleUp": {"selectPolicy": "Min"}}), dialect)
    assert told["spec"] == {"scaleTargetRef": TARGET, "maxReplicas": 5, "targetCPUUtilizationPercentage": 50}
    kept = {name: json.loads(text) for name, text in told["metadata"]["annotations"].items()}
    assert kept == {
        dialect.key("metrics", "autoscaling.alpha"): [
            {"type": "Resource", "resource": {"name": "memory", "targetAverageValue": "100Mi"}},
            {"type": "Pods", "pods": {"metricName": "m", "targetAverageValue": "1", "selector": {}}},
        ],
        dialect.key("behavior", "autoscaling.alpha"): {"scaleUp": {"selectPolicy": "Min"}},
    }


def test_a_new_target_in_version_1_takes_the_place_of_the_old_one_among_the_metrics():
    told = to_v1(hpa(metrics=[MEMORY, cpu(50)]))
    assert to_v2({**told, "spec": {**told["spec"], "targetCPUUtilizationPercentage": 70}})["spec"]["metrics"] == [MEMORY, cpu(70)]
    without = {name: value for name, value in told["spec"].items() if name != "targetCPUUtilizationPercentage"}
    assert to_v2({**told, "spec": without})["spec"]["metrics"] == [MEMORY]


def test_metrics_of_an_object_as_old_clients_write_them():
    old = {"target": TARGET, "metricName": "hits", "targetValue": "0", "averageValue": "7"}
    annotations = {f"{ALPHA}metrics": json.dumps([{"type": "Object", "object": old}])}
    assert to_v2({**hpa(), "metadata": {"name": "web", "annotations": annotations}})["spec"]["metrics"] == [
        {
            "type": "Object",
            "object": {"describedObject": TARGET, "metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "7"}},
        }
    ]


@pytest.mark.parametrize(
    "text", ["", "garbage", "{", "7", '{"a": 1}', "[7]", '[{"type": 7}]', '[{"resource": {"name": {}}}]', '[{"object": {"target": 7}}]']
)
def test_annotations_that_hold_no_metrics_are_let_go_and_others_read(text):
    annotations = {f"{ALPHA}metrics": text, f"{ALPHA}behavior": '{"scaleUp": {"selectPolicy": "Min"}}', "mine": "kept"}
    told = to_v2({**hpa(), "metadata": {"annotations": annotations}})
    assert told["spec"] == {**to_v2(hpa())["spec"], "behavior": {"scaleUp": {"selectPolicy": "Min"}}}
    assert told["metadata"]["annotations"] == {"mine": "kept"}


NAMES = st.sampled_from(["cpu", "memory", "m"])
PERCENTS = st.integers(1, 300)
AMOUNTS = st.sampled_from(["1", "100m", "2Gi", "5k"])
SELECTORS = st.just({}) | st.just({"selector": {"matchLabels": {"a": "b"}}})


def part(**fields):
    return st.fixed_dictionaries({}, optional=fields)


def one_of_type(**sources):
    """A metric, told in the field of its type."""
    fields = {"ContainerResource": "containerResource", "External": "external", "Object": "object", "Pods": "pods", "Resource": "resource"}
    return st.one_of(
        [st.fixed_dictionaries({"type": st.just(kind), field: sources[field]}) for kind, field in fields.items()],
    )


TARGETS = st.builds(
    lambda kind, amounts: {"type": kind, **amounts},
    st.sampled_from(["Utilization", "Value", "AverageValue"]),
    part(value=AMOUNTS, averageValue=AMOUNTS, averageUtilization=PERCENTS),
)
CURRENT = part(value=AMOUNTS, averageValue=AMOUNTS, averageUtilization=PERCENTS)
METRIC = st.builds(lambda name, selector: {"name": name, **selector}, NAMES, SELECTORS)


def sources(amounts):
    of_resource = {"name": NAMES, **amounts}
    of_metric = {"metric": METRIC, **amounts}
    return one_of_type(
        resource=st.fixed_dictionaries(of_resource),
        containerResource=st.fixed_dictionaries({**of_resource, "container": st.just("main")}),
        pods=st.fixed_dictionaries(of_metric),
        object=st.fixed_dictionaries({**of_metric, "describedObject": st.just(TARGET)}),
        external=st.fixed_dictionaries(of_metric),
    )


RULES = part(
    stabilizationWindowSeconds=st.integers(0, 3600),
    selectPolicy=st.sampled_from(["Max", "Min", "Disabled"]),
    policies=st.lists(st.just({"type": "Pods", "value": 4, "periodSeconds": 15}), max_size=2),
    tolerance=AMOUNTS,
)
METADATA = st.builds(lambda more: {"name": "web", **more}, st.just({}) | st.just({"annotations": {"mine": "kept"}}))
WANTED = {"scaleTargetRef": st.just(TARGET), "minReplicas": st.integers(1, 3), "maxReplicas": st.integers(3, 9)}
STATE = part(observedGeneration=st.integers(1, 9), lastScaleTime=st.just("2026-01-01T00:00:00Z"))
CONDITION = st.fixed_dictionaries({"type": st.just("AbleToScale"), "status": st.sampled_from(["True", "False"]), "reason": st.just("R")})
V2 = st.fixed_dictionaries(
    {
        "metadata": METADATA,
        "spec": st.builds(
            lambda spec, more: {**spec, **more},
            st.fixed_dictionaries(
                {**WANTED, "metrics": st.lists(sources({"target": TARGETS}) | PERCENTS.map(cpu), min_size=1, max_size=4)}
            ),
            part(behavior=part(scaleUp=RULES, scaleDown=RULES)),
        ),
        "status": st.builds(
            lambda status, more: {**status, "desiredReplicas": 2, **more},
            STATE,
            part(
                currentReplicas=st.integers(1, 9),
                currentMetrics=st.lists(sources({"current": CURRENT}), min_size=1, max_size=3),
                conditions=st.lists(CONDITION, min_size=1, max_size=1),
            ),
        ),
    }
)
V1 = st.fixed_dictionaries(
    {
        "metadata": METADATA,
        "spec": st.builds(lambda s, more: {**s, **more}, st.fixed_dictionaries(WANTED), part(targetCPUUtilizationPercentage=PERCENTS)),
        "status": st.builds(
            lambda status, more: {**status, "currentReplicas": 0, "desiredReplicas": 1, **more},
            STATE,
            part(currentReplicas=st.integers(0, 9), currentCPUUtilizationPercentage=PERCENTS),
        ),
    }
)


@given(V2)
def test_nothing_of_version_2_is_lost_on_the_way_through_version_1(obj):
    assert to_v2(to_v1(obj)) == obj


@given(V1)
def test_nothing_of_version_1_is_lost_on_the_way_through_version_2(obj):
    assert to_v1(to_v2(obj)) == obj


@given(V2, V1)
def test_conversion_changes_nothing_it_is_given(newer, older):
    for obj, convert in ((newer, to_v1), (older, to_v2)):
        before = json.dumps(obj)
        convert(obj)
        assert json.dumps(obj) == before
