"""Bounds and defaults for what is in a namespace: what is wrong with a LimitRange, and what it says without saying it."""

import pytest

from svcsim.kinds.core.limit_range import LIMIT_RANGE
from tests.kinds.helpers import created, findings, row
from tests.kinds.samples.policy import FULL

ONE = "spec.limits[0]"
STANDARD = "must be a standard resource type or fully qualified"
OF_CONTAINERS = "must be a standard resource for containers"
EXTENDED = "doesn't follow extended resource name standard"
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def limits(*items):
    return {"metadata": {"name": "l"}, "spec": {"limits": list(items)}}


def container(**fields):
    return limits({"type": "Container", **fields})


def pod(**fields):
    return limits({"type": "Pod", **fields})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (FULL["v1 LimitRange"], []),
        (limits(), []),
        ({"spec": {}}, ["spec.limits: Required value"]),
        (limits({"type": "example.com/thing", "max": {"cpu": "1"}}), []),
        (container(max={"example.com/gpu": "1"}), []),
        (container(min={"hugepages-2Mi": "2Mi"}, max={"hugepages-2Mi": "4Mi"}), []),
        (limits({"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}}), []),
        (limits({"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}), []),
        (
            limits({"max": {"cpu": "1"}}),
            [f'{ONE}.type: Invalid value: "": name part must be non-empty', f'{ONE}.type: Invalid value: "": {QUALIFIED}'],
        ),
        (limits({"type": "a!"}), [f'{ONE}.type: Invalid value: "a!": {QUALIFIED}']),
        (limits({"type": "Thing"}), [f'{ONE}.type: Invalid value: "Thing": must be a standard limit type or fully qualified']),
        (
            limits({"type": "Pod"}, {"type": "Container"}, {"type": "Pod"}),
            ['spec.limits[2].type: Duplicate value: "Pod"'],
        ),
        (pod(default={"cpu": "1"}), [f"{ONE}.default: Forbidden: may not be specified when `type` is 'Pod'"]),
        (pod(defaultRequest={"cpu": "1"}), [f"{ONE}.defaultRequest: Forbidden: may not be specified when `type` is 'Pod'"]),
        (
            pod(max={"gpu": "1"}),
            [f'{ONE}.max[gpu]: Invalid value: "gpu": {STANDARD}', f'{ONE}.max[gpu]: Invalid value: "gpu": {OF_CONTAINERS}'],
        ),
        (pod(min={"storage": "1"}), [f'{ONE}.min[storage]: Invalid value: "storage": {OF_CONTAINERS}']),
        (
            pod(max={"a b": "1"}),
            [f'{ONE}.max[a b]: Invalid value: "a b": {QUALIFIED}', f'{ONE}.max[a b]: Invalid value: "a b": {OF_CONTAINERS}'],
        ),
        (
            pod(max={"requests.example.com/gpu": "1"}),
            [f'{ONE}.max[requests.example.com/gpu]: Invalid value: "requests.example.com/gpu": ' + EXTENDED],
        ),
        (
            limits({"type": "example.com/thing", "maxLimitRequestRatio": {"gpu": "2"}}),
            [f'{ONE}.maxLimitRequestRatio[gpu]: Invalid value: "gpu": {STANDARD}'],
        ),
        (
            pod(min={"cpu": "2"}, max={"cpu": "1"}),
            [f'{ONE}.min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
        ),
        (
            container(min={"cpu": "2"}, defaultRequest={"cpu": "1"}),
            [f'{ONE}.defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1'],
        ),
        (
            container(max={"cpu": "2"}, default={"cpu": "3"}, defaultRequest={"cpu": "1"}),
            [f'{ONE}.default[cpu]: Invalid value: "2": default value 3 is greater than max value 2'],
        ),
        (
            container(max={"cpu": "4"}, default={"cpu": "2"}, defaultRequest={"cpu": "3"}),
            [f'{ONE}.defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 2'],
        ),
        (
            container(max={"cpu": "2"}, defaultRequest={"cpu": "3"}),
            [
                f'{ONE}.defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 2',
                f'{ONE}.defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 2',
            ],
        ),
        (
            container(min={"cpu": "2"}, default={"cpu": "1"}, defaultRequest={"cpu": "2"}),
            [
                f'{ONE}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
                f'{ONE}.default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
            ],
        ),
        (
            pod(maxLimitRequestRatio={"memory": "800m"}),
            [f'{ONE}.maxLimitRequestRatio[memory]: Invalid value: "800m": ratio 800m is less than 1'],
        ),
        (
            pod(min={"memory": "1Gi"}, max={"memory": "2Gi"}, maxLimitRequestRatio={"memory": "10"}),
            [f'{ONE}.maxLimitRequestRatio[memory]: Invalid value: "10": ratio 10 is greater than max/min = 2.000000'],
        ),
        (
            container(default={"example.com/gpu": "2"}, defaultRequest={"example.com/gpu": "1"}),
            [
                (
                    f'{ONE}.defaultRequest[example.com/gpu]: Invalid value: "1": '
                    "default value 2 must equal to defaultRequest value 1 in example.com/gpu"
                )
            ],
        ),
        (
            limits({"type": "PersistentVolumeClaim", "default": {"storage": "1Gi"}}),
            [f"{ONE}.limits: Required value: either minimum or maximum storage value is required, but neither was provided"],
        ),
    ],
)
def test_what_is_wrong_with_a_limit_range(obj, expected):
    assert findings(LIMIT_RANGE, obj) == expected


@pytest.mark.parametrize(
    ("said", "default", "requested"),
    [
        ({"max": {"cpu": "2"}}, {"cpu": "2"}, {"cpu": "2"}),
        ({"min": {"cpu": "1"}}, None, {"cpu": "1"}),
        ({"min": {"cpu": "1"}, "max": {"cpu": "2"}}, {"cpu": "2"}, {"cpu": "2"}),
        ({"max": {"cpu": "2"}, "default": {"cpu": "1"}}, {"cpu": "1"}, {"cpu": "1"}),
        ({"default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}, {"cpu": "2"}, {"cpu": "1"}),
    ],
)
def test_of_containers_bounds_are_defaults(said, default, requested):
    (item,) = created(LIMIT_RANGE, container(**said))["spec"]["limits"]
    assert (item.get("default"), item.get("defaultRequest")) == (default, requested)


def test_pods_have_no_defaults():
    assert created(LIMIT_RANGE, pod(max={"cpu": "2"}))["spec"]["limits"] == [{"type": "Pod", "max": {"cpu": "2"}}]


def test_a_limit_range_in_one_line():
    assert row(LIMIT_RANGE, {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}) == {"Created At": "2026-01-01T00:00:00Z"}
