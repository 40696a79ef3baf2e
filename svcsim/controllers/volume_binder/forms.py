"""Claims and volumes as they are to be: naming each other, free again, in another phase. Each is a new object; None: as it is."""

from svcsim.meta.claims import StorageKeys, access_modes, annotated, attributes_class, size_of, volume_of
from svcsim.meta.objects import annotations_of, name_of
from svcsim.meta.types import Object


def bound_claim(claim: Object, volume: Object, keys: StorageKeys) -> Object | None:
    """A claim that says it has the volume, for good."""
    marks = {keys.bind_completed: "yes"}
    found = claim
    if volume_of(claim) != name_of(volume):
        found = {**claim, "spec": {**claim["spec"], "volumeName": name_of(volume)}}
        marks[keys.bound_by_controller] = "yes"
    elif keys.bind_completed in annotations_of(claim):
        return None
    return annotated(found, **marks)


def free_volume(volume: Object, keys: StorageKeys) -> Object:
    """A volume whose claim doesn't have it: as free as it was before, or for that claim alone, if a user has said so."""
    spec = dict(volume["spec"])
    if keys.bound_by_controller not in annotations_of(volume):
        spec["claimRef"] = {name: value for name, value in spec["claimRef"].items() if name not in ("uid", "resourceVersion")}
        return {**volume, "spec": spec}
    del spec["claimRef"]
    annotations = {name: value for name, value in annotations_of(volume).items() if name != keys.bound_by_controller}
    return {**volume, "spec": spec, "metadata": {**volume["metadata"], "annotations": annotations}}


def with_class(claim: Object, name: str) -> Object:
    return {**claim, "spec": {**claim["spec"], "storageClassName": name}}


def for_provisioner(claim: Object, provisioner: str, keys: StorageKeys) -> Object | None:
    """A claim that says who is to make its volume."""
    marks = {keys.provisioner: provisioner, keys.provisioner_beta: provisioner}
    if all(annotations_of(claim).get(name) == value for name, value in marks.items()):
        return None
    return annotated(claim, **marks)


def in_phase(volume: Object, phase: str, message: str) -> Object | None:
    status = volume.get("status") or {}
    if status.get("phase") == phase:
        return None
    rest = {name: value for name, value in status.items() if name not in ("message", "reason")}
    return {**volume, "status": {**rest, "phase": phase, **({"message": message} if message else {})}}


def claim_in_phase(claim: Object, phase: str, volume: Object | None) -> Object | None:
    """What it has is told once it has it; how that grows afterwards is for others to say."""
    before = claim.get("status") or {}
    status = {**before, "phase": phase}
    if volume is None:
        for name in ("accessModes", "capacity", "currentVolumeAttributesClassName"):
            status.pop(name, None)
    else:
        status["accessModes"] = access_modes(volume)
        if before.get("phase") != phase:
            status["capacity"] = {"storage": str(size_of(volume))}
            if attributes_class(volume):
                status["currentVolumeAttributesClassName"] = attributes_class(volume)
    return None if status == before else {**claim, "status": status}
