"""IPAddress: an address in use, usually by a Service; its name is the address."""

from svcsim.kinds.groups import NETWORKING_V1
from svcsim.kinds.networking.ip_address_columns import parent
from svcsim.kinds.networking.ip_address_rules import ip_address_changes, parent_rules
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.networks import canonical_address
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Str, Struct

_PARENT = Struct(
    "ParentReference",
    Field(1, "group", Str(), "API group of the object; empty for the core group"),
    Field(2, "resource", Str(), "Resource type of the object, such as services", required=True),
    Field(3, "namespace", Str(), "Namespace of the object"),
    Field(4, "name", Str(), "Name of the object", required=True),
    rules=(parent_rules,),
    doc="Refers to the object that has an address",
)
_SPEC = Struct(
    "IPAddressSpec",
    Field(1, "parentRef", _PARENT, "The object that has the address; cannot be changed", required=True),
    doc="Whose an address is",
)
IP_ADDRESS = Kind(
    NETWORKING_V1,
    "ipaddresses",
    Struct(
        "IPAddress",
        Field(2, "spec", _SPEC, "Whose the address is", required=True, default={}),
        doc="An IP address that is taken, in the one form that its family has; the object's name is the address",
    ),
    short=("ip",),
    namespaced=False,
    name_rule=canonical_address,
    columns=(Column("ParentRef", parent, doc="The object that has the address"), AGE),
    strategy=Strategy(update_rules=(ip_address_changes,)),
)
