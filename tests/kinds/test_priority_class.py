"""Priorities of pods: what is wrong with a PriorityClass, and what may not change."""

import pytest

from svcsim.kinds.scheduling.priority_class import PRIORITY_CLASS
from tests.kinds.helpers import change_findings, created, findings, row
from tests.kinds.samples.policy import FULL

RESERVED = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "


def priority(name="high", **fields):
    return {"metadata": {"name": name}, "value": 1000, **fields}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "full"}, **FULL["scheduling/v1 PriorityClass"]}, []),
        (priority(value=0), []),
        (priority(value=-(2**31)), []),
        (priority(value=1_000_000_000), []),
        (priority(value=1_000_000_001), ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]),
        (priority("system-node-critical", value=2_000_001_000), []),
        (priority("system-cluster-critical", value=2_000_000_000), []),
        (priority("system-mine"), [f"{RESERVED}system-mine is not a known system priority class"]),
        (
            priority("system-node-critical"),
            [f"{RESERVED}value of system-node-critical PriorityClass must be 2000001000"],
        ),
        (
            priority("system-node-critical", value=2_000_001_000, globalDefault=True),
            [f"{RESERVED}globalDefault of system-node-critical PriorityClass must be false"],
        ),
        (
            priority(preemptionPolicy="Sometimes"),
            ['preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"'],
        ),
    ],
)
def test_what_is_wrong_with_a_priority_class(obj, expected):
    assert findings(PRIORITY_CLASS, obj) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (priority(), priority(description="new", globalDefault=True), []),
        (priority(), priority(value=1), ["value: Forbidden: may not be changed in an update."]),
        (priority(), priority(preemptionPolicy="Never"), ['preemptionPolicy: Invalid value: "Never": field is immutable']),
        (priority(preemptionPolicy="Never"), priority(), ['preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable']),
    ],
)
def test_what_pods_were_given_stays(before, after, expected):
    assert change_findings(PRIORITY_CLASS, before, after) == expected


def test_a_new_priority_class_drives_out_others_and_is_of_the_first_generation():
    made = created(PRIORITY_CLASS, {"metadata": {"name": "a"}})
    assert (made["preemptionPolicy"], made["value"], made["metadata"]["generation"]) == ("PreemptLowerPriority", 0, 1)


def test_a_priority_class_in_one_line():
    made = created(PRIORITY_CLASS, priority())
    assert list(row(PRIORITY_CLASS, made).items()) == [
        ("Value", 1000),
        ("Global-Default", False),
        ("Age", "<unknown>"),
        ("PreemptionPolicy", "PreemptLowerPriority"),
    ]
