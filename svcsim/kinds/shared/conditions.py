"""The list of conditions in a status: one struct for each kind, which differ in little but their names and numbers."""

from dataclasses import replace
from typing import Final

from svcsim.kinds.shared.types import map_list
from svcsim.schema.common import CONDITION
from svcsim.schema.types import Field, Int, List, Str, Struct, Time

_FIELDS: Final = (
    Field(0, "lastHeartbeatTime", Time(), "When the node last confirmed the condition"),
    Field(0, "lastProbeTime", Time(), "When the condition was last checked"),
    Field(0, "lastUpdateTime", Time(), "When the condition was last set"),
    Field(0, "lastTransitionTime", Time(), "When the condition last changed from one status to another"),
    Field(0, "reason", Str(), "Machine-readable reason for the last change, one CamelCase word"),
    Field(0, "message", Str(), "Explanation of the last change for people to read"),
    Field(0, "observedGeneration", Int(bits=64), "The metadata.generation that the condition was set for", presence=False),
)
"""What a condition may have beside its type and its status; the numbers differ."""
_BY_NAME: Final = {field.name: field for field in _FIELDS}
_USUAL: Final = {"lastTransitionTime": 3, "reason": 4, "message": 5}

CONDITIONS = map_list(CONDITION, "type")
"""Conditions of the form that newer kinds share."""


def conditions(name: str, types: str, **numbers: int) -> List:
    """Conditions in a struct of the kind's own, such as ``PodCondition``.

    ``types`` says which types of conditions there are. ``numbers`` are the protobuf numbers of the other fields, in the order in which
    they are served.
    """
    fields = (replace(_BY_NAME[field], number=number) for field, number in (numbers or _USUAL).items())
    condition = Struct(
        name,
        Field(1, "type", Str(), f"Type of the condition: {types}", required=True, default=""),
        Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
        *fields,
        doc="One aspect of the current state: whether it holds, since when and why",
    )
    return map_list(condition, "type")
