"""Webhooks that fail on purpose on a cluster whose clock is real, paused or stepped, and how that is asked for."""

import asyncio
from pathlib import Path

import pytest

from svcsim.client import paths
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.living import pod
from tests.virtual import START_S

WEB: Object = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod("web")["spec"]},
    },
}
GROUP = "admissionregistration.svcapi.io"


def configuration(name: str, *resources: str, groups: tuple[str, ...] = ("",)) -> Object:
    webhook = {
        "name": f"{name}.example.com",
        "clientConfig": {"service": {"namespace": "default", "name": "hooks"}},
        "rules": [{"operations": ["CREATE"], "apiGroups": list(groups), "apiVersions": ["v1"], "resources": list(resources)}],
        "failurePolicy": "Ignore",
        "timeoutSeconds": 5,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {"metadata": {"name": name}, "webhooks": [webhook, {**webhook, "name": f"other.{name}.example.com"}]}


async def fault(cluster: Cluster, **wish: Json) -> Object:
    answer: Object = await cluster.client("test").request("POST", paths.FAULTS, body=wish)
    return answer


async def test_a_clock_that_is_stepped_does_not_wait_for_components_that_wait_for_it(tmp_path: Path) -> None:
    spec = ClusterSpec(nodes=1, clock_speed=0.0, seed=1, start_s=START_S, data_dir=tmp_path / "c")
    async with open_cluster(spec) as cluster:
        client = cluster.client("test")
        await cluster.clock.step(20)
        for kind in ("mutating", "validating"):
            await client.resource(f"{GROUP}/v1", f"{kind}webhookconfigurations").create(configuration(kind, "pods"))
        put = await fault(cluster, type="webhook-fail", mode="timeout", target={"configuration": "*"})
        await client.resource("apps/v1", "deployments", "default").create(WEB)
        async with asyncio.timeout(60):
            await cluster.clock.step(120)
        pods = await client.resource("v1", "pods", "default").list_all()
        assert [pod["status"]["phase"] for pod in pods] == ["Running"] * 2
        assert await fault(cluster, remove=put["id"]) == {"removed": True, "struck": 8}
        assert await fault(cluster, remove=put["id"]) == {"removed": False, "struck": 0}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"mode": "timeout"}, "target must be an object"),
        ({"mode": "timeout", "target": {"name": 5}}, "target.name must be a string"),
        ({"mode": "5xx", "target": {}}, "webhook-fail takes a mode, one of timeout, slow, error, deny, wrong-uid, no-json"),
        ({"mode": "slow", "target": {}}, "webhook-fail in the mode slow takes a delay such as 5s"),
        ({"mode": "slow", "delay": "soon", "target": {}}, "takes a delay such as 5s"),
        ({"mode": "slow", "delay": 5, "target": {}}, "takes a delay such as 5s"),
        ({"mode": "error", "code": 200, "target": {}}, "code must be the status of an error, 400 to 599, not 200"),
        ({"mode": "deny", "percent": 0, "target": {}}, "percent must be a number above 0 up to 100, not 0"),
        ({"type": "webhook-answer", "target": {}}, "webhook-answer takes one of allow, deny, patch"),
        ({"type": "webhook-answer", "target": {}, "allow": True, "deny": "no"}, "webhook-answer takes one of allow, deny, patch"),
    ],
)
async def test_what_is_no_fault_of_webhooks_is_refused(wish: Object, why: str) -> None:
    async with open_cluster(ClusterSpec(nodes=0, seed=1)) as cluster:
        with pytest.raises(StatusError) as refused:
            await fault(cluster, **{"type": "webhook-fail", **wish})
        assert refused.value.code == 400
        assert why in refused.value.message
