"""What autoscalers are refused for, in Kubernetes' words."""

import pytest

from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v1 import HPA_V1
from svcsim.kinds.autoscaling.horizontal_pod_autoscaler_v2 import HPA_V2
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import context, findings

REFERENCE = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
POPULATE = "Required value: must populate information for the given metric source"
ONLY = "Forbidden: must populate the given metric source only"


def hpa(**spec):
    return {"metadata": {"name": "a"}, "spec": {"scaleTargetRef": REFERENCE, "maxReplicas": 5, **spec}}


def check(spec, expected):
    assert findings(HPA_V2, hpa(**spec)) == [f"spec.{text}" for text in expected]


SPECS = [
    ({"minReplicas": -1}, ["minReplicas: Invalid value: -1: must be greater than or equal to 1"]),
    ({"minReplicas": 7}, ["maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"]),
    (
        {"minReplicas": None, "maxReplicas": -1},
        [
            "maxReplicas: Invalid value: -1: must be greater than 0",
            "maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`",
        ],
    ),
    ({"scaleTargetRef": {"name": "a"}}, ["scaleTargetRef.kind: Required value"]),
    ({"scaleTargetRef": {"kind": "a"}}, ["scaleTargetRef.name: Required value"]),
    ({"scaleTargetRef": {"kind": "..", "name": "a"}}, ["scaleTargetRef.kind: Invalid value: \"..\": may not be '..'"]),
    ({"scaleTargetRef": {"kind": "a", "name": ".."}}, ["scaleTargetRef.name: Invalid value: \"..\": may not be '..'"]),
    ({"scaleTargetRef": {"kind": "a", "name": "b/c"}}, ["scaleTargetRef.name: Invalid value: \"b/c\": may not contain '/'"]),
    ({"scaleTargetRef": {"kind": "a", "name": "b%c"}}, ["scaleTargetRef.name: Invalid value: \"b%c\": may not contain '%'"]),
]


@pytest.mark.parametrize(("spec", "expected"), SPECS)
def test_an_autoscaler(spec, expected):
    check(spec, expected)


def of(kind, **source):
    return {"type": kind, kind[0].lower() + kind[1:]: source}


