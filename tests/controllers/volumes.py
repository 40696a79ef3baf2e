"""Claims, volumes, classes of storage and pods that use them, as users write them."""

from svcsim.client.api import Collection
from svcsim.meta.types import Json, Object
from tests.controllers.running import Running


def claim(
    name: str = "data", size: str = "5Gi", *, modes: tuple[str, ...] = ("ReadWriteOnce",), meta: Object | None = None, **spec: Json
) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", **(meta or {})},
        "spec": {"accessModes": list(modes), "resources": {"requests": {"storage": size}}, **spec},
    }


def volume(
    name: str = "disk", size: str = "5Gi", *, modes: tuple[str, ...] = ("ReadWriteOnce",), meta: Object | None = None, **spec: Json
) -> Object:
    source = {} if any(name in spec for name in ("nfs", "local", "csi")) else {"hostPath": {"path": "/tmp/data"}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, **(meta or {})},
        "spec": {"accessModes": list(modes), "capacity": {"storage": size}, **source, **spec},
    }


def storage_class(name: str, provisioner: str = "disk.csi.svcsim.dev", *, meta: Object | None = None, **fields: Json) -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, **(meta or {})},
        "provisioner": provisioner,
        **fields,
    }


def on(zone: str) -> Object:
    """A node affinity for a zone."""
    expression = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def user_of(claim_name: str, name: str = "user", **spec: Json) -> Object:
    """A pod that uses a claim."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "containers": [{"name": "main", "image": "nginx:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}],
            **spec,
        },
    }


class Storage:
    """What of a cluster is about storage."""

    def __init__(self, r: Running) -> None:
        self.r = r
        api = f"{r.dialect.group('storage')}/v1"
        self.claims = r.client.resource("v1", "persistentvolumeclaims", "default")
        self.volumes = r.client.resource("v1", "persistentvolumes")
        self.classes = r.client.resource(api, "storageclasses")
        self.drivers = r.client.resource(api, "csidrivers")
        self.capacities = r.client.resource(api, "csistoragecapacities", "default")
        self.attachments = r.client.resource(api, "volumeattachments")
        self.nodes = r.client.resource("v1", "nodes")

    async def phase(self, collection: Collection, name: str, phase: str, within_s: float = 60.0) -> Object:
        """Wait until a claim, a volume or a pod is in a phase."""
        items = await self.r.until(lambda items: phase in [at(item) for item in items if named(item) == name], collection, within_s)
        return next(item for item in items if named(item) == name)

    async def bound(self, name: str = "data", within_s: float = 60.0) -> Object:
        return await self.phase(self.claims, name, "Bound", within_s)

    async def running(self, name: str = "user", within_s: float = 60.0) -> Object:
        return await self.phase(self.r.pods, name, "Running", within_s)

    async def reasons(self, name: str) -> list[str]:
        await self.r.clock.sleep(0.05)
        return [reason for reason, _ in await self.r.events_of(name)]

    async def messages(self, name: str, reason: str) -> list[str]:
        await self.r.clock.sleep(0.05)
        return [message for found, message in await self.r.events_of(name) if found == reason]


def named(obj: Object) -> str:
    name: str = obj["metadata"]["name"]
    return name


def at(obj: Object) -> str:
    phase: str = (obj.get("status") or {}).get("phase") or ""
    return phase
