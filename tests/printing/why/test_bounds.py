"""Why autoscalers, disruption budgets and quotas are as they are."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import RUNNING, condition, explained, pod


def test_autoscalers_are_explained_by_their_conditions() -> None:
    conditions = [
        condition("AbleToScale", "True", "SucceededGetScale"),
        condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics known"),
    ]
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": spec, "status": {"conditions": conditions}})
    assert (verdict.state, verdict.because) == ("can't scale Deployment/web", ("FailedGetResourceMetric: no metrics known.",))


@pytest.mark.parametrize(
    ("reason", "behavior", "told"),
    [
        ("TooManyReplicas", {}, "Its metrics ask for more, and it may make no more than maxReplicas (5)."),
        ("TooFewReplicas", {}, "Its metrics ask for fewer, and it may have no fewer than minReplicas (1)."),
        ("ScaleUpLimit", {}, "Its metrics ask for more, and it may make no more at once (spec.behavior.scaleUp)."),
        (
            "ScaleUpLimit",
            {"scaleUp": {"selectPolicy": "Disabled"}},
            "Its metrics ask for more, and that is switched off (spec.behavior.scaleUp.selectPolicy Disabled).",
        ),
    ],
)
def test_what_limits_an_autoscaler_is_said_in_words(reason: str, behavior: Object, told: str) -> None:
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 5, "behavior": behavior}
    status = {"currentReplicas": 1, "desiredReplicas": 1, "conditions": [condition("ScalingLimited", "True", reason, "the desired …")]}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": spec, "status": status})
    assert (verdict.state, verdict.because) == ("scales Deployment/web: 1 replica, 1 wanted", (told,))


def test_a_budget_says_that_it_can_not_reckon_with_pods_without_a_controller() -> None:
    budget = {"spec": {"maxUnavailable": 1}, "status": {"observedGeneration": 1}}
    verdict = explained("policy", "PodDisruptionBudget", budget, pods=[pod(RUNNING, ready=True)])
    assert verdict.state == "lets no pod be evicted"
    assert "1 pod of which no controller says how many there are to be, so that maxUnavailable can't be reckoned" in verdict.because[0]
    assert explained("policy", "PodDisruptionBudget", budget).state == "has no pods to watch over"
    assert explained("policy", "PodDisruptionBudget", {"spec": {"maxUnavailable": 1}}).state == "waits for its controller"


def test_an_autoscaler_that_can_not_scale_tells_nothing_of_what_its_metrics_asked_for_before() -> None:
    refused = condition("AbleToScale", "False", "FailedGetScale", "not found")
    status = {"conditions": [refused, condition("ScalingLimited", "True", "TooManyReplicas")]}
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 5}, "status": status})
    assert verdict.because == ("FailedGetScale: not found.",)
