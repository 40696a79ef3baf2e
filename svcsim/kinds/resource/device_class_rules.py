"""What makes a DeviceClass right beside its selectors and settings."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.extended_resources import is_extended
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def device_class_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """The resource it can be asked for as is one of a domain."""
    name = (obj.get("spec") or {}).get("extendedResourceName")
    if name is not None and not is_extended(name, context.dialect):
        yield invalid_value("spec.extendedResourceName", name, "must be a valid extended resource name")
