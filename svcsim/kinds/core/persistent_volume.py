"""PersistentVolume: storage in the cluster, which a claim can be bound to."""

from svcsim.kinds.core.persistent_volume_columns import access_modes, claim
from svcsim.kinds.core.persistent_volume_rules import (
    initial_status,
    persistent_volume_changes,
    persistent_volume_rules,
    persistent_volume_warnings,
    tell_phase_change,
)
from svcsim.kinds.core.volume_columns import ATTRIBUTES_CLASS, STORAGE_CLASS, VOLUME_MODE, phase
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.persistent_volume import PERSISTENT_VOLUME_SPEC
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import VOLUME_PHASE
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Str, Struct, Time

_STATUS = Struct(
    "PersistentVolumeStatus",
    Field(1, "phase", VOLUME_PHASE, "Phase of the volume", default="Pending"),
    Field(2, "message", Str(), "Explanation of the phase for people to read"),
    Field(3, "reason", Str(), "Machine-readable reason for the phase, one CamelCase word"),
    Field(4, "lastPhaseTransitionTime", Time(), "When the phase last changed"),
    doc="Current state of a volume",
)


PERSISTENT_VOLUME = Kind(
    CORE_V1,
    "persistentvolumes",
    Struct(
        "PersistentVolume",
        Field(2, "spec", PERSISTENT_VOLUME_SPEC, "Properties of the volume", default={}),
        Field(3, "status", _STATUS, "Current state of the volume", default={}),
        doc="A piece of storage in the cluster, which a claim can be bound to",
    ),
    short=("pv",),
    namespaced=False,
    columns=(
        Column("Capacity", text_at("spec.capacity.storage"), doc="Size of the volume"),
        Column("Access Modes", access_modes, doc="Access modes that the volume supports"),
        Column("Reclaim Policy", text_at("spec.persistentVolumeReclaimPolicy"), doc="What happens to the volume when its claim is deleted"),
        Column("Status", phase, doc="Phase of the volume: Available, Bound, Released or Failed"),
        Column("Claim", claim, doc="The claim to which the volume is bound"),
        STORAGE_CLASS,
        ATTRIBUTES_CLASS,
        Column("Reason", text_at("status.reason"), doc="Reason for the phase"),
        AGE,
        VOLUME_MODE,
    ),
    status=Status(subresource=status_subresource(update=tell_phase_change), initial=initial_status),
    strategy=Strategy(
        rules=(persistent_volume_rules,),
        warnings=(persistent_volume_warnings,),
        update_warnings=(of_every_update(persistent_volume_warnings),),
        update_rules=(persistent_volume_changes,),
    ),
    generation=False,
    deletes_to_object=True,
)
