"""The list of conditions in a status: one struct for each kind, which differ in little but their names and numbers."""

from typing import Final

from svcsim.kinds.shared.types import map_list
from svcsim.schema.common import CONDITION
from svcsim.schema.types import Field, Int, List, Str, Struct, Time, Type

_FIELDS: Final[dict[str, tuple[Type, str]]] = {
    "lastHeartbeatTime": (Time(), "When the node last confirmed the condition"),
    "lastProbeTime": (Time(), "When the condition was last checked"),
    "lastUpdateTime": (Time(), "When the condition was last set"),
    "lastTransitionTime": (Time(), "When the condition last changed from one status to another"),
    "reason": (Str(), "Machine-readable reason for the last change, one CamelCase word"),
    "message": (Str(), "Explanation of the last change for people to read"),
    "observedGeneration": (Int(bits=64), "The metadata.generation that the condition was set for"),
}
"""What a condition may have beside its type and its status."""
_USUAL: Final = {"lastTransitionTime": 3, "reason": 4, "message": 5}

CONDITIONS = map_list(CONDITION, "type")
"""Conditions of the form that newer kinds share."""


def conditions(name: str, types: str, **numbers: int) -> List:
    """Conditions in a struct of the kind's own, such as ``PodCondition``.

    ``types`` says which types of conditions there are. ``numbers`` are the protobuf numbers of the other fields, in the order in which
    they are served.
    """
    fields = (Field(number, field, *_FIELDS[field]) for field, number in (numbers or _USUAL).items())
    condition = Struct(
        name,
        Field(1, "type", Str(), f"Type of the condition: {types}", required=True, default=""),
        Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
        *fields,
        doc="One aspect of the current state: whether it holds, since when and why",
    )
    return map_list(condition, "type")
