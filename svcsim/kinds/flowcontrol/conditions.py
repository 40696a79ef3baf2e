"""Conditions of flow schemas and priority levels, which are told apart by their type alone."""

from collections.abc import Iterator

from svcsim.kinds.shared.types import map_list
from svcsim.meta.errors import FieldError, duplicate, required
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.types import Field, List, Str, Struct, Time


def flow_conditions(name: str, types: str) -> List:
    """A list of conditions of these types, in a struct of that name."""
    condition = Struct(
        name,
        Field(1, "type", Str(), f"Type of the condition: {types}"),
        Field(2, "status", Str(), "True, False or Unknown"),
        Field(3, "lastTransitionTime", Time(), "When the condition last changed from one status to another"),
        Field(4, "reason", Str(), "Machine-readable reason for the last change, one CamelCase word"),
        Field(5, "message", Str(), "Explanation of the last change for people to read"),
        doc="One aspect of the current state: whether it holds, since when and why",
    )
    return map_list(condition, "type")


def condition_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """Each type once, and none empty."""
    seen: dict[str, None] = {}
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        path, name = f"status.conditions[{index}].type", condition.get("type") or ""
        if name in seen:
            yield duplicate(path, name)
        seen[name] = None
        if not name:
            yield required(path, "must not be empty")
