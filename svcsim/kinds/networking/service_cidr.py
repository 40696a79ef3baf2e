"""ServiceCIDR: networks from which Services get their addresses."""

from svcsim.kinds.groups import NETWORKING_V1
from svcsim.kinds.networking.service_cidr_columns import cidrs
from svcsim.kinds.networking.service_cidr_rules import service_cidr_changes, service_cidr_rules
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.conditions import CONDITIONS
from svcsim.kinds.shared.types import STRINGS
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Field, Struct

_SPEC = Struct(
    "ServiceCIDRSpec",
    Field(1, "cidrs", STRINGS, "One network in CIDR notation, or one of each IP family; only a second one can be added later"),
    doc="Networks from which Services get their addresses",
)
_STATUS = Struct(
    "ServiceCIDRStatus",
    Field(1, "conditions", CONDITIONS, "Current conditions: Ready if addresses can be had from the networks"),
    doc="Current state of a ServiceCIDR",
)
SERVICE_CIDR = Kind(
    NETWORKING_V1,
    "servicecidrs",
    Struct(
        "ServiceCIDR",
        Field(2, "spec", _SPEC, "Networks from which Services get their addresses", default={}),
        Field(3, "status", _STATUS, "Current state", default={}),
        doc="Networks from which Services get their addresses",
    ),
    namespaced=False,
    columns=(Column("CIDRs", cidrs, doc="Networks in CIDR notation"), AGE),
    status=Status(),
    strategy=Strategy(create_rules=(service_cidr_rules,), update_rules=(service_cidr_changes,)),
    generation=False,
)
