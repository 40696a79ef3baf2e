"""Endpoints follow services and pods in a running cluster."""

import pytest

from svcsim.meta.types import Object
from tests.controllers.running import deployment, running


def service(name: str, **spec: object) -> Object:
    ports = [{"name": "http", "port": 80, "targetPort": 8080}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": {"app": "web"}, "ports": ports, **spec}}


def addresses(items: list[Object], field: str = "addresses") -> int:
    return sum(len(subset.get(field, [])) for item in items if item["metadata"]["name"] == "web" for subset in item.get("subsets", []))


@pytest.mark.virtual_time
async def test_ready_pods_of_a_service_are_its_addresses():
    async with running() as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        services = r.client.resource("v1", "services", "default")
        await services.create(service("web"))
        await r.deployments.create(deployment("web", 3))
        await r.until(lambda items: addresses(items) == 3, endpoints)
        made = await endpoints.get("web")
        assert made["subsets"][0]["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
        pods = {pod["status"]["podIP"]: pod for pod in await r.pods.list_all()}
        for address in made["subsets"][0]["addresses"]:
            pod = pods[address["ip"]]
            assert address["nodeName"] == pod["spec"]["nodeName"]
            assert address["targetRef"]["uid"] == pod["metadata"]["uid"]

        await r.deployments.patch("web", {"spec": {"replicas": 1}})
        await r.until(lambda items: addresses(items) == 1, endpoints)
        await services.delete("web")
        await r.until_gone(endpoints, "web")


@pytest.mark.virtual_time
async def test_a_service_without_a_selector_has_the_endpoints_it_is_given():
    async with running() as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        given = [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80, "protocol": "TCP"}]}]
        await r.client.resource("v1", "services", "default").create(service("outside", selector=None))
        await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "outside"}, "subsets": given})
        await r.clock.sleep(60)
        assert (await endpoints.get("outside"))["subsets"] == given


@pytest.mark.virtual_time
async def test_addresses_that_are_published_all_the_same_are_ready_and_not_serving():
    async with running(nodes=1) as r:
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        await r.client.resource("v1", "services", "default").create(service("web", publishNotReadyAddresses=True))
        await r.deployments.create(deployment("web", 1))

        def states(items: list[Object]) -> list[Object]:
            mine = [item for item in items if item["metadata"]["name"].startswith("web-")]
            return [endpoint["conditions"] for item in mine for endpoint in item.get("endpoints") or ()]

        await r.until(lambda items: states(items) == [{"ready": True, "serving": True, "terminating": False}], slices)
        (made,) = await r.pods.list_all()
        unready = [{**one, "status": "False"} if one["type"] == "Ready" else one for one in made["status"]["conditions"]]
        await r.pods.patch(made["metadata"]["name"], {"status": {"conditions": unready}}, subresource="status")
        await r.until(lambda items: states(items) == [{"ready": True, "serving": False, "terminating": False}], slices)
