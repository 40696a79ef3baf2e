"""Whether the claims of a pod can be mounted on its node: they are bound, and what has to be attached to the node is attached."""

from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.cache import Cache
from svcsim.meta.attachments import attachment_name, driver_of, is_attached, needs_attaching
from svcsim.meta.claims import PodClaim, not_made_for, pod_claims, volume_of
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_terminating, namespace_of
from svcsim.meta.pods import containers_of, node_of, phase_of
from svcsim.meta.types import Object


class StorageCaches(NamedTuple):
    """What all nodes look up together."""

    drivers: Cache
    """CSIDrivers, which say whether their volumes have to be attached."""
    attachments: Cache


class Obstacle(NamedTuple):
    """What keeps a pod's volumes from being mounted."""

    why: str = ""
    """Told at once."""
    attachment: str = ""
    """The VolumeAttachment that is awaited; it may take its time."""
    volume: str = ""
    """Which of the pod's volumes it is."""


async def attached_volumes(client: Client, pod: Object, known: StorageCaches) -> list[Object] | Obstacle:
    """The volumes behind the claims that are attached to the pod's node, or what keeps the first from being mounted.

    ``client`` is that of the node.
    """
    volumes: list[Object] = []
    for used in pod_claims(pod):
        found = await _volume(client, pod, used, known)
        if isinstance(found, Obstacle):
            return found
        volumes += [found] if found is not None else []
    return volumes


async def _volume(client: Client, pod: Object, used: PodClaim, known: StorageCaches) -> Object | Obstacle | None:
    """The volume behind a claim; None where it needs no attaching."""
    namespace = namespace_of(pod)
    try:
        claim = await client.resource("v1", "persistentvolumeclaims", namespace).get(used.name)
    except StatusError as error:
        if error.code not in (403, 404):
            raise
        return _unprocessed(used, f"error processing PVC {namespace}/{used.name}: failed to fetch PVC from API server: {error.message}")
    why = _unusable(pod, claim, used)
    if why:
        return _unprocessed(used, f"error processing PVC {namespace}/{used.name}: {why}")
    try:
        volume = await client.resource("v1", "persistentvolumes").get(volume_of(claim))
    except StatusError as error:
        if error.code not in (403, 404):
            raise
        return _unprocessed(used, f"failed to get PV {volume_of(claim)} from API server: {error.message}")
    why = _otherwise_used(pod, volume, used.volume)
    if why:
        return _unprocessed(used, why)
    if not needs_attaching(volume, known.drivers.get(driver_of(volume))):
        return None
    name = attachment_name(volume, node_of(pod))
    attachment = known.attachments.get(name)
    there = attachment is not None and is_attached(attachment) and not is_terminating(attachment)
    return volume if there else Obstacle(attachment=name, volume=used.volume)


def _unusable(pod: Object, claim: Object, used: PodClaim) -> str:
    if used.ephemeral and (why := not_made_for(pod, claim)):
        return why
    if is_terminating(claim):
        return "PVC is being deleted"
    if phase_of(claim) != "Bound":
        return "PVC is not bound"
    return "" if volume_of(claim) else "PVC has empty pvc.Spec.VolumeName"


def _otherwise_used(pod: Object, volume: Object, name: str) -> str:
    """A block device can't be mounted, nor a file system be used as a device."""
    mode = volume["spec"].get("volumeMode") or "Filesystem"
    wrong = "volumeMounts" if mode == "Block" else "volumeDevices"
    uses = (use for container in containers_of(pod["spec"]) for use in container.get(wrong) or ())
    return f"volume {name} has volumeMode {mode}, but is specified in {wrong}" if any(use["name"] == name for use in uses) else ""


def _unprocessed(used: PodClaim, why: str) -> Obstacle:
    return Obstacle(_unmounted(used.volume, "", used.volume, why))


def attach_timeout(volume: str) -> str:
    """What is told of a volume that has been waited for long enough to say so."""
    return _unmounted(volume, volume, "", "timed out waiting for the condition")


def _unmounted(volume: str, unattached: str, unprocessed: str, why: str) -> str:
    which = f"unmounted volumes=[{volume}], unattached volumes=[{unattached}], failed to process volumes=[{unprocessed}]"
    return f"Unable to attach or mount volumes: {which}: {why}"
