"""Metrics APIs that somebody else serves, and that answer what can't be read: the autoscaler says so, once, and nothing is logged."""

import logging

import pytest
from aiohttp import web

from svcsim.meta.types import Json, Object
from tests.controllers.autoscaling import SYNC_S, autoscaler, autoscalers, begun, by_utilization, conditions, size, workload
from tests.controllers.running import Running, running
from tests.outbound.tls import Authority, listening

pytestmark = pytest.mark.virtual_time

POD = {"metadata": {"name": "x", "namespace": "default"}, "timestamp": "2026-01-01T00:00:00Z", "window": "30s"}
SAID: dict[str, Json] = {
    "no usage": [{**POD, "containers": [{"name": "web"}]}],
    "no amount": [{**POD, "containers": [{"name": "web", "usage": {"cpu": "much"}}]}],
    "no time": [{**POD, "timestamp": "soon", "containers": [{"name": "web", "usage": {"cpu": "1"}}]}],
    "no object": ["x"],
    "no list": 7,
}


async def serve_metrics(r: Running, port: int) -> None:
    """Have the API of resource metrics be somebody else's, once it has been the cluster's own."""
    await r.clock.sleep(30)
    metadata = {"name": "metrics", "annotations": {"svcsim.dev/bound-to": f"443=127.0.0.1:{port}"}}
    await r.client.resource("v1", "services", "default").create({"metadata": metadata, "spec": {"ports": [{"port": 443}]}})
    group = r.dialect.group("metrics")
    spec: Object = {"group": group, "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100}
    spec |= {"service": {"namespace": "default", "name": "metrics"}, "insecureSkipTLSVerify": True}
    api_services = r.client.resource(f"{r.dialect.group('apiregistration')}/v1", "apiservices")
    await api_services.patch(f"v1beta1.{group}", {"spec": spec})
    await r.clock.sleep(30)


@pytest.mark.parametrize("items", SAID.values(), ids=SAID)
async def test_an_answer_that_can_not_be_read_is_told_of_the_autoscaler(items: Json, tmp_path, caplog):
    authority = Authority()

    async def handle(request: web.Request) -> web.Response:
        about: Object = {"kind": "PodMetricsList", "apiVersion": request.path.removeprefix("/apis/").partition("/namespaces")[0]}
        if "namespaces" in request.path:
            return web.json_response({**about, "metadata": {}, "items": items})
        pods = {"name": "pods", "kind": "PodMetrics", "namespaced": True, "singularName": "", "verbs": ["get", "list"]}
        return web.json_response({"kind": "APIResourceList", "groupVersion": about["apiVersion"], "resources": [pods]})

    async with listening(handle, authority.server_context(tmp_path, "metrics.default.svc")) as port, running() as r:
        await serve_metrics(r, port)
        caplog.set_level(logging.WARNING)
        await begun(r, workload(replicas=2, cpu="100m"), autoscaler("web", by_utilization(50)))
        holds, reason, message = (await conditions(r))["ScalingActive"]
        assert (holds, reason) == ("False", "FailedGetResourceMetric")
        told = "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the answer can't be read: "
        assert told in message
        written = (await autoscalers(r).get("web"))["metadata"]["resourceVersion"]
        await r.clock.sleep(4 * SYNC_S)
        assert (await autoscalers(r).get("web"))["metadata"]["resourceVersion"] == written
        assert await size(r) == 2
        assert [record.getMessage() for record in caplog.records if "autoscal" in record.getMessage()] == []
