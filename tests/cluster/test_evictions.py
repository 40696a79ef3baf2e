"""What a budget's status lets go, and how it counts down."""

import pytest

from svcsim import limits
from svcsim.cluster.evictions import counted_down
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

NOW = "2026-01-01T00:00:00Z"
POD: Object = {"metadata": {"name": "p"}}


def budget(**status: object) -> Object:
    counted = {"observedGeneration": 3, "disruptionsAllowed": 2, "currentHealthy": 4, "desiredHealthy": 2, "expectedPods": 4}
    return {"metadata": {"name": "b", "generation": 3}, "spec": {}, "status": {**counted, **status}}


def refusal(given: Object) -> StatusError:
    with pytest.raises(StatusError) as refused:
        counted_down(given, POD, NOW)
    return refused.value


def test_one_disruption_is_used_up_and_the_pod_is_named():
    before = budget(disruptedPods={"o": "2025-12-31T23:59:00Z"})
    after = counted_down(before, POD, NOW)
    assert after["status"] == {**before["status"], "disruptionsAllowed": 1, "disruptedPods": {"o": "2025-12-31T23:59:00Z", "p": NOW}}
    assert before == budget(disruptedPods={"o": "2025-12-31T23:59:00Z"}), "it is a new one"


def test_the_last_one_is_told_by_the_condition():
    assert counted_down(budget(disruptionsAllowed=1), POD, NOW)["status"]["conditions"] == [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": 3,
            "lastTransitionTime": NOW,
            "reason": "InsufficientPods",
            "message": "",
        }
    ]


def test_a_budget_that_was_not_looked_at_since_it_changed_lets_nothing_go():
    for given in (budget(observedGeneration=2), {**budget(), "status": {}}, {"metadata": {"name": "b", "generation": 3}, "spec": {}}):
        error = refusal(given)
        assert (error.code, error.reason, error.headers) == (429, "TooManyRequests", {"Retry-After": "10"})
        assert error.message == "Cannot evict pod as it would violate the pod's disruption budget."
        message = "The disruption budget b is still being processed by the server."
        assert error.details == {"retryAfterSeconds": 10, "causes": [{"reason": "DisruptionBudget", "message": message}]}


FAILED = {"type": "DisruptionAllowed", "status": "False", "reason": "SyncFailed", "message": "found no controllers"}


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ({"currentHealthy": 2}, "The disruption budget b needs 2 healthy pods and has 2 currently"),
        ({"currentHealthy": 0, "desiredHealthy": 3}, "The disruption budget b needs 3 healthy pods and has 0 currently"),
        ({}, "The disruption budget b does not allow evicting pods currently"),
        (
            {"conditions": [FAILED]},
            "The disruption budget b does not allow evicting pods currently because it failed sync: found no controllers",
        ),
    ],
)
def test_one_that_allows_none_says_why(status: Object, why: str):
    error = refusal(budget(disruptionsAllowed=0, **status))
    assert (error.code, error.reason, error.headers) == (429, "TooManyRequests", {})
    assert error.details == {"causes": [{"reason": "DisruptionBudget", "message": why}]}


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ({"disruptionsAllowed": -1}, "pdb disruptions allowed is negative"),
        (
            {"disruptedPods": {str(number): NOW for number in range(limits.DISRUPTED_PODS + 1)}},
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        ),
    ],
)
def test_one_that_can_not_be_right_lets_nothing_go(status: Object, why: str):
    error = refusal(budget(**status))
    assert (error.code, error.message) == (403, f'poddisruptionbudget.policy "b" is forbidden: {why}')
