"""Autoscalers by custom and external metrics: what annotations say, and what is told where they say nothing."""

import pytest

from svcsim.meta.types import Json, Object
from tests.controllers.autoscaling import SYNC_S, autoscaler, autoscalers, begun, conditions, size, workload
from tests.controllers.running import Running, running

pytestmark = pytest.mark.virtual_time


def metric(name: str, **labels: str) -> Object:
    return {"name": name, **({"selector": {"matchLabels": labels}} if labels else {})}


def target(kind: str, amount: str) -> Object:
    return {"type": kind, {"Value": "value", "AverageValue": "averageValue"}[kind]: amount}


def by_pods(name: str, amount: str, **labels: str) -> Object:
    return {"type": "Pods", "pods": {"metric": metric(name, **labels), "target": target("AverageValue", amount)}}


def by_object(name: str, kind: str, amount: str, described: Object | None = None, **labels: str) -> Object:
    described = described or {"apiVersion": "v1", "kind": "Service", "name": "web"}
    return {"type": "Object", "object": {"metric": metric(name, **labels), "describedObject": described, "target": target(kind, amount)}}


def by_outside(name: str, kind: str, amount: str, **labels: str) -> Object:
    return {"type": "External", "external": {"metric": metric(name, **labels), "target": target(kind, amount)}}


async def service(r: Running, **said: str) -> None:
    annotations = {f"metrics.svcsim.dev/{name}": text for name, text in said.items()}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    await r.client.resource("v1", "services", "default").create({"metadata": {"name": "web", "annotations": annotations}, "spec": spec})


async def outside(r: Running, **said: Json) -> None:
    annotations = {f"metrics.svcsim.dev/{name}": text for name, text in said.items()}
    await r.client.resource("v1", "namespaces").patch("default", {"metadata": {"annotations": annotations}})


async def current(r: Running) -> Object:
    """The first metric as the status has it."""
    found: Object = (await autoscalers(r).get("web"))["status"]["currentMetrics"][0]
    return found


async def calculated(r: Running) -> str:
    """What the size was calculated from."""
    holds, reason, message = (await conditions(r))["ScalingActive"]
    assert (holds, reason) == ("True", "ValidMetricFound")
    return message.removeprefix("the HPA was able to successfully calculate a replica count from ")


async def unable(r: Running) -> tuple[str, str]:
    holds, reason, message = (await conditions(r))["ScalingActive"]
    assert holds == "False"
    return reason, message.removeprefix("the HPA was unable to compute the replica count: ")


async def test_what_each_pod_says():
    async with running() as r:
        await begun(r, workload(replicas=2, **{"metrics.svcsim.dev/requests": "20"}), autoscaler("web", by_pods("requests", "10")))
        assert await size(r) == 4
        assert await calculated(r) == "pods metric requests"
        assert await current(r) == {"type": "Pods", "pods": {"metric": {"name": "requests"}, "current": {"averageValue": "20"}}}


async def test_a_load_that_pods_share_is_met_by_as_many_as_it_takes():
    async with running() as r:
        await begun(r, workload(replicas=2, **{"metrics.svcsim.dev/requests": "50 shared"}), autoscaler("web", by_pods("requests", "10")))
        await r.clock.sleep(120)
        assert await size(r) == 5
        assert (await current(r))["pods"]["current"] == {"averageValue": "10"}


async def test_series_are_narrowed_down_by_labels():
    async with running() as r:
        said = {"metrics.svcsim.dev/requests": "verb=get = 100; verb=put = 20"}
        await begun(r, workload(replicas=2, **said), autoscaler("web", by_pods("requests", "10", verb="put")))
        assert await size(r) == 4


async def test_what_one_object_says_is_shared_by_all_pods():
    async with running() as r:
        await service(r, hits="20")
        await begun(r, workload(replicas=2), autoscaler("web", by_object("hits", "Value", "10")))
        assert await size(r) == 4
        assert await calculated(r) == "Service metric hits"
        described = {"kind": "Service", "name": "web", "apiVersion": "v1"}
        found = {"describedObject": described, "metric": {"name": "hits"}, "current": {"value": "20"}}
        assert await current(r) == {"type": "Object", "object": found}


async def test_what_one_object_says_may_be_for_each_pod():
    async with running() as r:
        await service(r, hits="30")
        await begun(r, workload(replicas=2), autoscaler("web", by_object("hits", "AverageValue", "10")))
        assert await size(r) == 3
        assert await calculated(r) == "external metric hits(nil)"
        assert (await current(r))["object"]["current"] == {"averageValue": "15"}


@pytest.mark.parametrize(
    "described",
    [
        {"apiVersion": "v1", "kind": "Namespace", "name": "default"},
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
    ],
    ids=["namespace", "deployment"],
)
async def test_any_object_can_be_described(described: Object):
    async with running() as r:
        await outside(r, depth="20")
        obj = workload(replicas=2)
        obj["metadata"]["annotations"] = {"metrics.svcsim.dev/depth": "20"}
        await begun(r, obj, autoscaler("web", by_object("depth", "Value", "10", described)))
        assert await size(r) == 4


async def test_what_is_measured_outside_is_added_up():
    async with running() as r:
        await outside(r, queue="shop=a = 12; shop=b = 8; shop=c,old=yes = 500")
        await begun(r, workload(replicas=2), autoscaler("web", by_outside("queue", "Value", "10", shop="a")))
        assert await size(r) == 3
        selector = "&LabelSelector{MatchLabels:map[string]string{shop: a,},MatchExpressions:[]LabelSelectorRequirement{},}"
        assert await calculated(r) == f"external metric queue({selector})"
        found = {"metric": {"name": "queue", "selector": {"matchLabels": {"shop": "a"}}}, "current": {"value": "12"}}
        assert await current(r) == {"type": "External", "external": found}


