"""What may change of a PersistentVolumeClaim."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_CHANGEABLE = ("resources", "volumeAttributesClassName")


def persistent_volume_claim_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The requested size and the attributes class may change; the volume may be named once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    fixed = set(_CHANGEABLE) | ({"volumeName"} if not before.get("volumeName") else set())
    names = [name for name in {**spec, **before} if name not in fixed and spec.get(name) != before.get(name)]
    if names:
        detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
        yield forbidden_field("spec", f"{detail}\nchanged: {', '.join(f'spec.{name}' for name in names)}")
