"""What happens between a controller's look and its deed counts: evictions that are granted, services that come back, pods that end."""

import pytest

from svcsim.controllers.disruption.controller import DisruptionController
from svcsim.controllers.endpoints.controller import EndpointsController
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.objects import is_terminating, name_of, uid_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object
from tests.controllers.beside import beside, without_controller
from tests.controllers.running import Running, running
from tests.living import pod

SELECTED: Object = {"app": "web"}


def selected(name: str, **spec: object) -> Object:
    made = pod(name, **spec)
    made["metadata"]["labels"] = SELECTED
    return made


async def evict(r: Running, name: str) -> int:
    try:
        await r.pods.create_subresource(name, "eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})
    except StatusError as error:
        return error.code
    return 201


@pytest.mark.virtual_time
async def test_an_eviction_that_is_granted_while_pods_are_counted_is_not_forgotten(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, DisruptionController)
    granted: list[int] = []
    more = False

    async def before(request: Request) -> None:
        if more and request.method == "PUT" and request.path.endswith("/poddisruptionbudgets/web/status") and not granted:
            granted.append(await evict(r, "web-0"))

    async with running() as r, beside(r, maker=DisruptionController, before=before):
        spec: Object = {"minAvailable": 2, "selector": {"matchLabels": SELECTED}}
        await r.client.resource("policy/v1", "poddisruptionbudgets", "default").create({"metadata": {"name": "web"}, "spec": spec})
        for number in range(3):
            await r.pods.create(selected(f"web-{number}"))
        await r.until(lambda pods: all(map(is_ready, pods)), r.pods)
        await r.clock.sleep(10)
        more = True
        await r.pods.create(selected("more", nodeSelector={"disk": "none"}))
        while not granted:
            await r.clock.sleep(0.001)
        assert granted == [201]
        assert await evict(r, "web-1") == 429


@pytest.mark.virtual_time
async def test_the_endpoints_of_a_service_that_comes_back_meanwhile_stay(monkeypatch: pytest.MonkeyPatch):
    without_controller(monkeypatch, EndpointsController)
    made: Object = {}

    async def before(request: Request) -> None:
        if request.method == "DELETE" and request.path.endswith("/endpoints/web") and not made:
            await endpoints.delete("web")
            await services.create(service)
            made.update(await endpoints.create({"metadata": {"name": "web"}, "subsets": []}))

    service: Object = {"metadata": {"name": "web"}, "spec": {"selector": SELECTED, "ports": [{"port": 80}]}}
    async with running(nodes=0) as r, beside(r, maker=EndpointsController, before=before):
        services, endpoints = r.client.resource("v1", "services", "default"), r.client.resource("v1", "endpoints", "default")
        await services.create(service)
        await r.until(lambda items: any(name_of(one) == "web" for one in items), endpoints)
        await services.delete("web")
        await r.clock.sleep(30)
        assert made, "those of the one that was gone were about to be deleted"
        assert uid_of(await endpoints.get("web")) == uid_of(made)


@pytest.mark.virtual_time
async def test_what_pods_use_is_there_until_they_have_ended_though_their_namespace_goes():
    async with running() as r:
        namespaces = r.client.resource("v1", "namespaces")
        await namespaces.create({"metadata": {"name": "shop"}})
        pods, config_maps = r.pods.within("shop"), r.config_maps.within("shop")
        await config_maps.create({"metadata": {"name": "settings"}})
        wish = pod("web", terminationGracePeriodSeconds=60)
        wish["spec"]["containers"][0]["lifecycle"] = {"preStop": {"sleep": {"seconds": 45}}}
        await pods.create({**wish, "metadata": {"name": "web"}})
        await r.until(lambda items: any(map(is_ready, items)), pods)
        await namespaces.delete("shop")
        await r.clock.sleep(30)
        assert is_terminating(await pods.get("web"))
        assert await r.exists(config_maps, "settings")
        await r.until_gone(namespaces, "shop")
