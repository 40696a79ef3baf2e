"""What a claim on storage asks for: in a PersistentVolumeClaim, and in a pod's ephemeral volume."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import each, named, one_of
from svcsim.kinds.shared.references import RESOURCE_LIST, STRINGS, TYPED_LOCAL_OBJECT_REFERENCE, TYPED_OBJECT_REFERENCE
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_subdomain
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.schema.common import LABEL_SELECTOR, OBJECT_META
from svcsim.schema.types import Field, Str, Struct

ACCESS_MODES = each(one_of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"))


def _claim_rules(spec: Json, path: str) -> Iterator[FieldError]:
    modes = spec.get("accessModes") or ()
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    elif "ReadWriteOncePod" in modes and len(modes) > 1:
        yield forbidden_field(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes")
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    where = f"{path}.resources[storage]"
    if size is None:
        yield required(where)
    elif parse(size).number <= 0:
        yield invalid_value(where, size, "must be greater than zero")


def _fill_claim(spec: Object) -> None:
    """What a claim starts from is named in two ways that say the same."""
    plain, general = spec.get("dataSource"), spec.get("dataSourceRef")
    if plain and not general:
        spec["dataSourceRef"] = dict(plain)
    elif general and not plain and not general.get("namespace"):
        spec["dataSource"] = dict(general)


VOLUME_RESOURCE_REQUIREMENTS = Struct(
    "VolumeResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "The most the volume may have"),
    Field(2, "requests", RESOURCE_LIST, "The least the volume must have"),
    doc="How big a volume is wanted",
)
PERSISTENT_VOLUME_CLAIM_SPEC = Struct(
    "PersistentVolumeClaimSpec",
    Field(1, "accessModes", STRINGS, "How the volume is to be mounted", rules=(ACCESS_MODES,)),
    Field(2, "resources", VOLUME_RESOURCE_REQUIREMENTS, "How big it must be", default={}),
    Field(3, "volumeName", Str(), "The volume the claim is bound to"),
    Field(4, "selector", LABEL_SELECTOR, "Which volumes may be bound"),
    Field(5, "storageClassName", Str(), "The class the volume must have", rules=(named(dns_subdomain),)),
    Field(6, "volumeMode", Str(), "Filesystem or Block", default="Filesystem", rules=(one_of("Block", "Filesystem"),)),
    Field(7, "dataSource", TYPED_LOCAL_OBJECT_REFERENCE, "A snapshot or claim to start from"),
    Field(8, "dataSourceRef", TYPED_OBJECT_REFERENCE, "Any object to start from that a populator knows"),
    Field(9, "volumeAttributesClassName", Str(), "Class of attributes to apply to the volume"),
    fill=_fill_claim,
    rules=(_claim_rules,),
    doc="What a claim asks for",
)
PERSISTENT_VOLUME_CLAIM_TEMPLATE = Struct(
    "PersistentVolumeClaimTemplate",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the claim"),
    Field(2, "spec", PERSISTENT_VOLUME_CLAIM_SPEC, "The claim's spec, copied as it is", required=True),
    doc="The claim made for an ephemeral volume",
)
