"""APIService: who answers for a version of a group, this server or one behind a service. Its rules stand in `api_service_rules`."""

from svcsim.kinds.apiregistration.api_service_columns import available, service
from svcsim.kinds.apiregistration.api_service_rules import condition_rules, initial_status, name_rules, spec_rules
from svcsim.kinds.groups import APIREGISTRATION_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.conditions import conditions
from svcsim.meta.names import path_segment
from svcsim.registry.kind import Column, Kind, Status, Strategy
from svcsim.schema.types import Bool, Bytes, Field, Int, Str, Struct

_SERVICE = Struct(
    "ServiceReference",
    Field(1, "namespace", Str(), "Namespace of the service"),
    Field(2, "name", Str(), "Name of the service"),
    Field(3, "port", Int(), "Port of the service on which the server speaks HTTPS", default=443),
    doc="A service behind which an API server stands",
)
_SPEC = Struct(
    "APIServiceSpec",
    Field(1, "service", _SERVICE, "Service behind which the server stands that answers; if unset, this server answers itself"),
    Field(2, "group", Str(), "Name of the API group"),
    Field(3, "version", Str(), "Version of the group, such as v1"),
    Field(
        4, "insecureSkipTLSVerify", Bool(), "Accept any certificate of the server; not recommended, use caBundle instead", presence=False
    ),
    Field(5, "caBundle", Bytes(atomic=True), "PEM certificates of the authorities that sign the server's; the machine's own if unset"),
    Field(
        7,
        "groupPriorityMinimum",
        Int(),
        "Priority of the group at the least; clients prefer groups of higher priority, and those of the same by name",
        required=True,
        default=0,
    ),
    Field(
        8,
        "versionPriority",
        Int(),
        "Priority of the version within its group; the highest is preferred, and of the same the more stable and newer",
        required=True,
        default=0,
    ),
    rules=(spec_rules,),
    doc="Which version of a group is answered by whom, and how clients prefer it",
)
_STATUS = Struct(
    "APIServiceStatus",
    Field(1, "conditions", conditions("APIServiceCondition", "Available", lastTransitionTime=3, reason=4, message=5), "Current conditions"),
    rules=(condition_rules,),
    doc="Whether the version can be reached",
)
API_SERVICE = Kind(
    APIREGISTRATION_V1,
    "apiservices",
    Struct(
        "APIService",
        Field(2, "spec", _SPEC, "Who answers for which version of a group", default={}),
        Field(3, "status", _STATUS, "Whether the version can be reached", default={}),
        doc="A version of an API group, and the server that answers for it",
    ),
    namespaced=False,
    categories=("api-extensions",),
    columns=(
        Column("Service", service, doc="The service behind which the server stands, or Local"),
        Column("Available", available, doc="Whether the server can be reached"),
        AGE,
    ),
    name_rule=path_segment,
    status=Status(initial=initial_status),
    strategy=Strategy(rules=(name_rules,)),
    generation=False,
    unconditional_update=False,
)
