"""EndpointSlice: some of the endpoints of a Service; a Service with many of them has several slices."""

from svcsim.kinds.discovery.endpoint_slice_columns import endpoints, ports
from svcsim.kinds.discovery.endpoint_slice_rules import (
    each_port_name_once,
    endpoint_slice_changes,
    endpoint_slice_rules,
    endpoint_slice_warnings,
)
from svcsim.kinds.groups import DISCOVERY_V1
from svcsim.kinds.shared.checks import PROTOCOLS, labels, named, one_of, port
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.defaults import null_if_empty
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import ADDRESS_TYPE, PROTOCOL
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct

_CONDITIONS = Struct(
    "EndpointConditions",
    Field(1, "ready", Bool(), "Whether the endpoint accepts traffic; unset means yes"),
    Field(2, "serving", Bool(), "Whether the endpoint is able to serve, even while it is terminating"),
    Field(3, "terminating", Bool(), "Whether the endpoint is terminating"),
    doc="State of an endpoint",
)
_FOR_ZONE = Struct("ForZone", Field(1, "name", Str(), "Name of the zone", required=True), doc="A zone whose clients should use an endpoint")
_FOR_NODE = Struct("ForNode", Field(1, "name", Str(), "Name of the node", required=True), doc="A node whose clients should use an endpoint")
_HINTS = Struct(
    "EndpointHints",
    Field(1, "forZones", List(_FOR_ZONE, list_type="atomic"), "Zones whose clients should use the endpoint"),
    Field(2, "forNodes", List(_FOR_NODE, list_type="atomic"), "Nodes whose clients should use the endpoint"),
    doc="Which clients should use an endpoint",
)
_ENDPOINT = Struct(
    "Endpoint",
    Field(1, "addresses", List(Str(), list_type="set"), "Addresses of the endpoint, all equivalent", required=True, presence=True),
    Field(2, "conditions", _CONDITIONS, "State of the endpoint", default={}),
    Field(3, "hostname", Str(), "Host name of the endpoint", rules=(named(dns_label),), presence=True),
    Field(4, "targetRef", OBJECT_REFERENCE, "The object behind the endpoint, usually a Pod"),
    Field(5, "deprecatedTopology", Map(Str()), "Topology labels of an older API version; no longer used", rules=(labels,)),
    Field(6, "nodeName", Str(), "Name of the node on which the endpoint runs", rules=(named(dns_subdomain),), presence=True),
    Field(7, "zone", Str(), "Name of the zone in which the endpoint runs", presence=True),
    Field(8, "hints", _HINTS, "Which clients should use the endpoint"),
    doc="One backend of a Service",
)
_PORT = Struct(
    "EndpointPort",
    Field(1, "name", Str(), "Name of the Service's port", default="", presence=True, rules=(named(dns_label),)),
    Field(2, "protocol", PROTOCOL, "Protocol of the port", default="TCP", rules=(one_of(*PROTOCOLS),), presence=True),
    Field(3, "port", Int(), "Port number; unset means all ports", rules=(port,)),
    Field(4, "appProtocol", Str(), "Application protocol spoken on the port", rules=(named(qualified_name),), presence=True),
    atomic=True,
    doc="A port that all endpoints of a slice have",
)


ENDPOINT_SLICE = Kind(
    DISCOVERY_V1,
    "endpointslices",
    Struct(
        "EndpointSlice",
        Field(4, "addressType", ADDRESS_TYPE, "Type of all addresses in the slice; cannot be changed", required=True),
        Field(2, "endpoints", List(_ENDPOINT, list_type="atomic"), "Endpoints in the slice"),
        Field(3, "ports", List(_PORT, list_type="atomic"), "Ports that all endpoints in the slice have", rules=(each_port_name_once,)),
        doc="Some of the endpoints of a Service",
    ),
    columns=(
        Column("AddressType", text_at("addressType"), doc="Type of the addresses"),
        Column("Ports", ports, doc="Ports of the endpoints"),
        Column("Endpoints", endpoints, doc="Addresses of the endpoints"),
        AGE,
    ),
    strategy=Strategy(
        fill=null_if_empty("endpoints", "ports"),
        warnings=(endpoint_slice_warnings,),
        update_warnings=(of_every_update(endpoint_slice_warnings),),
        rules=(endpoint_slice_rules,),
        update_rules=(endpoint_slice_changes,),
    ),
    generation=True,
)
