"""ResourceClaims as everybody reads them: which ones a pod uses, whom they were made for, which devices they have and who may use them."""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.objects import controller_of, get_path, name_of, namespace_of
from svcsim.meta.types import Object


class DeviceKeys(NamedTuple):
    """Words of this API that depend on the dialect."""

    api_version: str
    protection: str
    """The finalizer of a claim that has devices."""
    pod_claim_name: str
    """The annotation of a claim that was made for a pod: for which entry in its ``resourceClaims``."""

    @classmethod
    def of(cls, dialect: Dialect) -> "DeviceKeys":
        """Those of a cluster."""
        group = dialect.group("resource")
        return cls(f"{group}/v1", dialect.key("delete-protection", "resource"), dialect.key("pod-claim-name", "resource"))


class UsedDevices(NamedTuple):
    """An entry in the ``resourceClaims`` of a pod, and the claim it comes to."""

    entry: str
    claim: str
    """The name of the claim; empty while none was made from the template, or where the template needs none."""
    template: str = ""
    """The template that the claim is made from; empty for a claim of its own."""
    needs_none: bool = False
    """The pod's status says that no claim is needed."""

    @property
    def is_awaited(self) -> bool:
        """Whether a claim has yet to be made from the template."""
        return not self.claim and not self.needs_none


def used_devices(pod: Object) -> tuple[UsedDevices, ...]:
    """What a pod says of claims on devices, in its order."""
    entries = (pod.get("spec") or {}).get("resourceClaims")
    if not entries:
        return ()
    told = {one["name"]: one.get("resourceClaimName") or "" for one in get_path(pod, "status.resourceClaimStatuses") or ()}
    return tuple(_used(entry, told) for entry in entries)


def _used(entry: Object, told: dict[str, str]) -> UsedDevices:
    name, template = entry["name"], entry.get("resourceClaimTemplateName") or ""
    if not template:
        return UsedDevices(name, entry.get("resourceClaimName") or "")
    return UsedDevices(name, told.get(name, ""), template, needs_none=name in told and not told[name])


def not_made_for_pod(claim: Object, namespace: str, name: str, uid: str) -> str:
    """Why a claim isn't the one that was made for a pod; empty if it is."""
    owner = controller_of(claim)
    if owner is not None and owner.get("uid") == uid:
        return ""
    return f"ResourceClaim {namespace_of(claim)}/{name_of(claim)} was not created for pod {namespace}/{name} (pod is not owner)"


def allocation_of(claim: Object) -> Object | None:
    """What was given to a claim."""
    found: Object | None = get_path(claim, "status.allocation")
    return found


def users_of(claim: Object) -> list[Object]:
    """Who may use the devices of a claim: references with ``resource``, ``name`` and ``uid``."""
    found: list[Object] = get_path(claim, "status.reservedFor") or []
    return found


def is_reserved_for(claim: Object, pod_uid: str) -> bool:
    """Whether a pod may use the devices of a claim."""
    return any(one.get("uid") == pod_uid for one in users_of(claim))


def pod_user(name: str, uid: str) -> Object:
    """A pod as one who may use the devices of a claim."""
    return {"resource": "pods", "name": name, "uid": uid}


def owning_pod(claim: Object) -> Object | None:
    """The reference to the pod that a claim was made for."""
    owner = controller_of(claim)
    return owner if owner is not None and owner.get("kind") == "Pod" and owner.get("apiVersion") == "v1" else None


def shown(claim: Object) -> str:
    """A claim in messages."""
    return f"{namespace_of(claim)}/{name_of(claim)}"


class DeviceId(NamedTuple):
    """One device in the whole cluster."""

    driver: str
    pool: str
    name: str


def devices_held(claim: Object) -> tuple[DeviceId, ...]:
    """The devices that a claim has for itself: those it was only given to look after aren't."""
    results = get_path(claim, "status.allocation.devices.results") or ()
    return tuple(DeviceId(one["driver"], one["pool"], one["device"]) for one in results if not one.get("adminAccess"))
