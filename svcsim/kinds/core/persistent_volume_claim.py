"""PersistentVolumeClaim: a request for storage, bound to a volume that meets it."""

from collections.abc import Iterator

from svcsim.kinds.core.volume_columns import ATTRIBUTES_CLASS, STORAGE_CLASS, VOLUME_MODE, access_modes_text, phase
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.types import RESOURCE_LIST, STRINGS
from svcsim.kinds.shared.volume_claim import PERSISTENT_VOLUME_CLAIM_SPEC
from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Status, Strategy
from svcsim.schema.types import Field, Map, Str, Struct

_MODIFY_STATUS = Struct(
    "ModifyVolumeStatus",
    Field(1, "targetVolumeAttributesClassName", Str(), "Name of the VolumeAttributesClass that is being applied"),
    Field(2, "status", Str(), "Progress of the change: Pending, InProgress or Infeasible", required=True, default=""),
    doc="Progress of a change to another VolumeAttributesClass",
)
_STATUS = Struct(
    "PersistentVolumeClaimStatus",
    Field(1, "phase", Str(), "Pending, Bound or Lost", default="Pending"),
    Field(2, "accessModes", STRINGS, "Access modes of the bound volume"),
    Field(3, "capacity", RESOURCE_LIST, "Size of the bound volume"),
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
    Field(5, "allocatedResources", RESOURCE_LIST, "Size that is being allocated by a resize"),
    Field(7, "allocatedResourceStatuses", Map(Str()), "Progress of a resize, by resource"),
    Field(8, "currentVolumeAttributesClassName", Str(), "Name of the VolumeAttributesClass in force"),
    Field(9, "modifyVolumeStatus", _MODIFY_STATUS, "Progress of a change to another VolumeAttributesClass"),
    doc="Current state of a claim",
)
_CHANGEABLE = ("resources", "volumeAttributesClassName")


def _changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The requested size and the attributes class may change; the volume may be named once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    fixed = set(_CHANGEABLE) | ({"volumeName"} if not before.get("volumeName") else set())
    names = [name for name in {**spec, **before} if name not in fixed and spec.get(name) != before.get(name)]
    if names:
        detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        yield forbidden_field("spec", f"{detail}\nchanged: {', '.join(f'spec.{name}' for name in names)}")


def _access_modes(obj: Object, context: Context) -> Json:
    return access_modes_text(get_path(obj, "status.accessModes")) if get_path(obj, "spec.volumeName") else ""


def _capacity(obj: Object, context: Context) -> Json:
    return get_path(obj, "status.capacity.storage") or "" if get_path(obj, "spec.volumeName") else ""


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
        Column("Capacity", _capacity, doc="Size of the bound volume"),
        Column("Access Modes", _access_modes, doc="Access modes of the volume"),
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        AGE,
        VOLUME_MODE,
    ),
    status=Status(),
    strategy=Strategy(update_rules=(_changes,)),
    generation=False,
    deletes_to_object=True,
)
