"""Functions of expressions for URLs, addresses and networks, which are texts here, checked and in canonical form."""

from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network

from cel_expr_python import cel

from svcsim.meta.go_addresses import read_address, read_network
from svcsim.meta.go_urls import parse_request_uri, parse_url
from svcsim.meta.quoting import quoted
from svcsim.schema.cel.functions import CIDR, IP, URL, Function

_BOOL, _INT, _TEXT = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING
_BROADCAST = IPv4Address("255.255.255.255")
_LOCAL_MULTICAST = IPv4Network("224.0.0.0/24")


def is_url(text: str) -> bool:
    """Whether a text is an absolute URL, or an absolute path."""
    try:
        parse_request_uri(text)
    except ValueError:
        return False
    return True


def _url(text: str) -> str:
    try:
        parse_request_uri(text)
        return str(parse_url(text))
    except ValueError as error:
        raise ValueError(f"URL parse error during conversion from string: {error}") from None


def _address(text: str) -> IPv4Address | IPv6Address:
    try:
        address = read_address(text)
    except ValueError as error:
        raise ValueError(f"IP Address {quoted(text)} parse error during conversion from string: {error}") from None
    if "%" in text:
        raise ValueError(f"IP address {quoted(text)} with zone value is not allowed")
    _check_form(text, address)
    return address


def _interface(text: str) -> IPv4Interface | IPv6Interface:
    try:
        return _read_interface(text)
    except ValueError as error:
        raise ValueError(f"network address parse error during conversion from string: {error}") from None


def _read_interface(text: str) -> IPv4Interface | IPv6Interface:
    try:
        interface = read_network(text)
    except ValueError as error:
        raise ValueError(f"network address parse error during conversion from string: {error}") from None
    _check_form(text, interface.ip)
    return interface


def _check_form(text: str, address: IPv4Address | IPv6Address) -> None:
    """An IPv4 address has one form."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise ValueError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")


def _network(text: str) -> IPv4Network | IPv6Network:
    return _interface(text).network


def is_ip(text: str) -> bool:
    """Whether a text is an address."""
    try:
        _address(text)
    except ValueError:
        return False
    return True


def is_cidr(text: str) -> bool:
    """Whether a text is a network."""
    try:
        _interface(text)
    except ValueError:
        return False
    return True


def _is_link_local_multicast(text: str) -> bool:
    address = _address(text)
    return address in _LOCAL_MULTICAST if isinstance(address, IPv4Address) else address.packed[0] == 0xFF and address.packed[1] & 0xF == 2


def _is_global_unicast(text: str) -> bool:
    address = _address(text)
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local or address == _BROADCAST)


def _contains_cidr(net: str, other: str) -> bool:
    one, two = _network(net), _network(other)
    return one.version == two.version and one.prefixlen <= two.prefixlen and two.network_address in one


ADDRESSES = (
    Function("isURL", _BOOL, (_TEXT,), is_url, member=False),
    Function("url", URL, (_TEXT,), _url, member=False),
    Function("getScheme", _TEXT, (URL,), lambda url: parse_url(url).scheme),
    Function("getHost", _TEXT, (URL,), lambda url: parse_url(url).host),
    Function("getHostname", _TEXT, (URL,), lambda url: parse_url(url).hostname),
    Function("getPort", _TEXT, (URL,), lambda url: parse_url(url).port),
    Function("getEscapedPath", _TEXT, (URL,), lambda url: parse_url(url).escaped_path),
    Function("getQuery", cel.Type.Map(_TEXT, cel.Type.List(_TEXT)), (URL,), lambda url: parse_url(url).values()),
    Function("isIP", _BOOL, (_TEXT,), is_ip, member=False),
    Function("ip", IP, (_TEXT,), lambda text: str(_address(text)), member=False),
    Function("ip.isCanonical", _BOOL, (_TEXT,), lambda text: str(_address(text)) == text, member=False),
    Function("family", _INT, (IP,), lambda ip: _address(ip).version),
    Function("isLoopback", _BOOL, (IP,), lambda ip: _address(ip).is_loopback),
    Function("isUnspecified", _BOOL, (IP,), lambda ip: _address(ip).is_unspecified),
    Function("isLinkLocalUnicast", _BOOL, (IP,), lambda ip: _address(ip).is_link_local),
    Function("isLinkLocalMulticast", _BOOL, (IP,), _is_link_local_multicast),
    Function("isGlobalUnicast", _BOOL, (IP,), _is_global_unicast),
    Function("isCIDR", _BOOL, (_TEXT,), is_cidr, member=False),
    Function("cidr", CIDR, (_TEXT,), lambda text: str(_interface(text)), member=False),
    Function("containsIP", _BOOL, (CIDR, _TEXT), lambda net, ip: _address(ip) in _network(net)),
    Function("containsIP", _BOOL, (CIDR, IP), lambda net, ip: _address(ip) in _network(net)),
    Function("containsCIDR", _BOOL, (CIDR, _TEXT), _contains_cidr),
    Function("containsCIDR", _BOOL, (CIDR, CIDR), _contains_cidr),
    Function("ip", IP, (CIDR,), lambda net: str(_interface(net).ip)),
    Function("masked", CIDR, (CIDR,), lambda net: str(_network(net))),
    Function("prefixLength", _INT, (CIDR,), lambda net: _network(net).prefixlen),
)
