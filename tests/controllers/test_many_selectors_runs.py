"""Many services, budgets and pods in one namespace: each change costs what has to do with it, however many others there are."""

from collections.abc import Callable

import pytest

from svcsim.meta.types import Object
from tests.calls import work_in
from tests.controllers.running import Running, running

FEW, MANY = 10, 150


def pod(name: str, **labels: str) -> Object:
    spec = {"containers": [{"name": "main", "image": "nginx:1"}], "nodeName": "elsewhere"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


def service(number: int) -> Object:
    return {"metadata": {"name": f"app-{number}"}, "spec": {"selector": {"app": f"app-{number}"}, "ports": [{"port": 80}]}}


def budget(number: int) -> Object:
    return {"metadata": {"name": f"app-{number}"}, "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": f"app-{number}"}}}}


SELECTING: dict[str, tuple[str, str, Callable[[int], Object], str]] = {
    "services": ("v1", "services", service, "/controllers/endpoints/"),
    "budgets": ("policy/v1", "poddisruptionbudgets", budget, "/controllers/disruption/"),
}


async def made(cluster: Running, kind: str, numbers: range) -> None:
    version, plural, make, _ = SELECTING[kind]
    for number in numbers:
        await cluster.client.resource(version, plural, "default").create(make(number))
    await cluster.clock.sleep(5)


async def work_of_a_pod(kind: str, others: int) -> int:
    """What a pod is to the controller, where one object selects it and so many select others."""
    async with running(nodes=0) as cluster:
        await made(cluster, kind, range(others + 1))
        with work_in(SELECTING[kind][-1], "/meta/selector") as found:
            await cluster.pods.create(pod("a", app="app-0"))
            await cluster.clock.sleep(5)
        assert "reconcile" in found
        return len(found)


async def work_among_pods(kind: str, others: int) -> int:
    """What one object that selects a pod is to the controller, where there are so many other pods."""
    async with running(nodes=0) as cluster:
        for number in range(others + 1):
            await cluster.pods.create(pod(f"pod-{number}", app=f"app-{number}"))
        await cluster.clock.sleep(5)
        with work_in(SELECTING[kind][-1], "/meta/selector") as found:
            await made(cluster, kind, range(1))
        assert "reconcile" in found
        return len(found)


@pytest.mark.virtual_time
@pytest.mark.parametrize("kind", SELECTING)
@pytest.mark.parametrize("work", [work_of_a_pod, work_among_pods])
async def test_what_selects_others_costs_nothing(kind: str, work: Callable):
    assert await work(kind, MANY) <= 1.2 * await work(kind, FEW)


async def work_of_an_eviction(others: int) -> int:
    """What the budgets of other pods are to the eviction of one."""
    async with running(nodes=1) as cluster:
        await made(cluster, "budgets", range(others))
        own = {"metadata": {"name": "own"}, "spec": {"minAvailable": 0, "selector": {"matchLabels": {"app": "own"}}}}
        budgets = cluster.client.resource("policy/v1", "poddisruptionbudgets", "default")
        await budgets.create(own)
        lone = pod("lone", app="own")
        del lone["spec"]["nodeName"]
        await cluster.pods.create(lone)
        await cluster.clock.sleep(60)
        with work_in("/cluster/evictions", "/meta/selector") as found:
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "lone"}}
            await cluster.pods.create_subresource("lone", "eviction", eviction)
        assert "counted_down" in found
        return len(found)


@pytest.mark.virtual_time
async def test_budgets_of_other_pods_cost_an_eviction_nothing():
    assert await work_of_an_eviction(MANY) <= 1.2 * await work_of_an_eviction(FEW)
