"""PersistentVolume: storage in the cluster, which a claim can be bound to."""

from svcsim.kinds.core.persistent_volume_columns import access_modes, claim
from svcsim.kinds.core.persistent_volume_rules import (
    initial_status,
    persistent_volume_changes,
    persistent_volume_spec_rules,
    tell_phase_change,
)
from svcsim.kinds.core.persistent_volume_sources import SOURCES
from svcsim.kinds.core.volume_columns import ATTRIBUTES_CLASS, STORAGE_CLASS, VOLUME_MODE, phase
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.checks import not_negative_amount, one_of
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.references import GRANULAR_OBJECT_REFERENCE
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.volume_claim import access_modes_field, volume_mode_field
from svcsim.kinds.shared.words import RECLAIM_POLICY, VOLUME_PHASE
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Map, Quantity, Str, Struct, Time

_NODE_AFFINITY = Struct(
    "VolumeNodeAffinity",
    Field(1, "required", NODE_SELECTOR, "Nodes from which the volume can be reached"),
    doc="Limits the nodes from which a volume can be reached",
)


_SPEC = Struct(
    "PersistentVolumeSpec",
    Field(1, "capacity", Map(Quantity(rules=(not_negative_amount,))), "Size of the volume"),
    Field(2, "persistentVolumeSource", SOURCES, inline=True),
    access_modes_field(3, "Access modes that the volume supports"),
    Field(4, "claimRef", GRANULAR_OBJECT_REFERENCE, "The claim to which the volume is bound"),
    Field(
        5,
        "persistentVolumeReclaimPolicy",
        RECLAIM_POLICY,
        "What happens to the volume when its claim is deleted",
        default="Retain",
        rules=(one_of(*RECLAIM_POLICY.values),),
    ),
    Field(6, "storageClassName", Str(), "Name of the StorageClass of the volume; empty for none"),
    Field(7, "mountOptions", STRINGS, "Mount options"),
    volume_mode_field(8),
    Field(9, "nodeAffinity", _NODE_AFFINITY, "Limits the nodes from which the volume can be reached"),
    Field(10, "volumeAttributesClassName", Str(), "Name of the VolumeAttributesClass of the volume", presence=True),
    rules=(persistent_volume_spec_rules,),
    doc="Properties of a volume",
)
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
        Field(2, "spec", _SPEC, "Properties of the volume", default={}),
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
    strategy=Strategy(update_rules=(persistent_volume_changes,)),
    generation=False,
    deletes_to_object=True,
)
