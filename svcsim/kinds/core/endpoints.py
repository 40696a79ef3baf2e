"""Endpoints: the addresses behind a Service, all in one object; EndpointSlice took its place."""

from svcsim.kinds.core.endpoints_columns import endpoints
from svcsim.kinds.core.endpoints_rules import endpoints_warnings, subset_rules, subsets
from svcsim.kinds.groups import CORE_V1, DISCOVERY_V1
from svcsim.kinds.shared.checks import PROTOCOLS, named, one_of, port, reachable_address
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.kinds.shared.update_warnings import where_changed
from svcsim.kinds.shared.words import PROTOCOL
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.registry.kind import Column, Deprecation, Kind, Strategy
from svcsim.schema.types import Field, Int, List, Str, Struct

_ADDRESS = Struct(
    "EndpointAddress",
    Field(1, "ip", Str(), "IP address", required=True, rules=(reachable_address,)),
    Field(2, "targetRef", OBJECT_REFERENCE, "The object that has the address, usually a Pod"),
    Field(3, "hostname", Str(), "Host name of the address", rules=(named(dns_label),)),
    Field(4, "nodeName", Str(), "Name of the node on which the address is", rules=(named(dns_subdomain),), presence=True),
    atomic=True,
    doc="An address behind a Service",
)
_PORT = Struct(
    "EndpointPort",
    Field(1, "name", Str(), "Name of the Service's port; required if there are several ports", rules=(named(dns_label),)),
    Field(2, "port", Int(), "Port number", required=True, rules=(port,)),
    Field(3, "protocol", PROTOCOL, "Protocol of the port", default="TCP", rules=(one_of(*PROTOCOLS),)),
    Field(4, "appProtocol", Str(), "Application protocol spoken on the port", rules=(named(qualified_name),), presence=True),
    atomic=True,
    doc="A port behind a Service",
)
_SUBSET = Struct(
    "EndpointSubset",
    Field(1, "addresses", List(_ADDRESS, list_type="atomic"), "Addresses that accept traffic"),
    Field(2, "notReadyAddresses", List(_ADDRESS, list_type="atomic"), "Addresses that do not accept traffic yet, or not at the moment"),
    Field(3, "ports", List(_PORT, list_type="atomic"), "Ports that all these addresses have"),
    rules=(subset_rules,),
    doc="Addresses that have the same ports",
)


ENDPOINTS = Kind(
    CORE_V1,
    "endpoints",
    Struct(
        "Endpoints",
        Field(2, "subsets", List(_SUBSET, list_type="atomic"), "Addresses behind the Service, in groups that have the same ports"),
        doc="Addresses behind a Service (deprecated: use EndpointSlice)",
    ),
    short=("ep",),
    columns=(Column("Endpoints", endpoints, doc="Addresses that accept traffic"), AGE),
    strategy=Strategy(warnings=(endpoints_warnings,), update_warnings=(where_changed(subsets, endpoints_warnings),)),
    update_creates=True,
    deprecated=Deprecation("1.33", DISCOVERY_V1, "EndpointSlice"),
)
