"""Why autoscalers, disruption budgets and quotas are as they are."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.kinds import explainer_of
from tests.printing.why.explaining import RUNNING, condition, explained, owned_pod, pod

OF_LATE = (
    "Its metrics ask for fewer than of late; what they asked for then counts until stabilizationWindowSeconds are over, and is more than"
)


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


@pytest.mark.parametrize(
    ("steadied", "limited", "told"),
    [
        ("ScaleDownStabilized", "TooManyReplicas", [f"{OF_LATE} maxReplicas (5)."]),
        ("ScaleDownStabilized", "ScaleUpLimit", [f"{OF_LATE} it may make at once (spec.behavior.scaleUp)."]),
        (
            "ScaleDownStabilized",
            "ScaleDownLimit",
            [
                "Its metrics ask for fewer; it waits until they have for a while (stabilizationWindowSeconds).",
                "Its metrics ask for fewer, and it may take no more away at once (spec.behavior.scaleDown).",
            ],
        ),
        ("ScaleUpStabilized", "", ["Its metrics ask for more; it waits until they have for a while (stabilizationWindowSeconds)."]),
    ],
)
def test_an_autoscaler_that_is_steadied_and_limited_says_one_thing_only(steadied: str, limited: str, told: list[str]) -> None:
    conditions = [condition("AbleToScale", "True", steadied), condition("ScalingLimited", "True" if limited else "False", limited)]
    verdict = explained("autoscaling", "HorizontalPodAutoscaler", {"spec": {"maxReplicas": 5}, "status": {"conditions": conditions}})
    assert (list(verdict.because), verdict.fine) == (told, True)


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


@pytest.mark.parametrize(
    ("spec", "status", "phase", "state", "told"),
    [
        (
            {"unhealthyPodEvictionPolicy": "AlwaysAllow"},
            {"desiredHealthy": 1},
            "Running",
            "lets no healthy pod be evicted",
            ["it may be evicted nevertheless, as pods that aren't ready may at any time (unhealthyPodEvictionPolicy AlwaysAllow)."],
        ),
        ({}, {"desiredHealthy": 1}, "Running", "lets no pod be evicted", []),
        (
            {},
            {"desiredHealthy": 1, "currentHealthy": 1},
            "Running",
            "lets no healthy pod be evicted",
            ["it may be evicted nevertheless, as pods that aren't ready may while enough others are healthy."],
        ),
        (
            {},
            {"desiredHealthy": 1},
            "Pending",
            "lets no healthy pod be evicted",
            ["it may be evicted nevertheless, as pods that don't run yet may at any time."],
        ),
    ],
)
def test_a_budget_says_which_pods_may_go_nevertheless(spec: Object, status: Object, phase: str, state: str, told: list[str]) -> None:
    budget = {"spec": {"minAvailable": 1, **spec}, "status": {"observedGeneration": 1, "expectedPods": 2, **status}}
    unready = {**pod(RUNNING), "metadata": {"name": "it"}}
    unready["status"]["phase"] = phase
    verdict = explained("policy", "PodDisruptionBudget", budget, pods=[unready])
    assert (verdict.state, list(verdict.because[1:]), verdict.below) == (state, told, (unready,))


def test_a_budget_has_nothing_to_do_with_pods_that_have_ended_and_waits_for_those_on_their_way_out() -> None:
    done = {**pod(RUNNING), "metadata": {"name": "done"}, "status": {"phase": "Succeeded"}}
    leaving = owned_pod("going", leaving=True)
    budget = {"spec": {"minAvailable": 2}, "status": {"observedGeneration": 1, "expectedPods": 2, "desiredHealthy": 2, "currentHealthy": 1}}
    verdict = explained("policy", "PodDisruptionBudget", budget, pods=[owned_pod("well"), done, leaving])
    assert verdict.because == ("1 of its 2 pods is healthy, and 2 have to be.",)
    assert verdict.below == (leaving,)


def test_pods_with_several_budgets_can_not_be_evicted() -> None:
    def budget(name: str, selector: Object | None) -> Object:
        return {"metadata": {"name": name, "namespace": "default", "uid": name}, "spec": {"minAvailable": 1, "selector": selector}}

    pods = [{"metadata": {"name": f"it-{app}", "labels": {"app": app}}, "status": {"phase": "Running"}} for app in ("a", "b")]
    mine = {**budget("it", {}), "status": {"disruptionsAllowed": 2, "expectedPods": 2}}
    some = explained("policy", "PodDisruptionBudget", mine, pods=pods, budgets=[mine, budget("p2", {"matchLabels": {"app": "a"}})])
    assert (some.state, some.fine) == ("lets 2 pods be evicted now", False)
    assert some.because == ("it-a is also watched over by the budget p2: a pod that has several budgets can't be evicted at all.",)
    every = explained(
        "policy", "PodDisruptionBudget", mine, pods=pods, budgets=[mine, budget("p2", {}), budget("p3", {}), budget("p4", None)]
    )
    assert every.state == "lets no pod be evicted"
    assert every.because[0].startswith("it-a and it-b are also watched over by the budgets p2 and p3:")
    assert explained("policy", "PodDisruptionBudget", mine, pods=pods, budgets=[mine]).fine


def test_a_quota_that_names_nothing_limits_nothing() -> None:
    assert explained("", "ResourceQuota", {"spec": {}}).state == "limits nothing"
    assert explained("", "ResourceQuota", {"spec": {"hard": {"pods": "1"}}}).state == "waits for its controller"


def test_a_budget_of_all_pods_is_held_against_all_pods() -> None:
    budget = {"metadata": {"name": "all", "namespace": "x"}, "spec": {"selector": {}}}
    pods, budgets = explainer_of("policy", "PodDisruptionBudget").wanted(budget, KUBERNETES)
    assert (pods.path, dict(pods.query)) == ("/api/v1/namespaces/x/pods", {"labelSelector": ""})
    assert budgets.path == "/apis/policy/v1/namespaces/x/poddisruptionbudgets"
