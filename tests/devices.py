"""Devices that drivers offer, claims on them and pods that use these, for tests of what becomes of them."""

from svcsim.meta.types import Json, Object
from tests.living import Living, pod

API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"


class Devices:
    """The kinds of devices in one cluster."""

    def __init__(self, cluster: Living) -> None:
        resource = cluster.client.resource
        self.cluster = cluster
        self.slices = resource(API, "resourceslices")
        self.classes = resource(API, "deviceclasses")
        self.claims = resource(API, "resourceclaims", "default")
        self.templates = resource(API, "resourceclaimtemplates", "default")

    async def offer(self, *nodes: str, count: int = 1, **device: Json) -> None:
        """Have so many devices offered on each of some nodes, of the class ``gpu``."""
        await self.classes.create(device_class("gpu"))
        for node in nodes:
            await self.slices.create(device_slice(node, [{"name": f"gpu-{number}", **device} for number in range(count)]))
        await self.cluster.sleep(0.1)


def device_class(name: str, expression: str = f'device.driver == "{DRIVER}"', **spec: Json) -> Object:
    selectors = [{"cel": {"expression": expression}}] if expression else []
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": {"selectors": selectors, **spec}}


def device_slice(node: str, devices: list[Object], *, name: str = "", pool: Object | None = None, **spec: Json) -> Object:
    """The slice of a node; of no node in particular where ``node`` is empty."""
    shown = {"name": node or "everywhere", "generation": 1, "resourceSliceCount": 1, **(pool or {})}
    where = {"nodeName": node} if node else {}
    said: Object = {"driver": DRIVER, "pool": shown, **where, "devices": devices, **spec}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name or f"gpus-{node or 'everywhere'}"}, "spec": said}


def request(name: str = "gpu", device_class_name: str = "gpu", **exactly: Json) -> Object:
    return {"name": name, "exactly": {"deviceClassName": device_class_name, **exactly}}


def selecting(expression: str) -> list[Object]:
    return [{"cel": {"expression": expression}}]


def device_claim(name: str, *requests: Object, **devices: Json) -> Object:
    spec = {"devices": {"requests": list(requests) or [request()], **devices}}
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def device_template(name: str, *requests: Object, **devices: Json) -> Object:
    spec = {"spec": {"devices": {"requests": list(requests) or [request()], **devices}}}
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def claiming(name: str, *claims: str, template: str = "", **spec: Json) -> Object:
    """A pod with these claims, or one made from a template."""
    entries: list[Object] = [{"name": f"entry-{number}", "resourceClaimName": claim} for number, claim in enumerate(claims)]
    if template:
        entries.append({"name": "gpu", "resourceClaimTemplateName": template})
    return pod(name, resourceClaims=entries, **spec)


def given(claim: Object) -> list[str]:
    """The devices of a claim, each as ``pool/device``."""
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return [f"{one['pool']}/{one['device']}" for one in allocation.get("devices", {}).get("results", [])]
