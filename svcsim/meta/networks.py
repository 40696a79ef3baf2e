"""IP addresses and networks, read from text."""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from svcsim import limits

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_CIDR = re.compile(r"(.+)/([0-9]{1,3})", re.ASCII)


@lru_cache(maxsize=limits.PARSED_ADDRESSES)
def parse_address(value: str) -> Address | None:
    """The address a text spells, if it spells one; a zone makes it none."""
    if "%" in value:
        return None
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


@lru_cache(maxsize=limits.PARSED_ADDRESSES)
def parse_network(value: str) -> Network | None:
    """The network a text spells in CIDR notation, if it spells one; bits beyond the prefix are passed over."""
    parts = _CIDR.fullmatch(value)
    if parts is None or "%" in value:
        return None
    try:
        return ipaddress.ip_network(f"{parts[1]}/{int(parts[2])}", strict=False)
    except ValueError:
        return None


def parse_networks(values: Iterable[str]) -> tuple[Network, ...]:
    """The networks that texts spell, without what spells none."""
    return tuple(network for value in values if (network := parse_network(value)) is not None)


def canonical_address(value: str) -> str:
    """The one spelling of an address, of the many that IPv6 allows; a text that is none stays as it is."""
    address = parse_address(value) if ":" in value else None
    return value if address is None else str(address)


def host_port(host: str, port: int) -> str:
    """``10.0.0.1:80``, ``[fd00::1]:80``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def family(of: Address | Network) -> str:
    """Its IP family, by the name that Services know."""
    return f"IPv{of.version}"


def family_of(address: str) -> str:
    """The IP family of a text that is known to spell an address."""
    return "IPv6" if ":" in address else "IPv4"


def first_address(network: Network) -> str:
    """The first one that a Service can have: the API server's own Service has it."""
    return str(network[1])


def inside(inner: Network, outer: Network) -> bool:
    """Whether one network is in another, or is the same."""
    if isinstance(inner, ipaddress.IPv4Network):
        return isinstance(outer, ipaddress.IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, ipaddress.IPv6Network) and inner.subnet_of(outer)
