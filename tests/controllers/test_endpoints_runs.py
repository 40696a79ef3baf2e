"""Endpoints follow services and pods in a running cluster."""

import pytest

from svcsim import limits
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
async def test_headless_services_alone_are_told_of_as_such():
    async with running(nodes=0) as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        services = r.client.resource("v1", "services", "default")
        label = "service.kubernetes.io/headless"
        for name, said, spec in (("web", "", {}), ("peers", "", {"clusterIP": "None"}), ("other", None, {"clusterIP": "None"})):
            made = service(name, **spec)
            await services.create({**made, "metadata": {"name": name, "labels": {"tier": name, **({} if said is None else {label: said})}}})
        for collection in (endpoints, slices):
            items = await r.until(lambda items: len({one["metadata"]["labels"].get("tier") for one in items} - {None}) == 3, collection)
            told = {
                one["metadata"]["labels"]["tier"]: one["metadata"]["labels"].get(label)
                for one in items
                if "tier" in one["metadata"]["labels"]
            }
            assert told == {"web": None, "peers": "", "other": ""}


@pytest.mark.virtual_time
async def test_a_service_without_a_selector_has_the_endpoints_it_is_given():
    async with running() as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        given = [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80, "protocol": "TCP"}]}]
        await r.client.resource("v1", "services", "default").create(service("outside", selector=None))
        await endpoints.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "outside"}, "subsets": given})
        await r.clock.sleep(60)
        assert (await endpoints.get("outside"))["subsets"] == given


def written_by_hand(name: str, **annotations: str) -> Object:
    subsets = [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80, "protocol": "TCP"}]}]
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": name, "annotations": annotations}, "subsets": subsets}


@pytest.mark.virtual_time
async def test_endpoints_go_with_their_service_whoever_wrote_them():
    async with running(nodes=0) as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        services = r.client.resource("v1", "services", "default")
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        await services.create(service("outside", selector=None))
        await endpoints.create(written_by_hand("outside"))
        await r.until(lambda items: any(item["metadata"]["name"].startswith("outside-") for item in items), slices)
        await services.delete("outside")
        await r.until_gone(endpoints, "outside")
        await r.until(lambda items: not any(item["metadata"]["name"].startswith("outside-") for item in items), slices)


@pytest.mark.virtual_time
async def test_endpoints_stay_whose_service_never_was():
    async with running(nodes=0) as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        services = r.client.resource("v1", "services", "default")
        await endpoints.create(written_by_hand("alone"))
        await services.create(service("gone", selector=None))
        await services.delete("gone")
        await r.clock.sleep(10)
        await endpoints.create(written_by_hand("gone"))
        await services.delete("kubernetes")
        await r.clock.sleep(60)
        await endpoints.patch("alone", {"metadata": {"labels": {"changed": "later"}}})
        await r.clock.sleep(60)
        assert sorted(item["metadata"]["name"] for item in await endpoints.list_all()) == ["alone", "gone", "kubernetes"]


@pytest.mark.virtual_time
async def test_endpoints_by_which_a_leader_is_elected_have_no_slices():
    async with running(nodes=0) as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        slices = r.client.resource("discovery.k8s.io/v1", "endpointslices", "default")
        for name in ("lock", "outside"):
            await r.client.resource("v1", "services", "default").create(service(name, selector=None))
        await endpoints.create(written_by_hand("lock", **{"control-plane.alpha.kubernetes.io/leader": "{}"}))
        await endpoints.create(written_by_hand("outside"))
        found = await r.until(lambda items: any(item["metadata"]["name"].startswith("outside-") for item in items), slices)
        assert not any(item["metadata"]["name"].startswith("lock-") for item in found)


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


def says_more(items: list[Object]) -> list[str | None]:
    over = "endpoints.kubernetes.io/over-capacity"
    return [item["metadata"]["annotations"].get(over) for item in items if item["metadata"]["name"] == "web"]


@pytest.mark.virtual_time
async def test_endpoints_say_that_there_are_more_addresses_as_long_as_there_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "ENDPOINTS_ADDRESSES", 3)
    async with running(nodes=0) as r:
        endpoints = r.client.resource("v1", "endpoints", "default")
        await r.client.resource("v1", "services", "default").create(service("web"))
        for number in range(4):
            spec = {"containers": [{"name": "main", "image": "nginx"}]}
            await r.pods.create({"metadata": {"name": f"p{number}", "labels": {"app": "web"}}, "spec": spec})
            status = {"podIP": f"10.9.0.{number + 1}", "conditions": [{"type": "Ready", "status": "True"}]}
            await r.pods.patch(f"p{number}", {"status": status}, subresource="status")
        await r.until(lambda items: says_more(items) == ["truncated"], endpoints)
        assert addresses(await endpoints.list_all()) == 3
        await r.pods.delete("p0", grace_period_s=0)
        await r.until(lambda items: says_more(items) == [None], endpoints)
        assert addresses(await endpoints.list_all()) == 3
