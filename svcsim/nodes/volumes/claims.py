"""Whether the claims of a pod can be mounted on its node: they are bound, and what has to be attached to the node is attached."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client.api import Client, Collection
from svcsim.client.cache import Cache
from svcsim.meta.attachments import attachment_name, driver_of, is_attached, needs_attaching
from svcsim.meta.claims import ONCE_POD, PodClaim, access_modes, not_made_for, pod_claims, volume_of
from svcsim.meta.errors import StatusError
from svcsim.meta.node_affinity import volume_terms
from svcsim.meta.objects import is_terminating, labels_of, name_of, namespace_of
from svcsim.meta.pods import containers_of, node_of, phase_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.volumes_in_use import VolumesInUse
from svcsim.nodes.volumes.references import mount_message

_IN_USE = "volume uses the ReadWriteOncePod access mode and is already in use by another pod"


class StorageCaches(NamedTuple):
    """What all nodes look up together."""

    drivers: Cache
    """CSIDrivers, which say whether their volumes have to be attached."""
    attachments: Cache
    nodes: Cache
    """By their labels it is known which volumes they can reach."""


class Reached(NamedTuple):
    """A volume behind a claim, which nothing has to be done for any more before it is mounted."""

    volume: Object
    attached: bool
    """Whether it was attached to the node for that; not all have to be."""

    @property
    def is_for_one_pod(self) -> bool:
        """Whether it can only be used by one pod at a time, however it is used."""
        return access_modes(self.volume) == [ONCE_POD]


class Obstacle(NamedTuple):
    """What keeps a pod's volumes from being mounted."""

    why: str = ""
    """Told at once."""
    attachment: str = ""
    """The VolumeAttachment that is awaited; it may take its time."""
    volume: str = ""
    """Which of the pod's volumes it is."""


async def reached_volumes(client: Client, pod: Object, known: StorageCaches) -> list[Reached] | Obstacle:
    """The volumes behind the claims, if all are to be had on the pod's node, or what keeps the first from being mounted.

    ``client`` is that of the node.
    """
    volumes: list[Reached] = []
    for used in pod_claims(pod):
        found = await _volume(client, pod, used, known)
        if isinstance(found, Obstacle):
            return found
        volumes.append(found)
    return volumes


async def _volume(client: Client, pod: Object, used: PodClaim, known: StorageCaches) -> Reached | Obstacle:
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
        return Reached(volume, attached=False)
    name = attachment_name(volume, node_of(pod))
    attachment = known.attachments.get(name)
    there = attachment is not None and is_attached(attachment) and not is_terminating(attachment)
    return Reached(volume, attached=True) if there else Obstacle(attachment=name, volume=used.volume)


async def mounted_volumes(client: Client, pod: Object, known: StorageCaches) -> list[Reached]:
    """The volumes behind the claims of a pod that runs: it has them, whatever has become of claims and attachments since it was started."""
    claims = client.resource("v1", "persistentvolumeclaims", namespace_of(pod))
    volumes: list[Reached] = []
    for used in pod_claims(pod):
        claim = await _shown(claims, used.name)
        if claim is None or not volume_of(claim) or (used.ephemeral and not_made_for(pod, claim)):
            continue
        volume = await _shown(client.resource("v1", "persistentvolumes"), volume_of(claim))
        if volume is not None:
            volumes.append(Reached(volume, attached=needs_attaching(volume, known.drivers.get(driver_of(volume)))))
    return volumes


async def _shown(collection: Collection, name: str) -> Object | None:
    """An object that is there and that the node may see."""
    try:
        return await collection.get(name)
    except StatusError as error:
        if error.code not in (403, 404):
            raise
        return None


def out_of_reach(volumes: Iterable[Reached], node: Object | None) -> str:
    """What is told of the first volume that isn't to be had on a node by what it says of nodes; empty if there is none."""
    for volume, _ in volumes:
        terms = volume_terms(volume)
        if node is not None and terms is not None and not any(term.fits(labels_of(node), name_of(node)) for term in terms):
            return f'MountVolume.NodeAffinity check failed for volume "{name_of(volume)}" : no matching NodeSelectorTerms'
    return ""


def used_by_another(volumes: Iterable[Reached], pod_uid: str, used: VolumesInUse) -> str:
    """What is told of the first volume that is for one pod alone, and that another has on the same node; empty if there is none."""
    for one in volumes:
        if one.is_for_one_pod and used.user(name_of(one.volume)) not in {"", pod_uid}:
            return mount_message(name_of(one.volume), _IN_USE)
    return ""


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
