"""What a server does to PriorityClasses: their generation is the first and only one, and those of the system stay."""

from svcsim.kinds.scheduling.priority_class_rules import SYSTEM_VALUES
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def create(obj: Object, context: Context) -> None:
    obj["metadata"]["generation"] = 1


def undeletable(name: str) -> str:
    return "this is a system priority class and cannot be deleted" if name in SYSTEM_VALUES else ""