UTILIZATION, AVERAGE, VALUE = {"type": "Utilization"}, {"type": "AverageValue"}, {"type": "Value"}
METRIC = {"name": "m"}
OBJECT = {"kind": "Pod", "name": "p"}
RAW = "must set either a target raw value or a target utilization"
BOTH = "may not set both a target raw value and a target utilization"
METRICS = [
    (of("Resource", name="cpu", target={**UTILIZATION, "averageUtilization": 1}), []),
    (
        {"resource": {"name": "cpu", "target": {**UTILIZATION, "averageUtilization": 1}}},
        [
            "type: Required value: must specify a metric source type",
            'type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        ],
    ),
    ({"type": "Pods"}, [f"pods: {POPULATE}"]),
    (
        {
            **of("Resource", name="cpu", target={**UTILIZATION, "averageUtilization": 1}),
            "pods": {"metric": METRIC, "target": {**AVERAGE, "averageValue": "1"}},
        },
        [f"pods: {ONLY}"],
    ),
    (of("Resource", target={**UTILIZATION, "averageUtilization": 1}), ["resource.name: Required value: must specify a resource name"]),
    (of("Resource", name="cpu", target=UTILIZATION), [f"resource.target.averageUtilization: Required value: {RAW}"]),
    (
        of("Resource", name="cpu", target={**UTILIZATION, "averageUtilization": -10}),
        ["resource.target.averageUtilization: Invalid value: -10: must be greater than 0"],
    ),
    (
        of("Resource", name="cpu", target={**UTILIZATION, "averageUtilization": 1, "averageValue": "1"}),
        [f"resource.target.averageValue: Forbidden: {BOTH}"],
    ),
    (
        of("Resource", name="cpu", target={**AVERAGE, "averageValue": "-1"}),
        ['resource.target.averageValue: Invalid value: "-1": must be positive'],
    ),
    (
        of("Resource", name="cpu", target={"averageUtilization": 1}),
        [
            "resource.target.type: Required value: must specify a metric target type",
            'resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        ],
    ),
    (
        of("Resource", name="cpu", target={"type": "Odd", "averageUtilization": 1}),
        ['resource.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue'],
    ),
    (
        of("ContainerResource", name="cpu", target={**UTILIZATION, "averageUtilization": 1}),
        ["containerResource.container: Required value: must specify a container"],
    ),
    (
        of("ContainerResource", container="a", target={**UTILIZATION, "averageUtilization": 1}),
        ["containerResource.name: Required value: must specify a resource name"],
    ),
    (
        of("ContainerResource", container="---***", name="cpu", target={**UTILIZATION, "averageUtilization": 1}),
        [
            (
                'containerResource.container: Invalid value: "---***": a lowercase RFC 1123 label must consist of lower case alphanumeric '
                "characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
                "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
            )
        ],
    ),
    (
        of("ContainerResource", container="a", name="cpu", target=UTILIZATION),
        [f"containerResource.target.averageUtilization: Required value: {RAW}"],
    ),
    (of("Pods", metric={}, target={**AVERAGE, "averageValue": "1"}), ["pods.metric.name: Required value: must specify a metric name"]),
    (
        of("Pods", metric={"name": "foo/../"}, target={**AVERAGE, "averageValue": "1"}),
        ["pods.metric.name: Invalid value: \"foo/../\": may not contain '/'"],
    ),
    (of("Pods", metric=METRIC, target=AVERAGE), ["pods.target.averageValue: Required value: must specify a positive target averageValue"]),
    (
        of(
            "Pods",
            metric={**METRIC, "selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
            target={**AVERAGE, "averageValue": "1"},
        ),
        ['pods.metric.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
    ),
    (
        of("Object", metric=METRIC, target={**VALUE, "value": "1"}),
        ["object.describedObject.kind: Required value", "object.describedObject.name: Required value"],
    ),
    (
        of("Object", metric={}, describedObject=OBJECT, target={**VALUE, "value": "1"}),
        ["object.metric.name: Required value: must specify a metric name"],
    ),
    (
        of("Object", metric=METRIC, describedObject=OBJECT, target=VALUE),
        ["object.target.averageValue: Required value: must set either a target value or averageValue"],
    ),
    (
        of("Object", metric=METRIC, describedObject=OBJECT, target={**VALUE, "value": "0"}),
        ['object.target.value: Invalid value: "0": must be positive'],
    ),
    (of("External", metric={}, target={**VALUE, "value": "1"}), ["external.metric.name: Required value: must specify a metric name"]),
    (
        of("External", metric=METRIC, target=VALUE),
        ["external.target.averageValue: Required value: must set either a target value for metric or a per-pod target"],
    ),
    (
        of("External", metric=METRIC, target={**VALUE, "value": "1", "averageValue": "1"}),
        ["external.target.value: Forbidden: may not set both a target value for metric and a per-pod target"],
    ),
    (of("External", metric=METRIC, target={**VALUE, "value": "-3"}), ['external.target.value: Invalid value: "-3": must be positive']),
]


@pytest.mark.parametrize(("metric", "expected"), METRICS)
def test_a_metric(metric, expected):
    check({"metrics": [metric]}, [f"metrics[0].{text}" for text in expected])


POLICY = {"type": "Percent", "value": 1, "periodSeconds": 1}
BEHAVIORS = [
    ({"policies": [POLICY]}, []),
    ({"policies": []}, [".policies: Required value: must specify at least one Policy"]),
    (
        {"stabilizationWindowSeconds": -1},
        [".stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero"],
    ),
    ({"stabilizationWindowSeconds": 3601}, [".stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600"]),
    ({"selectPolicy": "Odd"}, ['.selectPolicy: Unsupported value: "Odd": supported values: "Disabled", "Max", "Min"']),
    (
        {"policies": [{**POLICY, "type": "hm"}]},
        ['.policies[0].type: Unsupported value: "hm": supported values: "Percent", "Pods"'],
    ),
    ({"policies": [{**POLICY, "value": 0}]}, [".policies[0].value: Invalid value: 0: must be greater than zero"]),
    ({"policies": [{**POLICY, "periodSeconds": 0}]}, [".policies[0].periodSeconds: Invalid value: 0: must be greater than zero"]),
    (
        {"policies": [{**POLICY, "periodSeconds": 1801}]},
        [".policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
    ),
    ({"tolerance": "-10m"}, ['.tolerance: Invalid value: "-10m": must be greater than or equal to 0']),
]


@pytest.mark.parametrize("way", ["scaleUp", "scaleDown"])
@pytest.mark.parametrize(("rules", "expected"), BEHAVIORS)
def test_a_behavior(way, rules, expected):
    check({"behavior": {way: rules}}, [f"behavior.{way}{text}" for text in expected])


def test_a_status():
    obj = {**hpa(), "status": {"currentReplicas": -1, "desiredReplicas": -1}}
    found = compile_struct(object_struct(HPA_V2.schema)).validate(obj)
    assert [f"{finding.path}: {finding.message}" for finding in found] == [
        "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0",
        "status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0",
    ]


def test_version_1_is_held_to_the_same():
    stored = HPA_V1.conversion.to_stored(hpa(targetCPUUtilizationPercentage=-1), context())
    assert findings(HPA_V2, stored) == ["spec.metrics[0].resource.target.averageUtilization: Invalid value: -1: must be greater than 0"]
