"""ComponentStatus: whether a part of the control plane is healthy, computed at each request."""

from svcsim.kinds.core.component_status_columns import of_health, status
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Column, Deprecation, Kind
from svcsim.schema.types import Field, Str, Struct

_CONDITION = Struct(
    "ComponentCondition",
    Field(1, "type", Str(), "Type of the condition: Healthy", required=True),
    Field(2, "status", Str(), "True, False or Unknown", required=True),
    Field(3, "message", Str(), "What the component says of itself"),
    Field(4, "error", Str(), "What is wrong with the component"),
    doc="A condition of a component",
)


COMPONENT_STATUS = Kind(
    CORE_V1,
    "componentstatuses",
    Struct(
        "ComponentStatus",
        Field(2, "conditions", map_list(_CONDITION, "type"), "Conditions of the component"),
        doc="Whether a part of the control plane is well. It is worked out when somebody asks, and not stored",
    ),
    short=("cs",),
    namespaced=False,
    columns=(
        Column("Status", status, doc="Whether the component is well"),
        Column("Message", of_health("message"), doc="What the component says of itself"),
        Column("Error", of_health("error"), doc="What is wrong with the component"),
    ),
    deprecated=Deprecation("1.19"),
    worked_out=True,
)
