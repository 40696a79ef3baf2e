"""Autoscalers in a running cluster: what they set, and what they say of it."""

import pytest

from svcsim.meta.types import Json, Object
from tests.controllers.autoscaling import (
    SYNC_S,
    autoscaler,
    autoscalers,
    begun,
    behavior,
    by_utilization,
    conditions,
    size,
    workload,
)
from tests.controllers.running import Running, running

pytestmark = pytest.mark.virtual_time

GOT = ("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
READY = ("True", "ReadyForNewScale", "recommended size matches current size")
VALID = (
    "True",
    "ValidMetricFound",
    "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
)
WITHIN = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
ABOVE = "cpu resource utilization (percentage of request) above target"


async def status(r: Running, name: str = "web") -> Object:
    found: Object = (await autoscalers(r).get(name))["status"]
    return found


async def reasons(r: Running, name: str = "web") -> list[tuple[str, str]]:
    """Of the events of an autoscaler."""
    found = await r.client.resource("v1", "events", "default").list_all(field_selector="involvedObject.kind=HorizontalPodAutoscaler")
    found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
    assert {event["source"]["component"] for event in found} <= {"horizontal-pod-autoscaler"}
    return [(event["reason"], event["message"]) for event in found if event["involvedObject"]["name"] == name]


async def test_a_load_above_the_target_makes_more_pods():
    async with running() as r:
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler(most=4))
        assert await size(r) == 4
        rescaled = ("True", "SucceededRescale", "the HPA controller was able to update the target scale to 4")
        assert await conditions(r) == {"AbleToScale": rescaled, "ScalingActive": VALID, "ScalingLimited": WITHIN}
        now = await status(r)
        assert now["lastScaleTime"] == now["conditions"][0]["lastTransitionTime"]
        assert (now["currentReplicas"], now["desiredReplicas"]) == (2, 4)
        current = {"averageUtilization": 100, "averageValue": "100m"}
        assert now["currentMetrics"] == [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
        assert await reasons(r) == [("SuccessfulRescale", f"New size: 4; reason: {ABOVE}")]
        await r.clock.sleep(2 * SYNC_S)  # by then the new ones have begun, wherever they are
        limited = ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
        assert await conditions(r) == {"AbleToScale": READY, "ScalingActive": VALID, "ScalingLimited": limited}
        assert (await status(r))["lastScaleTime"] == now["lastScaleTime"]


async def test_a_load_below_the_target_makes_fewer_after_five_minutes():
    async with running() as r:
        await begun(r, workload(replicas=6, cpu="10m"), autoscaler())
        assert await size(r) == 6
        held = (
            "True",
            "ScaleDownStabilized",
            "recent recommendations were higher than current one, applying the highest recent recommendation",
        )
        assert (await conditions(r))["AbleToScale"] == held
        await r.clock.sleep(290)
        assert await size(r) == 6
        await r.clock.sleep(30)
        assert await size(r) == 2
        assert await reasons(r) == [("SuccessfulRescale", "New size: 2; reason: All metrics below target")]


async def test_an_earlier_wish_that_makes_it_more_is_no_reason_that_is_named():
    async with running() as r:
        await begun(r, workload(replicas=1, cpu="305m shared"), autoscaler(most=10))
        await r.clock.sleep(60)
        told = [message for reason, message in await reasons(r) if reason == "SuccessfulRescale"]
        assert told == [f"New size: 4; reason: {ABOVE}", "New size: 7; reason: "]


async def test_a_load_near_the_target_changes_nothing_and_writes_nothing():
    async with running() as r:
        await begun(r, workload(replicas=2, cpu="54m"), autoscaler())
        assert await conditions(r) == {"AbleToScale": READY, "ScalingActive": VALID, "ScalingLimited": WITHIN}
        before = (await autoscalers(r).get("web"))["metadata"]["resourceVersion"]
        await r.clock.sleep(600)
        assert (await autoscalers(r).get("web"))["metadata"]["resourceVersion"] == before
        assert await size(r) == 2


async def test_a_size_follows_a_shared_load_up_and_down():
    """Each pod uses the less the more there are, as with a load balancer before them."""
    async with running() as r:
        load = workload(replicas=2, cpu="96m, 400m after 20m, 96m after 40m shared")
        await begun(r, load, autoscaler(least=2))
        await r.clock.sleep(600)
        assert await size(r) == 2
        await r.clock.sleep(600)
        assert await size(r) == 8
        await r.clock.sleep(1_200)
        assert await size(r) == 2


async def test_a_new_autoscaler_is_looked_at_after_its_period():
    async with running() as r:
        await r.deployments.create(workload(replicas=1, cpu="100m"))
        await r.clock.sleep(400)
        await autoscalers(r).create(autoscaler())
        await r.clock.sleep(SYNC_S - 1)
        assert (await autoscalers(r).get("web"))["status"] == {"desiredReplicas": 0, "currentMetrics": None}
        await r.clock.sleep(2)
        assert await size(r) == 2


@pytest.mark.parametrize(
    ("replicas", "expected", "why"),
    [(9, 5, "Current number of replicas above Spec.MaxReplicas"), (1, 3, "Current number of replicas below Spec.MinReplicas")],
)
async def test_a_size_out_of_bounds_is_brought_back_without_a_look_at_metrics(replicas: int, expected: int, why: str):
    async with running() as r:
        await r.deployments.create(workload(replicas=replicas, cpu="none"))
        await autoscalers(r).create(autoscaler(least=3, most=5))
        await r.clock.sleep(SYNC_S + 1)
        assert await size(r) == expected
        assert await reasons(r) == [("SuccessfulRescale", f"New size: {expected}; reason: {why}")]
        assert (await status(r))["currentMetrics"] is None


async def test_nothing_is_done_for_a_workload_that_is_switched_off():
    async with running() as r:
        await begun(r, workload(replicas=0), autoscaler(), ready_s=1)
        disabled = ("False", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
        assert await conditions(r) == {"AbleToScale": GOT, "ScalingActive": disabled}
        assert await size(r) == 0
        await r.deployments.patch("web", {"spec": {"replicas": 2}})
        await r.clock.sleep(400)
        assert (await conditions(r))["ScalingActive"] == VALID


async def test_a_behavior_of_ones_own():
    up = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
    down = {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 50, "periodSeconds": 15}]}
    async with running() as r:
        await begun(r, workload(replicas=2, cpu="1", request="1"), autoscaler(**behavior(scaleUp=up, scaleDown=down)))
        assert await size(r) == 3
        too_fast = ("True", "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
        assert (await conditions(r))["ScalingLimited"] == too_fast
        await r.clock.sleep(46)
        assert await size(r) == 3
        await r.clock.sleep(15)
        assert await size(r) == 4
        for pod in await r.pods.list_all():
            await r.pods.patch(pod["metadata"]["name"], {"metadata": {"annotations": {"svcsim.dev/cpu": "1m"}}})
        await r.clock.sleep(15)
        assert await size(r) == 2
        await r.clock.sleep(15)
        assert await size(r) == 1


async def test_tolerance_of_ones_own():
    async with running() as r:
        await begun(r, workload(replicas=2, cpu="52m"), autoscaler(**behavior(scaleUp={"tolerance": "0.01"})))
        assert await size(r) == 3


@pytest.mark.parametrize(
    ("metric", "usage", "wanted", "said", "current"),
    [
        (by_utilization(50, "memory"), {"memory": "100Mi"}, 4, "memory resource utilization (percentage of request)", "104857600"),
        (
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "50m"}}},
            {"cpu": "100m"},
            4,
            "cpu resource",
            "100m",
        ),
        (
            {
                "type": "ContainerResource",
                "containerResource": {"name": "cpu", "container": "main", "target": {"type": "Utilization", "averageUtilization": 50}},
            },
            {"main.svcsim.dev/cpu": "100m"},
            4,
            "cpu container resource utilization (percentage of request)",
            "100m",
        ),
    ],
)
async def test_other_ways_to_go_by_what_pods_use(metric: Object, usage: dict[str, str], wanted: int, said: str, current: str):
    async with running() as r:
        await begun(r, workload(replicas=2, **usage), autoscaler("web", metric))
        assert await size(r) == wanted
        assert await reasons(r) == [("SuccessfulRescale", f"New size: {wanted}; reason: {said} above target")]
        (found,) = (await status(r))["currentMetrics"]
        assert next(part["current"]["averageValue"] for name, part in found.items() if name != "type") == current