async def test_what_is_measured_outside_may_be_for_each_pod():
    async with running() as r:
        await outside(r, queue="12; shop=b = 28")
        await begun(r, workload(replicas=2), autoscaler("web", by_outside("queue", "AverageValue", "10")))
        assert await size(r) == 4
        assert (await current(r))["external"]["current"] == {"averageValue": "20"}


async def test_a_value_that_somebody_changes_is_followed():
    async with running() as r:
        await outside(r, queue="20")
        await begun(r, workload(replicas=2), autoscaler("web", by_outside("queue", "AverageValue", "10")))
        assert await size(r) == 2
        await outside(r, queue="40")
        await r.clock.sleep(SYNC_S)
        assert await size(r) == 4


async def test_nothing_is_scaled_to_zero_and_up_again_by_what_is_outside():
    async with running() as r:
        await outside(r, queue="0")
        await begun(r, workload(replicas=2), autoscaler("web", by_outside("queue", "AverageValue", "10"), least=0))
        await r.clock.sleep(320)
        assert await size(r) == 0
        await outside(r, queue="25")
        await r.clock.sleep(2 * SYNC_S)
        assert await size(r) == 3


NOBODY = "unable to fetch metrics from custom metrics API: the server could not find the metric"
BAD = 'annotation metrics.svcsim.dev/bad can\'t be read: "lots" is no quantity, such as 250m or 64Mi'
NO_SHARE = (
    "annotation metrics.svcsim.dev/share can't be read: "
    '"80%" is no quantity, such as 250m or 64Mi: there is nothing requested that it could be a percentage of'
)
SHELF = 'unable to map kind Shelf to resource: no matches for kind "Shelf" in group "a"'
NO_SHOP = "&LabelSelector{MatchLabels:map[string]string{shop: none,},MatchExpressions:[]LabelSelectorRequirement{},}"
ON_WEB = "Service on default web"
NO_SERVICE, NO_KIND = ({"apiVersion": version, "kind": kind, "name": "none"} for version, kind in (("v1", "Service"), ("a/v1", "Shelf")))
UNSAID: list[tuple[Object, str, str]] = [
    (by_pods("hits", "1"), "Pods", f"unable to get metric hits: {NOBODY} hits for pods"),
    (by_object("hits", "Value", "1"), "Object", f"unable to get metric hits: {ON_WEB}/{NOBODY} hits for services web"),
    (by_object("bad", "Value", "1"), "Object", f"unable to get metric bad: {ON_WEB}/{NOBODY} bad for services web: {BAD}"),
    (
        by_object("share", "Value", "1"),
        "Object",
        f"unable to get metric share: {ON_WEB}/{NOBODY} share for services web: {NO_SHARE}",
    ),
    (
        by_object("hits", "Value", "1", NO_SERVICE),
        "Object",
        'unable to get metric hits: Service on default none/unable to fetch metrics from custom metrics API: services "none" not found',
    ),
    (
        by_object("hits", "Value", "1", NO_KIND),
        "Object",
        f"unable to get metric hits: Shelf on default none/unable to fetch metrics from custom metrics API: {SHELF}",
    ),
    (
        by_outside("hits", "Value", "1"),
        "External",
        "unable to get external metric default/hits/nil: no metrics returned from external metrics API",
    ),
    (
        by_outside("queue", "Value", "1", shop="none"),
        "External",
        f"unable to get external metric default/queue/{NO_SHOP}: no metrics returned from external metrics API",
    ),
]


@pytest.mark.parametrize(("by", "kind", "said"), UNSAID)
async def test_a_metric_that_nobody_says_is_told(by: Object, kind: str, said: str):
    async with running() as r:
        await service(r, bad="lots", share="80%")
        await outside(r, queue="shop=a = 1")
        await begun(r, workload(replicas=2), autoscaler("web", by))
        assert await unable(r) == (f"FailedGet{kind}Metric", said)
        assert await size(r) == 2


async def test_what_cannot_be_read_of_a_pod_is_told_by_its_node_when_it_starts_and_when_it_changes():
    async with running() as r:
        load = workload(cpu="lots", memory="main=1Mi", **{"other.svcsim.dev/memory": "1Mi", "metrics.svcsim.dev/requests": "a,b = 1"})
        await begun(r, load, autoscaler("web", by_pods("requests", "1")))
        (pod,) = await r.pods.list_all()
        name = pod["metadata"]["name"]
        told = [message for reason, message in await r.events_of(name) if reason == "InvalidAnnotation"]
        assert sorted(told) == [
            'annotation metrics.svcsim.dev/requests: "a,b" is no list of labels such as queue=a; it counts for nothing',
            'annotation other.svcsim.dev/memory: the pod has no container "other"',
            'annotation svcsim.dev/cpu: "lots" is neither a quantity, such as 250m or 64Mi, nor a percentage; it counts for nothing',
            "annotation svcsim.dev/memory: what is said of one container stands in NAME.svcsim.dev/memory; it counts for nothing",
        ]
        await r.pods.patch(name, {"metadata": {"annotations": {"svcsim.dev/cpu": "1 to 2", "svcsim.dev/memory": None}}})
        await r.clock.sleep(5)
        told = [message for reason, message in await r.events_of(name) if reason == "InvalidAnnotation"]
        assert [one for one in told if one.startswith('annotation svcsim.dev/cpu: "1 to 2" is none of')]
        assert (await r.pods.get(name))["status"]["phase"] == "Running"
