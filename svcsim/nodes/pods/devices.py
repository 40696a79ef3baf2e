"""Whether a pod can have the devices of its claims on its node: they have to be given to the claims, and those reserved for the pod.

That their drivers make the devices ready there is taken for granted.
"""

from svcsim.client.api import Client
from svcsim.meta.device_claims import DeviceKeys, allocation_of, is_reserved_for, not_made_for_pod, shown, used_devices
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.types import Object

FAILED_DEVICES = "FailedPrepareDynamicResources"
_FAILED = "Failed to prepare dynamic resources: "


async def devices_missing(client: Client, pod: Object, keys: DeviceKeys) -> str:
    """What keeps a pod from having its devices; empty if nothing does."""
    namespace, name, uid = namespace_of(pod), name_of(pod), uid_of(pod)
    claims = client.resource(keys.api_version, "resourceclaims", namespace)
    for used in used_devices(pod):
        if used.needs_none:
            continue
        if used.is_awaited:
            return f'{_FAILED}prepare dynamic resources: pod "{namespace}/{name}": ResourceClaim not created yet'
        claim = await claims.find(used.claim)
        if claim is None:
            return f'{_FAILED}prepare dynamic resources: get ResourceClaim {used.claim}: resourceclaims "{used.claim}" not found'
        if used.template and (why := not_made_for_pod(claim, namespace, name, uid)):
            return f"{_FAILED}{why}"
        if allocation_of(claim) is None:
            return f"{_FAILED}ResourceClaim {shown(claim)} is not allocated"
        if not is_reserved_for(claim, uid):
            return f"{_FAILED}pod {name} ({uid}) is not allowed to use ResourceClaim {used.claim} ({uid_of(claim)})"
    return ""
