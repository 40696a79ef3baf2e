"""StatefulSets for tests, and what is asked of them there."""

from svcsim.client.revisions import HASH_LABEL
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_terminating, labels_of, name_of
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running, template

PARALLEL: Object = {"podManagementPolicy": "Parallel"}
ON_DELETE: Object = {"updateStrategy": {"type": "OnDelete"}}
NEVER_STARTS: Object = {"resources": {"requests": {"cpu": "1000"}}}
"""No node has that much."""


def stateful_set(name: str = "db", replicas: int = 3, image: str = "db:1", *, pod: Object | None = None, **spec: object) -> Object:
    """A StatefulSet of one container; ``pod`` is what its pods' spec says besides."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "selector": {"matchLabels": {"app": name}},
            "template": template(name, image, **(pod or {})),
            **spec,
        },
    }


def with_claims(*names: str, scaled: str = "Retain", deleted: str = "Retain") -> Object:
    """Claims that each pod has, and what becomes of them."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "volumeClaimTemplates": [{"metadata": {"name": name}, "spec": spec} for name in names],
        "persistentVolumeClaimRetentionPolicy": {"whenScaled": scaled, "whenDeleted": deleted},
    }


def rolling(**how: Json) -> Object:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": how}}


def with_image(image: str, **container: Json) -> Object:
    """The patch that starts an update."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image, **container}]}}}}


def images(pods: list[Object]) -> dict[str, str]:
    return {name_of(pod): pod["spec"]["containers"][0]["image"] for pod in sorted(pods, key=name_of)}


class Statefuls:
    """A cluster's StatefulSets, revisions and claims at hand."""

    def __init__(self, running: Running) -> None:
        self.r = running
        self.sets = running.client.resource("apps/v1", "statefulsets", "default")
        self.kept = running.client.resource("apps/v1", "controllerrevisions", "default")
        self.claims = running.client.resource("v1", "persistentvolumeclaims", "default")

    async def until(self, name: str = "db", within_s: float = 600.0, **status: Json) -> Object:
        """Wait until a set's present generation was seen and its status has these fields; 0 stands for one that isn't there."""

        def holds(items: list[Object]) -> bool:
            found = next(item for item in items if name_of(item) == name)
            now = found["status"]
            seen = now.get("observedGeneration") == found["metadata"]["generation"]
            return seen and all(now.get(field, 0) == value for field, value in status.items())

        items = await self.r.until(holds, self.sets, within_s)
        return next(item for item in items if name_of(item) == name)

    async def done(self, name: str = "db", replicas: int = 3, within_s: float = 600.0) -> Object:
        """Wait until so many pods are available, and all of the present template."""
        fields = ("replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas")
        item = await self.until(name, within_s, **dict.fromkeys(fields, replicas))
        assert item["status"]["currentRevision"] == item["status"]["updateRevision"]
        return item

    async def scale(self, replicas: int, name: str = "db") -> None:
        await self.sets.patch(name, {"spec": {"replicas": replicas}})

    async def pods(self) -> list[Object]:
        """Those that aren't on their way out, by name."""
        return sorted((pod for pod in await self.r.pods.list_all() if not is_terminating(pod)), key=name_of)

    async def names(self) -> list[str]:
        return [name_of(pod) for pod in await self.pods()]

    async def claim_names(self) -> list[str]:
        return sorted(map(name_of, await self.claims.list_all()))

    async def owners(self) -> dict[str, list[str]]:
        """Kinds and names of what claims belong to, by the names of these."""
        return {
            name_of(claim): [f"{one['kind']}/{one['name']}" for one in claim["metadata"].get("ownerReferences") or ()]
            for claim in sorted(await self.claims.list_all(), key=name_of)
        }

    async def revisions(self) -> dict[int, str]:
        """The names of the revisions that are kept, by number."""
        return {item["revision"]: name_of(item) for item in sorted(await self.kept.list_all(), key=lambda item: item["revision"])}

    async def revisions_of_pods(self) -> dict[str, str]:
        return {name_of(pod): labels_of(pod)[HASH_LABEL] for pod in await self.pods()}

    async def observed(self, seconds: float) -> list[list[Object]]:
        """All pods as they are after each change of one of them, for so long."""
        async with self.r.pods.watch((await self.r.pods.list()).revision, timeout_s=int(seconds)) as events:
            return [await self.r.pods.list_all() async for _ in events]

    async def release(self, name: str) -> None:
        """Take a pod's finalizers off, so that it goes."""
        try:
            await self.r.pods.patch(name, {"metadata": {"finalizers": None}})
        except StatusError as error:
            if error.code != 404:
                raise


def serving(pods: list[Object]) -> int:
    """How many pods are ready and stay."""
    return sum(is_ready(pod) and not is_terminating(pod) for pod in pods)


def comings(states: list[list[Object]]) -> list[str]:
    """The names of pods in the order in which they came, and, with a minus before them, in which they were deleted."""
    told: list[str] = []
    before: dict[str, bool] = {}
    for pods in states:
        now = {f"{name_of(pod)} {pod['metadata']['uid']}": is_terminating(pod) for pod in pods}
        for key, going in now.items():
            if key not in before and not going:
                told.append(key.split()[0])
            if going and not before.get(key, False):
                told.append(f"-{key.split()[0]}")
        before = now
    return told
