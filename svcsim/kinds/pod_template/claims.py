"""What a claim on storage asks for: in a PersistentVolumeClaim, and in a pod's ephemeral volume."""

from svcsim.kinds.references import RESOURCE_LIST, STRINGS, TYPED_LOCAL_OBJECT_REFERENCE, TYPED_OBJECT_REFERENCE
from svcsim.schema.common import LABEL_SELECTOR, OBJECT_META
from svcsim.schema.types import Field, Str, Struct

VOLUME_RESOURCE_REQUIREMENTS = Struct(
    "VolumeResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "The most the volume may have"),
    Field(2, "requests", RESOURCE_LIST, "The least the volume must have"),
    doc="How big a volume is wanted",
)
PERSISTENT_VOLUME_CLAIM_SPEC = Struct(
    "PersistentVolumeClaimSpec",
    Field(1, "accessModes", STRINGS, "How the volume is to be mounted"),
    Field(2, "resources", VOLUME_RESOURCE_REQUIREMENTS, "How big it must be", default={}),
    Field(3, "volumeName", Str(), "The volume the claim is bound to"),
    Field(4, "selector", LABEL_SELECTOR, "Which volumes may be bound"),
    Field(5, "storageClassName", Str(), "The class the volume must have"),
    Field(6, "volumeMode", Str(), "Filesystem or Block", default="Filesystem"),
    Field(7, "dataSource", TYPED_LOCAL_OBJECT_REFERENCE, "A snapshot or claim to start from"),
    Field(8, "dataSourceRef", TYPED_OBJECT_REFERENCE, "Any object to start from that a populator knows"),
    Field(9, "volumeAttributesClassName", Str(), "Class of attributes to apply to the volume"),
    doc="What a claim asks for",
)
PERSISTENT_VOLUME_CLAIM_TEMPLATE = Struct(
    "PersistentVolumeClaimTemplate",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the claim"),
    Field(2, "spec", PERSISTENT_VOLUME_CLAIM_SPEC, "The claim's spec, copied as it is", required=True),
    doc="The claim made for an ephemeral volume",
)
