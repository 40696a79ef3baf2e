"""Columns that the tables of volumes and of claims have in common."""

from svcsim.kinds.shared.columns import UNSET, text_at
from svcsim.meta.objects import annotations_of, get_path, is_terminating
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context

_CLASS_ANNOTATION = "volume.beta", "storage-class"


def phase(obj: Object, context: Context) -> Json:
    """The phase, unless the object is being deleted."""
    return "Terminating" if is_terminating(obj) else get_path(obj, "status.phase") or ""


def _storage_class(obj: Object, context: Context) -> Json:
    prefix, name = _CLASS_ANNOTATION
    return annotations_of(obj).get(context.dialect.key(name, prefix)) or get_path(obj, "spec.storageClassName") or ""


STORAGE_CLASS = Column("StorageClass", _storage_class, doc="Name of the StorageClass")
ATTRIBUTES_CLASS = Column(
    "VolumeAttributesClass", text_at("spec.volumeAttributesClassName", UNSET), doc="Name of the VolumeAttributesClass"
)
VOLUME_MODE = Column("VolumeMode", text_at("spec.volumeMode", UNSET), priority=1, doc="Filesystem or Block")