@pytest.mark.parametrize(
    "metric",
    [
        by_utilization(50),
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "1m"}}},
        {
            "type": "ContainerResource",
            "containerResource": {"name": "cpu", "container": "main", "target": {"type": "Utilization", "averageUtilization": 50}},
        },
    ],
)
async def test_usage_beyond_all_bounds_is_told_as_far_as_numbers_go(metric: Object):
    async with running() as r:
        await begun(r, workload(replicas=2, request="1m", cpu="900T"), autoscaler("web", metric))
        assert await size(r) == 4
        (found,) = (await status(r))["currentMetrics"]
        current = next(part["current"] for name, part in found.items() if name != "type")
        assert current["averageValue"] == "900T"
        assert current.get("averageUtilization", 2**31 - 1) == 2**31 - 1
        await r.clock.sleep(3 * SYNC_S)
        assert await size(r) == 10
        first = await r.client.resource("autoscaling/v1", "horizontalpodautoscalers", "default").get("web")
        assert first["status"].get("currentCPUUtilizationPercentage") in {None, 2**31 - 1}


async def test_the_metric_that_calls_for_most_decides():
    async with running() as r:
        load = workload(replicas=2, cpu="60m", memory="100Mi")
        await begun(r, load, autoscaler("web", by_utilization(50), by_utilization(50, "memory")))
        assert await size(r) == 4
        assert [metric["resource"]["name"] for metric in (await status(r))["currentMetrics"]] == ["cpu", "memory"]


