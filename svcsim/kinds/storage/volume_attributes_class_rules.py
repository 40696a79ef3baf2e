"""What makes a VolumeAttributesClass right, and that nothing of it changes."""

from collections.abc import Iterator

from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, required
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def volume_attributes_class_rules(value: Json, path: str) -> Iterator[FieldError]:
    if not value.get("parameters"):
        yield required("parameters", "must contain at least one key/value pair")


def volume_attributes_class_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    for name in ("driverName", "parameters"):
        if not same_json(new.get(name), old.get(name)):
            yield forbidden_field(name, f"updates to {name} are forbidden.")
