"""What is to be done for a volume: what phase it is in, and what becomes of it once its claim is gone. Pure, as the plan of a claim is."""

from typing import NamedTuple

from svcsim.controllers.volume_binder.notice import Notice
from svcsim.meta.claims import StorageKeys, claim_ref, mode_of, volume_of
from svcsim.meta.objects import annotations_of, name_of, uid_of
from svcsim.meta.types import Object

OVER = ("Released", "Failed")
_RECYCLABLE = ("nfs", "hostPath")
_HOST_PATHS = "/tmp/"  # noqa: S108 - where Kubernetes lets go of volumes on a node's own disk


class VolumePlan(NamedTuple):
    """What is to be done, in the order of the fields."""

    phase: str = ""
    message: str = ""
    """Why it has failed."""
    notice: Notice | None = None
    claim_notice: Notice | None = None
    """What is told of its claim."""
    unbind: bool = False
    """Whether it is to be free again, or only to await another life of its claim."""
    look_at_claim: bool = False
    """Whether its claim may be bound to it now."""
    delete: bool = False
    recycle: bool = False


def plan_volume(volume: Object, claim: Object | None, keys: StorageKeys) -> VolumePlan:
    """``claim`` is what is there by the name that the volume names."""
    reference = claim_ref(volume)
    if reference is None:
        return VolumePlan(phase="Available")
    if not reference.get("uid"):
        return VolumePlan(phase="Available", look_at_claim=True)
    if claim is None or uid_of(claim) != reference["uid"]:
        return _released(volume, keys)
    if volume_of(claim) == name_of(volume):
        return VolumePlan(phase="Bound")
    if not volume_of(claim):
        return _awaits(volume, claim)
    if keys.provisioned_by in annotations_of(volume) and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
        return _released(volume, keys)  # it was made for the claim, which has got another one
    return VolumePlan(unbind=True, phase="Available")


def _awaits(volume: Object, claim: Object) -> VolumePlan:
    """The claim doesn't know yet that it is to have the volume."""
    if mode_of(volume) == mode_of(claim):
        return VolumePlan(look_at_claim=True)
    kinds = (("PersistentVolume", "PersistentVolumeClaim", name_of(claim)), ("PersistentVolumeClaim", "PersistentVolume", name_of(volume)))
    own, others = (
        Notice("Warning", "VolumeMismatch", f'Cannot bind {one} to requested {other} "{name}" due to incompatible volumeMode.')
        for one, other, name in kinds
    )
    return VolumePlan(notice=own, claim_notice=others)


def _released(volume: Object, keys: StorageKeys) -> VolumePlan:
    """Its claim is gone: keep it, have it deleted, or make it as new."""
    phase = (volume.get("status") or {}).get("phase") or ""
    released = "" if phase in OVER else "Released"
    match volume["spec"].get("persistentVolumeReclaimPolicy") or "Retain":
        case "Delete":
            return _delete(volume, keys, released, phase)
        case "Recycle":
            return _recycle(volume, released, phase)
        case _:
            return VolumePlan(phase=released)


def _delete(volume: Object, keys: StorageKeys, released: str, phase: str) -> VolumePlan:
    """The driver that provisioned a volume deletes it. One that wasn't provisioned is deleted only if that is safe."""
    made_by = annotations_of(volume).get(keys.provisioned_by)
    if made_by is not None and not made_by.startswith(keys.in_tree):
        return VolumePlan(phase=released)
    path = (volume["spec"].get("hostPath") or {}).get("path")
    if path is not None and path.startswith(_HOST_PATHS) and path != _HOST_PATHS:
        return VolumePlan(phase=released, delete=True)
    if path is not None:
        why = f"host_path deleter only supports /tmp/.+ but received provided {path}"
    else:
        why = f'error getting deleter volume plugin for volume "{name_of(volume)}": no deletable volume plugin matched'
    return _failed("VolumeFailedDelete", why, phase)


def _recycle(volume: Object, released: str, phase: str) -> VolumePlan:
    if any(source in volume["spec"] for source in _RECYCLABLE):
        return VolumePlan(phase=released, recycle=True)
    return _failed("VolumeFailedRecycle", "No recycler plugin found for the volume!", phase)


def _failed(reason: str, message: str, phase: str) -> VolumePlan:
    if phase == "Failed":
        return VolumePlan()
    return VolumePlan(phase="Failed", message=message, notice=Notice("Warning", reason, message))
