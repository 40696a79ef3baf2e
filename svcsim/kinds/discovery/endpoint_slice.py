"""The discovery group: EndpointSlice, the addresses behind a Service in pieces of bearable size."""

from collections.abc import Iterator

from svcsim.kinds.groups import DISCOVERY_V1
from svcsim.kinds.shared.checks import PROTOCOLS, labels, named, one_of, port, reachable_address
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_many
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Map, Str, Struct

_SHOWN = 3
"""Addresses and ports that a table shows before it says how many more there are."""
_UNSET = "<unset>"
_MAX_ENDPOINTS = 1000
_MAX_ADDRESSES = 100
_MAX_PORTS = 20_000


def _names_once(ports: Json, path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, one in enumerate(ports):
        name = one.get("name") or ""
        if name in seen:
            yield duplicate(f"{path}[{index}].name", name)
        seen.add(name)


_CONDITIONS = Struct(
    "EndpointConditions",
    Field(1, "ready", Bool(), "Whether it takes traffic; unset counts as true"),
    Field(2, "serving", Bool(), "Like ready, but also while it terminates"),
    Field(3, "terminating", Bool(), "Whether it terminates"),
    doc="How an endpoint is",
)
_FOR_ZONE = Struct("ForZone", Field(1, "name", Str(), "Name of the zone", required=True), doc="A zone an endpoint is meant for")
_FOR_NODE = Struct("ForNode", Field(1, "name", Str(), "Name of the node", required=True), doc="A node an endpoint is meant for")
_HINTS = Struct(
    "EndpointHints",
    Field(1, "forZones", List(_FOR_ZONE, kind="atomic"), "Zones that should use it"),
    Field(2, "forNodes", List(_FOR_NODE, kind="atomic"), "Nodes that should use it"),
    doc="Who should use an endpoint",
)
_ENDPOINT = Struct(
    "Endpoint",
    Field(1, "addresses", List(Str(), kind="set"), "Its addresses; they mean the same", required=True, presence=True),
    Field(2, "conditions", _CONDITIONS, "How it is", default={}),
    Field(3, "hostname", Str(), "Its host name", rules=(named(dns_label),)),
    Field(4, "targetRef", OBJECT_REFERENCE, "The object behind it, usually a Pod"),
    Field(5, "deprecatedTopology", Map(Str()), "No longer used", rules=(labels,)),
    Field(6, "nodeName", Str(), "The node it is on", rules=(named(dns_subdomain),)),
    Field(7, "zone", Str(), "The zone it is in"),
    Field(8, "hints", _HINTS, "Who should use it"),
    doc="One place behind a Service",
)
_PORT = Struct(
    "EndpointPort",
    Field(1, "name", Str(), "Name of the service's port", default="", presence=True, rules=(named(dns_label),)),
    Field(2, "protocol", Str(), "TCP, UDP or SCTP", default="TCP", rules=(one_of(*PROTOCOLS),)),
    Field(3, "port", Int(), "The port; unset for all", rules=(port,)),
    Field(4, "appProtocol", Str(), "The protocol spoken on it", rules=(named(qualified_name),)),
    atomic=True,
    doc="A port of all endpoints of a slice",
)


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    endpoints, ports, kind = obj.get("endpoints") or (), obj.get("ports") or (), obj.get("addressType")
    if kind:
        yield from one_of("FQDN", "IPv4", "IPv6")(kind, "addressType")
    if len(endpoints) > _MAX_ENDPOINTS:
        yield too_many("endpoints", len(endpoints), _MAX_ENDPOINTS)
    if len(ports) > _MAX_PORTS:
        yield too_many("ports", len(ports), _MAX_PORTS)
    for index, endpoint in enumerate(endpoints):
        addresses, where = endpoint.get("addresses") or (), f"endpoints[{index}].addresses"
        if not addresses:
            yield required(where, "must contain at least 1 address")
        elif len(addresses) > _MAX_ADDRESSES:
            yield too_many(where, len(addresses), _MAX_ADDRESSES)
        check = named(dns_subdomain) if kind == "FQDN" else reachable_address
        for position, address in enumerate(addresses):
            yield from check(address, f"{where}[{position}]")


def _changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    if new.get("addressType") != old.get("addressType"):
        yield invalid_value("addressType", new.get("addressType"), "field is immutable")


def _shortened(texts: list[str]) -> str:
    if not texts:
        return _UNSET
    shown = ",".join(texts[:_SHOWN])
    return f"{shown} + {len(texts) - _SHOWN} more..." if len(texts) > _SHOWN else shown


def _ports(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return _shortened([str(one["port"]) if one.get("port") is not None else "*" for one in obj.get("ports") or ()])


def _endpoints(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return _shortened([address for endpoint in obj.get("endpoints") or () for address in endpoint.get("addresses") or ()])


ENDPOINT_SLICE = Kind(
    "EndpointSlice",
    DISCOVERY_V1,
    "endpointslices",
    Struct(
        "EndpointSlice",
        Field(4, "addressType", Str(), "IPv4, IPv6 or FQDN; can't change", required=True),
        Field(2, "endpoints", List(_ENDPOINT, kind="atomic"), "The endpoints"),
        Field(3, "ports", List(_PORT, kind="atomic"), "Ports of all of them", rules=(_names_once,)),
        doc="Some of the addresses behind a Service",
    ),
    singular="endpointslice",
    columns=(
        Column("AddressType", text_at("addressType"), doc="Type of its addresses"),
        Column("Ports", _ports, doc="Ports of its endpoints"),
        Column("Endpoints", _endpoints, doc="Addresses of its endpoints"),
        AGE,
    ),
    strategy=Strategy(rules=(_rules,), update_rules=(_changes,)),
    generation=True,
    doc="Some of the addresses behind a Service",
)