async def test_a_metric_that_says_nothing_lets_a_size_grow_but_not_shrink():
    async with running() as r:
        missing = {"type": "Pods", "pods": {"metric": {"name": "hits"}, "target": {"type": "AverageValue", "averageValue": "1"}}}
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler("web", missing, by_utilization(50)))
        assert await size(r) == 4
        assert (await conditions(r))["ScalingActive"] == VALID
        await autoscalers(r).delete("web")
        await begun(r, workload("calm", replicas=2, cpu="1m"), autoscaler("calm", missing, by_utilization(50), target="calm"))
        await r.clock.sleep(400)
        assert await size(r, "calm") == 2
        told = (
            "unable to get metric hits: unable to fetch metrics from custom metrics API: the server could not find the metric hits for pods"
        )
        assert (await conditions(r, "calm"))["ScalingActive"] == (
            "False",
            "FailedGetPodsMetric",
            f"the HPA was unable to compute the replica count: {told}",
        )
        first = f"invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: {told}"
        assert set(await reasons(r, "calm")) == {("FailedGetPodsMetric", told), ("FailedComputeMetricsReplicas", first)}
        empty, cpu = (await status(r, "calm"))["currentMetrics"]
        assert (empty, cpu["type"]) == ({"type": ""}, "Resource")


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (workload(cpu="none"), "unable to get metrics for resource cpu: no metrics returned from resource metrics API"),
        (workload(cpu="10m", request="100m"), ""),
        (workload(replicas=1, cpu="10m", request=""), "missing request for cpu in container main of Pod POD"),
    ],
)
async def test_resource_metrics_that_say_nothing(load: Object, why: str):
    if not load["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]:
        del load["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]
    async with running() as r:
        await begun(r, load, autoscaler())
        (pod,) = await r.pods.list_all()
        if not why:
            assert (await conditions(r))["ScalingActive"] == VALID
            return
        told = f"failed to get cpu utilization: {why.replace('POD', pod['metadata']['name'])}"
        unable = ("False", "FailedGetResourceMetric", f"the HPA was unable to compute the replica count: {told}")
        assert await conditions(r) == {"AbleToScale": GOT, "ScalingActive": unable}
        first = f"invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {told}"
        assert await reasons(r) == [("FailedGetResourceMetric", told), ("FailedComputeMetricsReplicas", first)]


async def test_a_container_that_is_not_there():
    metric = {"name": "cpu", "container": "other", "target": {"type": "Utilization", "averageUtilization": 50}}
    async with running() as r:
        await begun(r, workload(cpu="10m"), autoscaler("web", {"type": "ContainerResource", "containerResource": metric}))
        (pod,) = await r.pods.list_all()
        why = f"container other not present in metrics for pod default/{pod['metadata']['name']}"
        _, reason, told = (await conditions(r))["ScalingActive"]
        assert reason == "FailedGetContainerResourceMetric"
        assert told.endswith(f"unable to get metrics for resource cpu: failed to get container metrics: {why}")


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ({"apiVersion": "apps/v1", "kind": "Deployment", "name": "none"}, 'deployments.apps "none" not found'),
        ({"apiVersion": "shop.example/v1", "kind": "Shelf", "name": "web"}, 'no matches for kind "Shelf" in group "shop.example"'),
        ({"apiVersion": "v1", "kind": "ConfigMap", "name": "web"}, "the server could not find the requested resource"),
    ],
)
async def test_a_target_that_cannot_be_scaled(reference: Object, why: str):
    async with running() as r:
        await autoscalers(r).create(autoscaler(scaleTargetRef=reference))
        await r.clock.sleep(SYNC_S + 1)
        told = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {why}")
        assert await conditions(r) == {"AbleToScale": told}
        assert await reasons(r) == [("FailedGetScale", why)]
        await r.clock.sleep(SYNC_S)
        assert await reasons(r) == [("FailedGetScale", why)], "it is counted, not told again"


