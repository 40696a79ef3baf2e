"""What makes a PriorityClass right: users' values below those of the system, whose names are reserved."""

from collections.abc import Iterator
from typing import Final

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.priorities import NODE_CRITICAL, SYSTEM_CRITICAL
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

SYSTEM_VALUES: Final = {"system-node-critical": NODE_CRITICAL, "system-cluster-critical": SYSTEM_CRITICAL}
"""The classes of the system's own pods, which every cluster has."""
_RESERVED: Final = "system-"
_HIGHEST: Final = 1_000_000_000


def priority_class_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with a new class."""
    name, value = obj["metadata"].get("name") or "", obj.get("value") or 0
    if name.startswith(_RESERVED):
        if why := _unlike_the_systems(name, value, global_default=bool(obj.get("globalDefault"))):
            detail = f"priority class names with '{_RESERVED}' prefix are reserved for system use only. error: {why}"
            yield forbidden_field("metadata.name", detail)
    elif value > _HIGHEST:
        yield forbidden_field("value", f"maximum allowed value of a user defined priority is {_HIGHEST}")


def _unlike_the_systems(name: str, value: int, *, global_default: bool) -> str:
    expected = SYSTEM_VALUES.get(name)
    if expected is None:
        return f"{name} is not a known system priority class"
    if value != expected:
        return f"value of {name} PriorityClass must be {expected}"
    return f"globalDefault of {name} PriorityClass must be false" if global_default else ""


def priority_class_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What pods were given stays so."""
    if new.get("value") != old.get("value"):
        yield forbidden_field("value", "may not be changed in an update.")
    if new.get("preemptionPolicy") != old.get("preemptionPolicy"):
        yield invalid_value("preemptionPolicy", new.get("preemptionPolicy"), IMMUTABLE)
