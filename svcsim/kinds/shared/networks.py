"""IP networks and addresses as fields spell them: what can be read as one, and what is written in the one form that newer kinds demand.

Older fields take every form in which an address can be read, and warn of those that mean something else to other programs.
"""

import ipaddress
import re
from collections.abc import Iterator

from svcsim.kinds.shared.checks import BAD_ADDRESS, BAD_NETWORK
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.networks import parse_address, parse_network
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json

_LEADING_ZERO = re.compile(r"(?<![0-9a-fA-F:])0+(?=[0-9])")


def canonical_address(value: str) -> list[str]:
    """What is wrong with a name that has to be an address in its one form."""
    parsed = parse_address(value)
    if parsed is None:
        return ["must not have leading 0s" if parse_address(_LEADING_ZERO.sub("", value)) else BAD_ADDRESS]
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return ["must not be an IPv4-mapped IPv6 address"]
    return [] if str(parsed) == value else [f'must be in canonical form ("{parsed}")']


def canonical_network(value: Json, path: str) -> Iterator[FieldError]:
    """A network in its one form."""
    found = parse_network(value)
    if found is None:
        without_zeros = parse_network(_LEADING_ZERO.sub("", value))
        yield invalid_value(path, value, "must not have leading 0s in IP or prefix length" if without_zeros else BAD_NETWORK)
        return
    address, _, length = value.partition("/")
    if len(length) > 1 and length.startswith("0"):
        yield invalid_value(path, value, "must not have leading 0s in IP or prefix length")
    elif isinstance(found, ipaddress.IPv6Network) and found.network_address.ipv4_mapped is not None:
        yield invalid_value(path, value, "must not have an IPv4-mapped IPv6 address")
    elif ipaddress.ip_address(address) != found.network_address:
        yield invalid_value(path, value, "must not have bits set after the prefix length")
    elif str(found) != value:
        yield invalid_value(path, value, f'must be in canonical form ("{found}")')


def interface_address(value: Json, path: str) -> Iterator[FieldError]:
    """An address with the length of its network's prefix, in its one form."""
    network, address = parse_network(value), parse_address(value.partition("/")[0])
    if network is None or address is None:
        yield invalid_value(path, value, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")
        return
    length = network.prefixlen
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address, length = address.ipv4_mapped, max(0, length - 96)
    if value != f"{address}/{length}":
        yield invalid_value(path, value, f'must be in canonical form ("{address}/{length}")')


def network_warnings(value: str, path: str) -> Iterator[str]:
    """What may be misunderstood in a network that can be read."""
    found = parse_network(value)
    if found is None:
        return
    address = ipaddress.ip_address(value.partition("/")[0])
    if address != found.network_address:
        single = f"{address}/{found.max_prefixlen}"
        yield f'{path}: CIDR value {quoted(value)} is ambiguous in this context (should be "{found}" or "{single}"?)'
    elif isinstance(address, ipaddress.IPv6Address) and str(found) != value:
        yield f'{path}: IPv6 CIDR value {quoted(value)} should be in RFC 5952 canonical format ("{found}")'


def address_warnings(value: str, path: str) -> Iterator[str]:
    """What may be misunderstood in an address that can be read."""
    parsed = parse_address(value) if ":" in value else None  # of IPv4 there is one form
    if not isinstance(parsed, ipaddress.IPv6Address):
        return
    if parsed.ipv4_mapped is not None:
        better = f'use "{parsed.ipv4_mapped}"'
        yield f"{path}: non-standard IP address {quoted(value)} will be considered invalid in a future Kubernetes release: {better}"
    elif str(parsed) != value:
        yield f'{path}: IPv6 address {quoted(value)} should be in RFC 5952 canonical format ("{parsed}")'
