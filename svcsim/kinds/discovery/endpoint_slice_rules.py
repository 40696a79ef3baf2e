"""What makes an EndpointSlice right: how much it may hold, and addresses of its one type."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE, named, one_of, reachable_address
from svcsim.kinds.shared.networks import address_warnings
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required, too_many
from svcsim.meta.names import dns_subdomain, label_value
from svcsim.meta.networks import family, parse_address
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_MAX_ENDPOINTS = 1000
_MAX_ADDRESSES = 100
_MAX_HINTS = 8
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
        for position, address in enumerate(addresses):
            yield from _address(address, address_type, f"{where}[{position}]")
        yield from _hint_rules(endpoint.get("hints") or {}, f"endpoints[{index}].hints")


def _address(value: str, address_type: str | None, path: str) -> Iterator[FieldError]:
    """A host name with a domain, or an address of the slice's family that can be reached."""
    if address_type == "FQDN":
        yield from named(dns_subdomain)(value, path)
        if "." not in value.removesuffix("."):
            yield invalid_value(path, value, "should be a domain with at least two segments separated by dots")
        return
    parsed = parse_address(value)
    if parsed is not None and address_type in ("IPv4", "IPv6") and family(parsed) != address_type:
        yield invalid_value(path, value, f"must be a valid {address_type} address")
    else:
        yield from reachable_address(value, path)


def _hint_rules(hints: Object, path: str) -> Iterator[FieldError]:
    """Few zones and nodes, each once."""
    for name, rule in (("forZones", label_value), ("forNodes", dns_subdomain)):
        meant = [one.get("name") or "" for one in hints.get(name) or ()]
        if len(meant) > _MAX_HINTS:
            yield too_many(f"{path}.{name}", len(meant), _MAX_HINTS)
            continue
        for index, one in enumerate(meant):
            if one in meant[:index]:
                yield duplicate(f"{path}.{name}[{index}].name", one)
            yield from named(rule)(one, f"{path}.{name}[{index}].name")


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


def endpoint_slice_warnings(obj: Object) -> Iterator[str]:
    if obj.get("addressType") == "FQDN":
        yield "addressType: FQDN endpoints are deprecated"
        return
    for number, endpoint in enumerate(obj.get("endpoints") or ()):
        for index, address in enumerate(endpoint.get("addresses") or ()):
            yield from address_warnings(address, f"endpoints[{number}].addresses[{index}]")
