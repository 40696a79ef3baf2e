"""The storage that a claim requests: in a PersistentVolumeClaim, and in the template of an ephemeral volume; and what volumes say alike."""

from svcsim.kinds.shared.checks import each, named, one_of
from svcsim.kinds.shared.references import TYPED_LOCAL_OBJECT_REFERENCE, TYPED_OBJECT_REFERENCE
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.kinds.shared.volume_claim_rules import alone_on_one_pod, claim_rules, fill_claim, template_metadata
from svcsim.kinds.shared.words import ACCESS_MODE_LIST, VOLUME_FORM
from svcsim.meta.names import dns_subdomain
from svcsim.schema.common import LABEL_SELECTOR, OBJECT_META
from svcsim.schema.types import Field, Str, Struct

_ACCESS_MODES = each(one_of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"))


def access_modes_field(number: int, doc: str) -> Field:
    """The ways of access that a volume supports, or a claim demands."""
    return Field(number, "accessModes", ACCESS_MODE_LIST, doc, rules=(_ACCESS_MODES, alone_on_one_pod))


def volume_mode_field(number: int) -> Field:
    """The form of a volume, or of the volume that a claim demands."""
    doc, rules = "Whether the volume is a filesystem or a raw block device", (one_of(*VOLUME_FORM.values),)
    return Field(number, "volumeMode", VOLUME_FORM, doc, default="Filesystem", rules=rules, presence=True)


VOLUME_RESOURCE_REQUIREMENTS = Struct(
    "VolumeResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "Largest acceptable amounts"),
    Field(2, "requests", RESOURCE_LIST, "Smallest acceptable amounts"),
    doc="Requested size of a volume",
)
PERSISTENT_VOLUME_CLAIM_SPEC = Struct(
    "PersistentVolumeClaimSpec",
    access_modes_field(1, "Access modes that the volume must support"),
    Field(2, "resources", VOLUME_RESOURCE_REQUIREMENTS, "Requested size of the volume", default={}),
    Field(3, "volumeName", Str(), "Name of the volume to which the claim is bound"),
    Field(4, "selector", LABEL_SELECTOR, "Label selector of the volumes that can be bound"),
    Field(5, "storageClassName", Str(), "Name of the StorageClass of the volume", rules=(named(dns_subdomain),), presence=True),
    volume_mode_field(6),
    Field(7, "dataSource", TYPED_LOCAL_OBJECT_REFERENCE, "Snapshot or claim from which the volume is filled"),
    Field(8, "dataSourceRef", TYPED_OBJECT_REFERENCE, "Object of any kind from which a populator fills the volume"),
    Field(
        9,
        "volumeAttributesClassName",
        Str(),
        "Name of the VolumeAttributesClass to apply to the volume",
        rules=(named(dns_subdomain),),
        presence=True,
    ),
    fill=fill_claim,
    rules=(claim_rules,),
    doc="Requested storage",
)
PERSISTENT_VOLUME_CLAIM_TEMPLATE = Struct(
    "PersistentVolumeClaimTemplate",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the claim", rules=(template_metadata,)),
    Field(2, "spec", PERSISTENT_VOLUME_CLAIM_SPEC, "Spec of the claim", required=True),
    doc="Template for the claim behind an ephemeral volume",
)
