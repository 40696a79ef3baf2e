"""Addresses and networks as Go's ``net/netip`` parses them, with its errors: one spelling of IPv4, zones, nothing superfluous.

Addresses in the options of Kubernetes' components are parsed elsewhere (`svcsim.meta.networks`), and more leniently.
"""

import re
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, ip_address, ip_interface
from typing import Final

from svcsim.meta.quoting import quoted

_GROUP = re.compile(r"[0-9a-fA-F]*", re.ASCII)
_BITS = re.compile(r"[0-9]|[1-9][0-9]+", re.ASCII)
_GROUPS: Final = 8
_LARGEST_BYTE: Final = 255


class _WrongError(Exception):
    """What is wrong with an address, and from where on."""

    def __init__(self, told: str, at: str = "") -> None:
        super().__init__(f"{told} (at {quoted(at)})" if at else told)


def read_address(text: str) -> IPv4Address | IPv6Address:
    """The address that a text spells, without its zone. Raises ValueError, in Go's words."""
    try:
        _check(text)
    except _WrongError as error:
        raise ValueError(f"ParseAddr({quoted(text)}): {error}") from None
    return ip_address(text.partition("%")[0])


def read_network(text: str) -> IPv4Interface | IPv6Interface:
    """The address and the network it is in that a text spells. Raises ValueError, in Go's words."""
    try:
        return _network(text)
    except ValueError as error:
        raise ValueError(f"netip.ParsePrefix({quoted(text)}): {error}") from None


def _network(text: str) -> IPv4Interface | IPv6Interface:
    before, slash, bits = text.rpartition("/")
    if not slash:
        raise ValueError("no '/'")
    address = read_address(before)
    if "%" in before:
        raise ValueError("IPv6 zones cannot be present in a prefix")
    if not _BITS.fullmatch(bits):
        raise ValueError(f"bad bits after slash: {quoted(bits)}")
    if len(bits) > len("128") or int(bits) > address.max_prefixlen:
        raise ValueError("prefix length out of range")
    return ip_interface(text)


def _check(text: str) -> None:
    mark = next((char for char in text if char in ".:%"), "")
    match mark:
        case ".":
            _check_ipv4(text)
        case ":":
            _check_ipv6(text)
        case "%":
            raise _WrongError("missing IPv6 address")
        case _:
            raise _WrongError("unable to parse IP")


def _check_ipv4(text: str) -> None:
    field, fields = "", 1
    for index, char in enumerate(text):
        if char.isascii() and char.isdigit():
            if field == "0":
                raise _WrongError("IPv4 field has octet with leading zero")
            field += char
            if int(field) > _LARGEST_BYTE:
                raise _WrongError("IPv4 field has value >255")
        elif char != ".":
            raise _WrongError("unexpected character", text[index:])
        elif not field or index == len(text) - 1:
            raise _WrongError("IPv4 field must have at least one digit", text[index:])
        elif fields == 4:
            raise _WrongError("IPv4 address too long")
        else:
            field, fields = "", fields + 1
    if fields < 4:
        raise _WrongError("IPv4 address too short")


def _check_ipv6(text: str) -> None:
    left, percent, zone = text.partition("%")
    if percent and not zone:
        raise _WrongError("zone must be a non-empty string")
    shortened = left.startswith("::")
    left = left[2:] if shortened else left
    groups = 0
    while left and groups < _GROUPS:
        group = _check_group(left)
        if left[len(group) :].startswith("."):
            _check_embedded(left, groups, shortened=shortened)
            left, groups = "", groups + 2
            break
        left, groups = _after_group(left[len(group) :]), groups + 1
        if left.startswith(":"):
            if shortened:
                raise _WrongError("multiple :: in address", left)
            shortened, left = True, left[1:]
    _check_size(left, groups, shortened=shortened)


def _check_size(left: str, groups: int, *, shortened: bool) -> None:
    if left:
        raise _WrongError("trailing garbage after address", left)
    if groups < _GROUPS and not shortened:
        raise _WrongError("address string too short")
    if groups == _GROUPS and shortened:
        raise _WrongError("the :: must expand to at least one field of zeros")


def _check_group(left: str) -> str:
    """The digits that an address goes on with."""
    found = _GROUP.match(left)
    group = found[0] if found else ""
    if len(group) > 4:
        raise _WrongError("each group must have 4 or less digits", left)
    if not group:
        raise _WrongError("each colon-separated field must have at least one digit", left)
    return group


def _check_embedded(left: str, groups: int, *, shortened: bool) -> None:
    if not shortened and groups != _GROUPS - 2:
        raise _WrongError("embedded IPv4 address must replace the final 2 fields of the address", left)
    if groups + 2 > _GROUPS:
        raise _WrongError("too many hex fields to fit an embedded IPv4 at the end of the address", left)
    _check_ipv4(left)


def _after_group(left: str) -> str:
    """What stands behind the colon that ends a group."""
    if left and not left.startswith(":"):
        raise _WrongError("unexpected character, want colon", left)
    if left == ":":
        raise _WrongError("colon must be followed by more characters", left)
    return left[1:]
