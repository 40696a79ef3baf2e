"""What a table shows of a StorageClass."""

from svcsim.kinds.shared.columns import text_at
from svcsim.meta.claims import default_class_marks
from svcsim.meta.objects import annotations_of, name_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

provisioner = text_at("provisioner")
reclaim_policy = text_at("reclaimPolicy", "Delete")
binding_mode = text_at("volumeBindingMode", "Immediate")


def name(obj: Object, context: Context) -> Json:
    """The name, and whether claims that name no class get this one."""
    notes = annotations_of(obj)
    is_default = any(notes.get(mark) == "true" for mark in default_class_marks(context.dialect))
    return f"{name_of(obj)} (default)" if is_default else name_of(obj)


def allow_expansion(obj: Object, context: Context) -> Json:
    return bool(obj.get("allowVolumeExpansion"))
