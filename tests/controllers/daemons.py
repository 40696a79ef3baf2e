"""DaemonSets for tests, and what is asked of them there."""

from svcsim.client.revisions import HASH_LABEL
from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import is_ready, node_of
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, template


def daemon_set(name: str = "agent", image: str = "agent:1", *, pod: Object | None = None, **spec: object) -> Object:
    """A DaemonSet of one container; ``pod`` is what its pods' spec says besides."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template(name, image, **(pod or {})), **spec},
    }


def with_image(image: str) -> Object:
    """The patch that starts an update."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}}


def surge(count: Json) -> Object:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": count, "maxUnavailable": 0}}}


class Daemons:
    """A cluster's DaemonSets, revisions and nodes at hand."""

    def __init__(self, running: Running) -> None:
        self.r = running
        self.sets = running.client.resource("apps/v1", "daemonsets", "default")
        self.kept = running.client.resource("apps/v1", "controllerrevisions", "default")
        self.nodes = running.client.resource("v1", "nodes")

    async def done(self, name: str = "agent", nodes: int = 3, within_s: float = 300.0) -> Object:
        """Wait until so many nodes have a pod that is available and of the present template."""

        def holds(items: list[Object]) -> bool:
            found = next(item for item in items if name_of(item) == name)
            status = found["status"]
            return status.get("observedGeneration") == found["metadata"]["generation"] and all(
                status.get(field, 0) == nodes
                for field in ("desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled", "numberAvailable")
            )

        items = await self.r.until(holds, self.sets, within_s)
        return next(item for item in items if name_of(item) == name)

    async def pods(self) -> list[Object]:
        """Those that aren't on their way out."""
        return [pod for pod in await self.r.pods.list_all() if not is_terminating(pod)]

    async def places(self) -> list[str]:
        """Where the pods are."""
        return sorted(node_of(pod) for pod in await self.pods())

    async def until_on(self, *nodes: str, within_s: float = 120.0) -> None:
        """Wait until there is one pod on each of these nodes and none elsewhere."""
        await self.r.until(lambda pods: sorted(map(node_of, pods)) == sorted(nodes), self.r.pods, within_s)

    async def revisions(self) -> dict[int, str]:
        """The hashes of the revisions that are kept, by number."""
        return {item["revision"]: labels_of(item)[HASH_LABEL] for item in sorted(await self.kept.list_all(), key=lambda x: x["revision"])}

    async def observed(self, seconds: float) -> list[list[Object]]:
        """All pods as they are after each change of one of them, for so long."""
        async with self.r.pods.watch((await self.r.pods.list()).revision, timeout_s=int(seconds)) as events:
            return [await self.r.pods.list_all() async for _ in events]


def ready_nodes(pods: list[Object]) -> int:
    """On how many nodes there is a ready pod that isn't on its way out."""
    return len(dict.fromkeys(node_of(pod) for pod in pods if is_ready(pod) and not is_terminating(pod)))
