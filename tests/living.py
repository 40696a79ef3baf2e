"""A whole cluster on virtual time, for tests of what scheduler, nodes and controllers do together."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.events import in_order
from svcsim.meta.types import Json, Object
from tests.virtual import START_S

SPEC = ClusterSpec(dialect="kubernetes", nodes=3, seed=1, start_s=START_S)


class Living:
    """A running cluster and the handles tests need."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.client = cluster.client("test")
        self.pods = self.client.resource("v1", "pods", "default")
        self.nodes = self.client.resource("v1", "nodes")

    async def sleep(self, seconds: float) -> None:
        await self.cluster.clock.sleep(seconds)

    async def until(self, holds: Callable[[list[Object]], bool], within_s: float = 60.0) -> list[Object]:
        """Wait until something holds for the pods."""
        for _ in range(int(within_s * 4)):
            pods = await self.pods.list_all()
            if holds(pods):
                return pods
            await self.sleep(0.25)
        raise AssertionError(f"not within {within_s} s; the pods are {[(name(pod), phase(pod)) for pod in pods]}")

    async def run_pod(self, obj: Object) -> Object:
        """Create a pod and wait until it runs."""
        await self.pods.create(obj)
        await self.until(lambda pods: any(name(pod) == name(obj) and is_ready(pod) for pod in pods))
        return await self.pods.get(name(obj))

    async def events(self, about: str = "") -> list[Object]:
        """The events about an object, in the order they were last seen."""
        await self.sleep(0.01)
        found = await self.client.resource("v1", "events").list_all()
        return in_order(e for e in found if about in {"", e["involvedObject"]["name"]})

    async def reasons(self, about: str) -> list[str]:
        return [event["reason"] for event in await self.events(about)]


@asynccontextmanager
async def living(**spec: Json) -> AsyncIterator[Living]:
    """A cluster whose nodes have registered."""
    async with open_cluster(replace(SPEC, **spec)) as cluster:
        found = Living(cluster)
        await found.sleep(1.0)
        yield found
        assert cluster.failures == []


def pod(pod_name: str, *, image: str = "nginx:1.29", cpu: str = "100m", command: list[str] | None = None, **spec: Json) -> Object:
    container: Object = {"name": "main", "image": image, "resources": {"requests": {"cpu": cpu}}}
    if command:
        container["command"] = command
    meta = {"name": pod_name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container], **spec}}


def name(obj: Object) -> str:
    found: str = obj["metadata"]["name"]
    return found


def phase(obj: Object) -> str:
    found: str = obj["status"]["phase"]
    return found


def condition(obj: Object, kind: str) -> Object:
    found: Object = next((item for item in obj["status"].get("conditions", []) if item["type"] == kind), {})
    return found


def is_ready(obj: Object) -> bool:
    return condition(obj, "Ready").get("status") == "True"
