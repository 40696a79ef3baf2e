"""PersistentVolumeClaim: a request for storage, bound to a volume that meets it."""

from svcsim.kinds.core.persistent_volume_claim_columns import access_modes, capacity
from svcsim.kinds.core.persistent_volume_claim_rules import (
    amounts,
    persistent_volume_claim_changes,
    persistent_volume_claim_warnings,
    resize_statuses,
    storage_alone,
)
from svcsim.kinds.core.volume_columns import ATTRIBUTES_CLASS, STORAGE_CLASS, VOLUME_MODE, phase
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.volume_claim import PERSISTENT_VOLUME_CLAIM_SPEC
from svcsim.kinds.shared.words import ACCESS_MODE_LIST, CLAIM_PHASE, MODIFY_VOLUME_STATUS, RESIZE_STATUS
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Field, Map, Str, Struct

_MODIFY_STATUS = Struct(
    "ModifyVolumeStatus",
    Field(1, "targetVolumeAttributesClassName", Str(), "Name of the VolumeAttributesClass that is being applied"),
    Field(2, "status", MODIFY_VOLUME_STATUS, "Progress of the change", required=True, default=""),
    doc="Progress of a change to another VolumeAttributesClass",
)
_STATUS = Struct(
    "PersistentVolumeClaimStatus",
    Field(1, "phase", CLAIM_PHASE, "Phase of the claim", default="Pending"),
    Field(2, "accessModes", ACCESS_MODE_LIST, "Access modes of the bound volume"),
    Field(3, "capacity", RESOURCE_LIST, "Size of the bound volume", rules=(amounts,)),
    Field(
        4,
        "conditions",
        conditions(
            "PersistentVolumeClaimCondition",
            "Resizing, FileSystemResizePending, ModifyingVolume, …",
            lastProbeTime=3,
            lastTransitionTime=4,
            reason=5,
            message=6,
        ),
        "Current conditions of the claim",
    ),
    Field(5, "allocatedResources", RESOURCE_LIST, "Size that is being allocated by a resize", rules=(storage_alone, amounts)),
    Field(6, "resizeStatus", Str(), "Progress of a resize, empty once it is done; allocatedResourceStatuses tells more", presence=True),
    Field(7, "allocatedResourceStatuses", Map(RESIZE_STATUS), "Progress of a resize, by resource", rules=(storage_alone, resize_statuses)),
    Field(8, "currentVolumeAttributesClassName", Str(), "Name of the VolumeAttributesClass in force", presence=True),
    Field(9, "modifyVolumeStatus", _MODIFY_STATUS, "Progress of a change to another VolumeAttributesClass"),
    doc="Current state of a claim",
)


PERSISTENT_VOLUME_CLAIM = Kind(
    CORE_V1,
    "persistentvolumeclaims",
    Struct(
        "PersistentVolumeClaim",
        Field(2, "spec", PERSISTENT_VOLUME_CLAIM_SPEC, "Requested storage", default={}),
        Field(3, "status", _STATUS, "Current state of the claim", default={}),
        doc="A request for storage, bound to a volume that meets it",
    ),
    short=("pvc",),
    columns=(
        Column("Status", phase, doc="Phase of the claim: Pending, Bound or Lost"),
        Column("Volume", text_at("spec.volumeName"), doc="Name of the volume to which the claim is bound"),
        Column("Capacity", capacity, doc="Size of the bound volume"),
        Column("Access Modes", access_modes, doc="Access modes of the volume"),
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        AGE,
        VOLUME_MODE,
    ),
    status=Status(),
    strategy=Strategy(
        warnings=(persistent_volume_claim_warnings,),
        update_warnings=(of_every_update(persistent_volume_claim_warnings),),
        update_rules=(persistent_volume_claim_changes,),
    ),
    generation=False,
    deletes_to_object=True,
)
