"""Bounds on eviction: what is wrong with a PodDisruptionBudget and with its status, and what a table shows of it."""

import pytest

from svcsim.kinds.policy.pod_disruption_budget import POD_DISRUPTION_BUDGET
from tests.kinds.helpers import change_findings, created, findings, row
from tests.kinds.samples.policy import FULL

PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
BOUNDS = ("minAvailable", "maxUnavailable")


def bad(value, text):
    """The same of either bound."""
    return [({bound: value}, [f"spec.{bound}: {text}"]) for bound in BOUNDS]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (FULL["policy/v1 PodDisruptionBudget"]["spec"], []),
        ({}, []),
        *(({bound: value}, []) for bound in BOUNDS for value in (0, 1, 1000, "0%", "1%", "100%")),
        *bad(-1, "Invalid value: -1: must be greater than or equal to 0"),
        *bad("1.1%", f'Invalid value: "1.1%": {PERCENT}'),
        *bad("nope", f'Invalid value: "nope": {PERCENT}'),
        *bad("-1%", f'Invalid value: "-1%": {PERCENT}'),
        *bad("101%", 'Invalid value: "101%": must not be greater than 100%'),
        (
            {"minAvailable": "10%", "maxUnavailable": 1},
            ['spec: Invalid value: {"minAvailable":"10%","maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set'],
        ),
        (
            {"unhealthyPodEvictionPolicy": "Never"},
            ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"'],
        ),
        ({"unhealthyPodEvictionPolicy": "AlwaysAllow"}, []),
        ({"unhealthyPodEvictionPolicy": "IfHealthyBudget"}, []),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
    ],
)
def test_what_is_wrong_with_a_budget(spec, expected):
    assert findings(POD_DISRUPTION_BUDGET, {"spec": spec}) == expected


@pytest.mark.parametrize("count", ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"])
@pytest.mark.parametrize(("value", "expected"), [(3, ""), (0, ""), (-1, "Invalid value: -1: must be greater than or equal to 0")])
def test_what_is_wrong_with_the_counts_of_a_budget(count, value, expected):
    old = created(POD_DISRUPTION_BUDGET, {})
    (rule,) = POD_DISRUPTION_BUDGET.status.subresource.update_rules
    found = [f"{finding.path}: {finding.message}" for finding in rule({"status": {count: value}}, old, None)]
    assert found == ([f"status.{count}: {expected}"] if expected else [])


@pytest.mark.parametrize("spec", [{"minAvailable": 2}, {"maxUnavailable": "5%"}, {"selector": {"matchLabels": {"a": "b"}}}])
def test_all_of_a_budget_may_change(spec):
    assert change_findings(POD_DISRUPTION_BUDGET, FULL["policy/v1 PodDisruptionBudget"], {"spec": spec}) == []


def test_a_new_budget_allows_nothing():
    counts = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
    assert created(POD_DISRUPTION_BUDGET, {"status": {"disruptionsAllowed": 5}})["status"] == counts


def test_a_budget_in_one_line():
    obj = {"spec": {"maxUnavailable": "5%"}, "status": {"disruptionsAllowed": 2}}
    assert list(row(POD_DISRUPTION_BUDGET, obj).items()) == [
        ("Min Available", "N/A"),
        ("Max Unavailable", "5%"),
        ("Allowed Disruptions", 2),
        ("Age", "<unknown>"),
    ]
    assert row(POD_DISRUPTION_BUDGET, {"spec": {"minAvailable": 0}})["Min Available"] == "0"
