"""Annotations of ours that count for nothing on other objects than pods are told on the object, once for each value."""

import pytest

from svcsim.client.api import Collection
from svcsim.meta.types import Object
from tests.controllers.running import Running, deployment, running

NO_QUANTITY = '"{}" is no quantity, such as 250m or 64Mi'
NO_SHARE = f"{NO_QUANTITY}: there is nothing requested that it could be a percentage of"
SERVICE: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"ports": [{"port": 80}], "selector": {"app": "web"}},
}


def claim(name: str) -> Object:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


async def told(r: Running, collection: Collection, name: str, **annotations: str) -> list[str]:
    """What is told of an object that these annotations are put on."""
    await collection.patch(name, {"metadata": {"annotations": annotations}})
    await r.clock.sleep(2)
    return [message for reason, message in await r.events_of(name) if reason == "InvalidAnnotation"]


def metric(name: str, why: str) -> str:
    return f"annotation metrics.svcsim.dev/{name}: {why}; it counts for nothing"


@pytest.mark.virtual_time
async def test_metrics_that_cannot_be_read_are_told_on_whatever_they_describe():
    async with running(nodes=1) as r:
        await r.client.resource("v1", "services", "default").create(SERVICE)
        for plural, namespace, name in (("namespaces", "", "default"), ("nodes", "", "node-1"), ("services", "default", "web")):
            collection = r.client.resource("v1", plural, namespace)
            assert await told(r, collection, name, **{"metrics.svcsim.dev/load": "80%"}) == [metric("load", NO_SHARE.format("80%"))]
            await told(r, collection, name, **{"metrics.svcsim.dev/load": "80", "metrics.svcsim.dev/fine": "a=b = 1 to 2 over 5m"})
            messages = await told(r, collection, name, **{"metrics.svcsim.dev/q": "abc"})
            assert messages == [metric("load", NO_SHARE.format("80%")), metric("q", NO_QUANTITY.format("abc"))]
            await told(r, collection, name, **{"metrics.svcsim.dev/other": "5"})
            assert await told(r, collection, name, **{"example.com/x": "5"}) == messages


@pytest.mark.virtual_time
async def test_steps_that_are_to_fail_elsewhere_are_told():
    async with running(nodes=1) as r:
        claims = r.client.resource("v1", "persistentvolumeclaims", "default")
        await claims.create(claim("data"))
        why = 'annotation svcsim.dev/fail-storage: "attach" counts for nothing here; it is meant for the volume'
        assert await told(r, claims, "data", **{"svcsim.dev/fail-storage": "provision: no; attach: no such machine; resize"}) == [why]


@pytest.mark.virtual_time
async def test_names_that_nobody_reads_are_told():
    async with running(nodes=1) as r:
        claims = r.client.resource("v1", "persistentvolumeclaims", "default")
        services = r.client.resource("v1", "services", "default")
        await claims.create(claim("data"))
        await services.create(SERVICE)
        unknown = "annotation svcsim.dev/{}: nothing is known by that name"
        mine = {"svcsim.dev/fail-storag": "attach", "svcsim.dev/fail-storage": "resize", "pod-ready.svcsim.dev/delay": "5s"}
        assert await told(r, claims, "data", **mine) == [f"{unknown.format('fail-storag')}; did you mean svcsim.dev/fail-storage?"]
        assert await told(r, services, "web", **{"svcsim.dev/xyz": "1"}) == [f"{unknown.format('xyz')}; there is bound-to"]
        nodes = r.client.resource("v1", "nodes")
        assert await told(r, nodes, "node-1", **{"svcsim.dev/cup": "1"}) == [unknown.format("cup")]
        await r.deployments.create(deployment("shop", 1))
        (message,) = await told(r, r.deployments, "shop", **{"svcsim.dev/run-fro": "1s"})
        assert message == f"{unknown.format('run-fro')}; did you mean svcsim.dev/run-for?"


@pytest.mark.virtual_time
async def test_names_that_count_elsewhere_are_told_so():
    async with running(nodes=1) as r:
        elsewhere = "annotation svcsim.dev/{}: it counts for nothing here; it is meant for {}"
        namespaces, nodes = r.client.resource("v1", "namespaces"), r.client.resource("v1", "nodes")
        services = r.client.resource("v1", "services", "default")
        await services.create(SERVICE)
        assert await told(r, namespaces, "default", **{"svcsim.dev/cpu": "3"}) == [elsewhere.format("cpu", "pods")]
        assert await told(r, nodes, "node-1", **{"svcsim.dev/run-for": "3s"}) == [elsewhere.format("run-for", "pods")]
        assert await told(r, services, "web", **{"svcsim.dev/fail-storage": "x"}) == [
            elsewhere.format("fail-storage", "claims and volumes")
        ]


@pytest.mark.virtual_time
async def test_what_is_meant_for_pods_is_told_where_it_belongs():
    async with running(nodes=1) as r:
        await r.deployments.create(deployment("web", 1))
        (message,) = await told(r, r.deployments, "web", **{"svcsim.dev/run-for": "30s"})
        assert message == (
            "annotation svcsim.dev/run-for: it counts for nothing here; what is meant for pods stands in their template "
            "(spec.template.metadata.annotations)"
        )
        (made,) = await r.sets.list_all()
        assert "InvalidAnnotation" not in [reason for reason, _ in await r.events_of(made["metadata"]["name"])]


@pytest.mark.virtual_time
async def test_many_mistakes_are_told_together():
    async with running(nodes=0) as r:
        namespaces = r.client.resource("v1", "namespaces")
        (message,) = await told(r, namespaces, "default", **{f"metrics.svcsim.dev/m{number}": "50%" for number in range(6)})
        assert message.count("; it counts for nothing | annotation ") == 5
