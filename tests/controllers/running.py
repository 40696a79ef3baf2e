"""A whole cluster on virtual time, for seeing controllers at work; and the few manifests they work on here."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from svcsim.client.api import Collection
from svcsim.cluster.cluster import Cluster, open_cluster
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from tests.virtual import START_S

LONG_S = 3600.0


class Running:
    """A cluster and a user who types at it."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.clock = cluster.clock
        self.client = cluster.client("user")
        self.dialect = cluster.dialect
        self.deployments = self.client.resource("apps/v1", "deployments", "default")
        self.sets = self.client.resource("apps/v1", "replicasets", "default")
        self.pods = self.client.resource("v1", "pods", "default")
        self.config_maps = self.client.resource("v1", "configmaps", "default")

    async def until(self, holds: Callable[[list[Object]], bool], collection: Collection, within_s: float = 120.0) -> list[Object]:
        """Wait until something holds for the objects of a collection, asked at every change; gives the objects."""
        items: list[Object] = []
        try:
            async with self.clock.timeout(within_s):
                while True:
                    page = await collection.list()
                    items = page.items
                    if holds(items):
                        return items
                    async with collection.watch(page.revision, bookmarks=False) as events:
                        async for _ in events:
                            break
        except TimeoutError:
            seen = [(item["metadata"]["name"], item.get("status")) for item in items]
            raise AssertionError(f"it did not come to hold within {within_s} s for {collection.plural}: {seen}") from None

    async def until_gone(self, collection: Collection, name: str, within_s: float = 120.0) -> None:
        """Wait until an object is no more."""
        await self.until(lambda items: all(item["metadata"]["name"] != name for item in items), collection, within_s)

    async def rolled_out(self, name: str, within_s: float = 120.0) -> Object:
        """Wait until a deployment is as it should be."""

        def holds(items: list[Object]) -> bool:
            (deployment,) = [item for item in items if item["metadata"]["name"] == name]
            status, wanted = deployment.get("status") or {}, deployment["spec"]["replicas"]
            return status.get("observedGeneration") == deployment["metadata"]["generation"] and all(
                status.get(field, 0) == wanted for field in ("replicas", "updatedReplicas", "availableReplicas")
            )

        items = await self.until(holds, self.deployments, within_s)
        return next(item for item in items if item["metadata"]["name"] == name)

    async def events_of(self, name: str) -> list[tuple[str, str]]:
        """Reasons and messages of the events about an object, in order."""
        found = await self.client.resource("v1", "events", "default").list_all(field_selector=f"involvedObject.name={name}")
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["reason"], event["message"]) for event in found]

    async def exists(self, collection: Collection, name: str) -> bool:
        """Whether there is such an object now."""
        try:
            await collection.get(name)
        except StatusError as error:
            if error.code != 404:
                raise
            return False
        return True


@asynccontextmanager
async def running(*, seed: int = 1, nodes: int = 3, **spec: Json) -> AsyncIterator[Running]:
    """A cluster of its own, in the dialect of Kubernetes unless told otherwise; no component of it may have failed."""
    async with open_cluster(ClusterSpec(**{"dialect": "kubernetes", "seed": seed, "nodes": nodes, "start_s": START_S, **spec})) as cluster:
        yield Running(cluster)
        assert cluster.failures == []


def template(app: str, image: str = "nginx:1", **spec: object) -> Object:
    """A pod template."""
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "main", "image": image}], **spec}}


def deployment(name: str, replicas: int = 3, image: str = "nginx:1", **spec: object) -> Object:
    """A deployment of one container."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template(name, image), **spec},
    }


def replica_set(name: str, replicas: int = 3, **spec: object) -> Object:
    """A ReplicaSet of one container."""
    return {**deployment(name, replicas, **spec), "kind": "ReplicaSet"}


def config_map(name: str, *owners: Object, **metadata: object) -> Object:
    """A config map with owners."""
    references = [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for owner in owners
    ]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", **({"ownerReferences": references} if references else {}), **metadata},
    }
