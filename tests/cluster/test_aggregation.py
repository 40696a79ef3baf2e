"""A server outside of a cluster whose time is virtual: its time stands still while the other is asked."""

import pytest
from aiohttp import web

from tests.living import living
from tests.outbound.tls import Authority, listening

pytestmark = pytest.mark.virtual_time

RESOURCES = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "a.example.com/v1", "resources": []}


async def test_an_api_server_outside_is_reached_from_virtual_time(tmp_path):
    authority = Authority()

    async def handle(request):
        return web.json_response(RESOURCES if request.path == "/apis/a.example.com/v1" else {"kind": "Thing", "path": request.path})

    async with listening(handle, authority.server_context(tmp_path, "api.default.svc")) as port, living(nodes=0) as cluster:
        metadata = {"name": "api", "annotations": {"svcsim.dev/bound-to": f"443=127.0.0.1:{port}"}}
        services = cluster.client.resource("v1", "services", "default")
        await services.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 443}]}})
        api_services = cluster.client.resource("apiregistration.k8s.io/v1", "apiservices")
        spec = {"group": "a.example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 15}
        spec |= {"service": {"namespace": "default", "name": "api"}, "insecureSkipTLSVerify": True}
        whole = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.a.example.com"}, "spec": spec}
        await api_services.create(whole)
        await cluster.sleep(10)
        (condition,) = (await api_services.get("v1.a.example.com"))["status"]["conditions"]
        assert (condition["status"], condition["reason"]) == ("True", "Passed")
        path = "/apis/a.example.com/v1/namespaces/default/things/one"
        assert await cluster.client.get_json(path) == {"kind": "Thing", "path": path}
        await api_services.delete("v1.a.example.com")
        await cluster.sleep(1)