async def test_a_target_that_comes_later_is_found():
    async with running() as r:
        await autoscalers(r).create(autoscaler())
        await r.clock.sleep(SYNC_S + 1)
        assert (await conditions(r))["AbleToScale"][1] == "FailedGetScale"
        await r.deployments.create(workload(replicas=2, cpu="50m"))
        await r.clock.sleep(400)
        assert await conditions(r) == {"AbleToScale": READY, "ScalingActive": VALID, "ScalingLimited": WITHIN}


async def test_two_autoscalers_of_the_same_pods_do_nothing():
    async with running() as r:
        await begun(r, workload(replicas=2, cpu="50m"), autoscaler("one"))
        await autoscalers(r).create(autoscaler("two", by_utilization(10)))
        await r.clock.sleep(2 * SYNC_S + 1)
        why = "pods by selector app=web are controlled by multiple HPAs: [default/one default/two]"
        for name in ("one", "two"):
            assert (await conditions(r, name))["ScalingActive"] == ("False", "AmbiguousSelector", why)
            assert set(await reasons(r, name)) == {("AmbiguousSelector", why), ("FailedComputeMetricsReplicas", why)}
            assert (await status(r, name))["currentMetrics"] is None
        assert await size(r) == 2
        await autoscalers(r).delete("one")
        await r.clock.sleep(SYNC_S + 1)
        assert (await conditions(r, "two"))["ScalingActive"] == VALID
        assert await size(r) == 4


async def test_autoscalers_of_other_namespaces_are_none_of_its_business():
    async with running() as r:
        await r.client.resource("v1", "namespaces").create({"metadata": {"name": "other"}})
        other = {**autoscaler(), "metadata": {"name": "web", "namespace": "other"}}
        await r.client.resource("autoscaling/v2", "horizontalpodautoscalers", "other").create(other)
        await begun(r, workload(replicas=2, cpu="50m"), autoscaler())
        assert (await conditions(r))["ScalingActive"] == VALID


async def test_a_replica_set_is_scaled_like_a_deployment():
    async with running() as r:
        load = {**workload(replicas=2, cpu="100m"), "kind": "ReplicaSet"}
        await r.sets.create(load)
        await r.clock.sleep(400)
        target = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
        await autoscalers(r).create(autoscaler(scaleTargetRef=target))
        await r.clock.sleep(SYNC_S + 1)
        assert (await r.sets.get("web"))["spec"]["replicas"] == 4


