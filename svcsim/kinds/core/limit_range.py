"""LimitRange: what a single pod, container or claim of a namespace may ask for, and what it asks for if it doesn't say."""

from svcsim.kinds.core.limit_range_defaults import fill_item
from svcsim.kinds.core.limit_range_rules import limit_range_rules
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import CREATED_AT
from svcsim.kinds.shared.types import RESOURCE_LIST
from svcsim.kinds.shared.words import LIMIT_TYPE
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, List, Struct

_ITEM = Struct(
    "LimitRangeItem",
    Field(1, "type", LIMIT_TYPE, "Type of what is limited", required=True, presence=True, default=""),
    Field(2, "max", RESOURCE_LIST, "Largest amounts, by resource"),
    Field(3, "min", RESOURCE_LIST, "Smallest amounts, by resource"),
    Field(4, "default", RESOURCE_LIST, "Limits of containers that have none, by resource"),
    Field(5, "defaultRequest", RESOURCE_LIST, "Requests of containers that have none, by resource"),
    Field(6, "maxLimitRequestRatio", RESOURCE_LIST, "How many times the request a limit may be, by resource; both must be set"),
    fill=fill_item,
    doc="Bounds and defaults for what is of one type",
)
_SPEC = Struct(
    "LimitRangeSpec",
    Field(1, "limits", List(_ITEM, list_type="atomic"), "Bounds and defaults, one for each type", required=True, presence=True),
    doc="Bounds and defaults in a namespace",
)
LIMIT_RANGE = Kind(
    CORE_V1,
    "limitranges",
    Struct(
        "LimitRange",
        Field(2, "spec", _SPEC, "The bounds and defaults", default={}),
        doc="Bounds and defaults for the resources of each pod, container and claim in a namespace",
    ),
    short=("limits",),
    columns=(CREATED_AT,),
    strategy=Strategy(rules=(limit_range_rules,)),
)
