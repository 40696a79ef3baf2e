"""What makes an EndpointSlice right: how much it may hold, and addresses of its one type."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE, named, one_of, reachable_address
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_many
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_MAX_ENDPOINTS = 1000
_MAX_ADDRESSES = 100
_MAX_PORTS = 20_000


def endpoint_slice_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with a slice as a whole."""
    endpoints, ports, address_type = obj.get("endpoints") or (), obj.get("ports") or (), obj.get("addressType")
    if address_type:
        yield from one_of("FQDN", "IPv4", "IPv6")(address_type, "addressType")
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
        check = named(dns_subdomain) if address_type == "FQDN" else reachable_address
        for position, address in enumerate(addresses):
            yield from check(address, f"{where}[{position}]")


def each_port_name_once(ports: Json, path: str) -> Iterator[FieldError]:
    """No two ports have the same name; having none counts as one."""
    seen: set[str] = set()
    for index, one in enumerate(ports):
        name = one.get("name") or ""
        if name in seen:
            yield duplicate(f"{path}[{index}].name", name)
        seen.add(name)


def endpoint_slice_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The type of the addresses stays."""
    if new.get("addressType") != old.get("addressType"):
        yield invalid_value("addressType", new.get("addressType"), IMMUTABLE)