async def test_a_stateful_set_is_scaled_and_its_pods_share_a_load_whatever_their_names():
    async with running() as r:
        load = {**workload(replicas=2, cpu="200m shared"), "kind": "StatefulSet"}
        sets = r.client.resource("apps/v1", "statefulsets", "default")
        await sets.create(load)
        await r.clock.sleep(400)
        target = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"}
        await autoscalers(r).create(autoscaler(scaleTargetRef=target))
        await r.clock.sleep(120)
        assert (await sets.get("web"))["spec"]["replicas"] == 4
        (current,) = (await status(r))["currentMetrics"]
        assert current["resource"]["current"] == {"averageUtilization": 50, "averageValue": "50m"}


def definition(**scale: Json) -> Object:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema, "status": schema}}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size", **scale},
        },
    }
    names = {"plural": "shelves", "singular": "shelf", "kind": "Shelf"}
    spec = {"group": "shop.example", "names": names, "scope": "Namespaced", "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shelves.shop.example"},
        "spec": spec,
    }


async def shelf(r: Running, **scale: Json) -> None:
    await r.client.resource("apiextensions.k8s.io/v1", "customresourcedefinitions").create(definition(**scale))
    await r.clock.sleep(5)
    shelves = r.client.resource("shop.example/v1", "shelves", "default")
    spec = {"apiVersion": "shop.example/v1", "kind": "Shelf", "metadata": {"name": "web"}, "spec": {"size": 1}}
    await shelves.create(spec)
    await shelves.patch("web", {"status": {"size": 1, "selector": "app=web"}}, subresource="status")
    await r.deployments.create(workload(replicas=1, cpu="100m"))
    await r.clock.sleep(400)
    target = {"apiVersion": "shop.example/v1", "kind": "Shelf", "name": "web"}
    await autoscalers(r).create(autoscaler(scaleTargetRef=target))
    await r.clock.sleep(SYNC_S + 1)


async def test_a_custom_resource_is_scaled_by_its_scale():
    async with running() as r:
        await shelf(r, labelSelectorPath=".status.selector")
        found = await r.client.resource("shop.example/v1", "shelves", "default").get("web")
        assert found["spec"]["size"] == 2


async def test_a_scale_without_a_selector_selects_nothing():
    async with running() as r:
        await shelf(r)
        missing = ("False", "InvalidSelector", "the HPA target's scale is missing a selector")
        assert (await conditions(r))["ScalingActive"] == missing
        assert await reasons(r) == [("SelectorRequired", "selector is required"), ("FailedComputeMetricsReplicas", "selector is required")]


async def test_an_autoscaler_of_the_first_version_works_and_is_shown_in_it():
    async with running() as r:
        first = {**autoscaler(), "apiVersion": "autoscaling/v1"}
        first["spec"] = {**{key: value for key, value in first["spec"].items() if key != "metrics"}, "targetCPUUtilizationPercentage": 50}
        await r.deployments.create(workload(replicas=2, cpu="100m"))
        await r.clock.sleep(400)
        v1 = r.client.resource("autoscaling/v1", "horizontalpodautoscalers", "default")
        await v1.create(first)
        await r.clock.sleep(SYNC_S + 1)
        assert await size(r) == 4
        shown = await v1.get("web")
        assert shown["status"]["currentCPUUtilizationPercentage"] == 100
        assert shown["status"]["desiredReplicas"] == 4


@pytest.mark.parametrize("dialect", ["svcapi", "kubernetes"])
async def test_it_speaks_both_dialects(dialect: str):
    async with running(dialect=dialect) as r:
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler())
        assert await size(r) == 4


async def test_it_can_be_switched_off():
    async with running(controllers=("*", "-horizontalpodautoscaling")) as r:
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler())
        assert await size(r) == 2
        assert (await status(r))["desiredReplicas"] == 0
