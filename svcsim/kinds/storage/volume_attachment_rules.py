"""What makes a VolumeAttachment right, and that what is to be attached stays the same."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE, named
from svcsim.kinds.shared.storage_checks import total_size
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, too_long
from svcsim.meta.names import dns_subdomain
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_INLINE = "may not be specified in the context of inline volumes"
_MESSAGE_BYTES = 1024
node_name = volume_name = named(dns_subdomain)
attachment_metadata = total_size(256 * 1024)


def error_message(value: Json, path: str) -> Iterator[FieldError]:
    if len(value.encode()) > _MESSAGE_BYTES:
        yield too_long(path, _MESSAGE_BYTES)


def source_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Either a volume that is there, or one that is told of here."""
    name, inline = value.get("persistentVolumeName"), value.get("inlineVolumeSpec")
    if name is None and inline is None:
        yield required(path, _ONE_SOURCE)
    elif name is not None and inline is not None:
        yield forbidden_field(path, _ONE_SOURCE)
    elif name == "":
        yield required(f"{path}.persistentVolumeName", "must specify non empty persistentVolumeName")


def volume_attachment_rules(attachment: Object, context: Context) -> Iterator[FieldError]:
    """What is told of a volume here takes the place of what a driver knows: nothing that belongs to a PersistentVolume."""
    spec, path = get_path(attachment, "spec.source.inlineVolumeSpec"), "spec.source.inlineVolumeSpec"
    if spec is None:
        return
    for name in ("claimRef", "capacity", "nodeAffinity", "storageClassName"):
        if spec.get(name):
            yield forbidden_field(f"{path}.{name}", _INLINE)
    if spec.get("csi") is None:
        yield required(f"{path}.csi", "has to be specified in the context of inline volumes")
    if spec.get("persistentVolumeReclaimPolicy") not in (None, "Retain"):
        yield forbidden_field(f"{path}.persistentVolumeReclaimPolicy", "may only be Retain in the context of inline volumes")
    if spec.get("volumeMode") not in (None, "Filesystem"):
        detail = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        yield forbidden_field(f"{path}.volumeMode", detail)


def volume_attachment_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    if not same_json(new.get("spec"), old.get("spec")):
        yield invalid_value("spec", new.get("spec"), IMMUTABLE)
