"""Endpoints: the addresses behind a Service, all in one object; EndpointSlice took its place."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1, DISCOVERY_V1
from svcsim.kinds.shared.checks import PROTOCOLS, named, one_of, port, reachable_address
from svcsim.kinds.shared.columns import AGE, NONE, first_few
from svcsim.kinds.shared.references import OBJECT_REFERENCE
from svcsim.meta.errors import FieldError, required
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Deprecation, Kind
from svcsim.schema.types import Field, Int, List, Str, Struct

_SHOWN = 3
"""Addresses that a table shows before it says how many more there are."""


def _subset_rules(subset: Json, path: str) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    ports = subset.get("ports") or ()
    if len(ports) > 1:
        yield from (required(f"{path}.ports[{index}].name") for index, one in enumerate(ports) if not one.get("name"))


_ADDRESS = Struct(
    "EndpointAddress",
    Field(1, "ip", Str(), "IP address", required=True, rules=(reachable_address,)),
    Field(2, "targetRef", OBJECT_REFERENCE, "The object that has the address, usually a Pod"),
    Field(3, "hostname", Str(), "Host name of the address", rules=(named(dns_label),)),
    Field(4, "nodeName", Str(), "Name of the node on which the address is", rules=(named(dns_subdomain),)),
    atomic=True,
    doc="An address behind a Service",
)
_PORT = Struct(
    "EndpointPort",
    Field(1, "name", Str(), "Name of the Service's port; required if there are several ports", rules=(named(dns_label),)),
    Field(2, "port", Int(), "Port number", required=True, rules=(port,)),
    Field(3, "protocol", Str(), "TCP, UDP or SCTP", default="TCP", rules=(one_of(*PROTOCOLS),)),
    Field(4, "appProtocol", Str(), "Application protocol spoken on the port", rules=(named(qualified_name),)),
    atomic=True,
    doc="A port behind a Service",
)
_SUBSET = Struct(
    "EndpointSubset",
    Field(1, "addresses", List(_ADDRESS, list_type="atomic"), "Addresses that accept traffic"),
    Field(2, "notReadyAddresses", List(_ADDRESS, list_type="atomic"), "Addresses that do not accept traffic yet, or not at the moment"),
    Field(3, "ports", List(_PORT, list_type="atomic"), "Ports that all these addresses have"),
    rules=(_subset_rules,),
    doc="Addresses that have the same ports",
)


def _host_port(host: str, number: int) -> str:
    return f"[{host}]:{number}" if ":" in host else f"{host}:{number}"


def _addresses(obj: Object) -> Iterator[str]:
    for subset in obj.get("subsets") or ():
        addresses = [item["ip"] for item in subset.get("addresses") or ()]
        ports = subset.get("ports") or ()
        if not ports:
            yield from addresses
        for one in ports:
            yield from (_host_port(host, one["port"]) for host in addresses)


def _endpoints(obj: Object, context: Context) -> Json:
    return first_few(list(_addresses(obj)), _SHOWN) if obj.get("subsets") else NONE


ENDPOINTS = Kind(
    CORE_V1,
    "endpoints",
    Struct(
        "Endpoints",
        Field(2, "subsets", List(_SUBSET, list_type="atomic"), "Addresses behind the Service, in groups that have the same ports"),
        doc="Addresses behind a Service (deprecated: use EndpointSlice)",
    ),
    short=("ep",),
    columns=(Column("Endpoints", _endpoints, doc="Addresses that accept traffic"), AGE),
    update_creates=True,
    deprecated=Deprecation("1.33", DISCOVERY_V1, "EndpointSlice"),
)
