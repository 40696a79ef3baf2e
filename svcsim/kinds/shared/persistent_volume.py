"""The properties of a persistent volume: in a PersistentVolume, and in what is attached without one."""

from svcsim.kinds.shared.checks import named, not_negative_amount, one_of
from svcsim.kinds.shared.persistent_volume_rules import node_affinity_rules, persistent_volume_spec_rules
from svcsim.kinds.shared.persistent_volume_sources import SOURCES
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.references import GRANULAR_OBJECT_REFERENCE
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.volume_claim import access_modes_field, volume_mode_field
from svcsim.kinds.shared.words import RECLAIM_POLICY
from svcsim.meta.names import dns_subdomain
from svcsim.schema.types import Field, Map, Quantity, Str, Struct

_NODE_AFFINITY = Struct(
    "VolumeNodeAffinity",
    Field(1, "required", NODE_SELECTOR, "Nodes from which the volume can be reached"),
    rules=(node_affinity_rules,),
    doc="Limits the nodes from which a volume can be reached",
)
PERSISTENT_VOLUME_SPEC = Struct(
    "PersistentVolumeSpec",
    Field(1, "capacity", Map(Quantity(thousandths=True, rules=(not_negative_amount,))), "Size of the volume"),
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
    Field(6, "storageClassName", Str(), "Name of the StorageClass of the volume; empty for none", rules=(named(dns_subdomain),)),
    Field(7, "mountOptions", STRINGS, "Mount options"),
    volume_mode_field(8),
    Field(9, "nodeAffinity", _NODE_AFFINITY, "Limits the nodes from which the volume can be reached"),
    Field(10, "volumeAttributesClassName", Str(), "Name of the VolumeAttributesClass of the volume", presence=True),
    rules=(persistent_volume_spec_rules,),
    doc="Properties of a volume",
)
