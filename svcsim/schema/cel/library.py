"""The functions that rules may call beside CEL's own: those of Kubernetes' libraries for lists, URLs, addresses and amounts.

A URL, an address, a network and an amount are texts here, checked and in canonical form: that is what functions written in Python can
give back to the CEL library.
"""

import ipaddress
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

from svcsim import limits
from svcsim.meta import quantity
from svcsim.meta.types import Json

T = cel.Type


@lru_cache(limits.RULE_ENVIRONMENTS)
def environment(signature: str, *, optional: bool) -> cel.Env:
    """Where rules about values of a type are compiled; of an ``optional`` value that was before, it can be asked whether it is there."""
    kind = cel.Type(signature)
    variables = {"self": kind, "oldSelf_": kind, "hasOldSelf_": cel.Type.BOOL} if optional else {"self": kind, "oldSelf": kind}
    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings(), ext_bindings.ExtBindings(), ext_math.ExtMath()]
    return cel.NewEnv(variables=variables, extensions=[*extensions, ext_encoders.ExtEncoders()], functions=_functions())


def _functions() -> list[cel.FunctionDecl]:
    return [
        _member("isSorted", T.BOOL, [T.LIST], _is_sorted),
        _member("sum", T.DYN, [T.LIST], sum),
        _member("min", T.DYN, [T.LIST], min),
        _member("max", T.DYN, [T.LIST], max),
        _function("isURL", T.BOOL, [T.STRING], lambda text: bool(urlsplit(text).scheme)),
        _function("url", T.STRING, [T.STRING], _url),
        _member("getScheme", T.STRING, [T.STRING], lambda url: urlsplit(url).scheme),
        _member("getHost", T.STRING, [T.STRING], lambda url: urlsplit(url).netloc.rpartition("@")[2]),
        _member("getHostname", T.STRING, [T.STRING], lambda url: urlsplit(url).hostname or ""),
        _member("getPort", T.STRING, [T.STRING], lambda url: str(urlsplit(url).port or "")),
        _member("getEscapedPath", T.STRING, [T.STRING], lambda url: urlsplit(url).path),
        _member("getQuery", T.Map(T.STRING, T.List(T.STRING)), [T.STRING], lambda url: parse_qs(urlsplit(url).query)),
        _function("isIP", T.BOOL, [T.STRING], lambda text: _is(ipaddress.ip_address, text)),
        _function("ip", T.STRING, [T.STRING], lambda text: str(ipaddress.ip_address(text))),
        _member("family", T.INT, [T.STRING], lambda ip: ipaddress.ip_address(ip).version),
        _member("isLoopback", T.BOOL, [T.STRING], lambda ip: ipaddress.ip_address(ip).is_loopback),
        _member("isUnspecified", T.BOOL, [T.STRING], lambda ip: ipaddress.ip_address(ip).is_unspecified),
        _member("isLinkLocalUnicast", T.BOOL, [T.STRING], lambda ip: ipaddress.ip_address(ip).is_link_local),
        _function("isCIDR", T.BOOL, [T.STRING], lambda text: "/" in text and _is(_network, text)),
        _function("cidr", T.STRING, [T.STRING], lambda text: str(ipaddress.ip_interface(text))),
        _member("containsIP", T.BOOL, [T.STRING, T.STRING], lambda net, ip: ipaddress.ip_address(ip) in _network(net)),
        _member("prefixLength", T.INT, [T.STRING], lambda net: _network(net).prefixlen),
        _member("masked", T.STRING, [T.STRING], lambda net: str(_network(net))),
        _function("isQuantity", T.BOOL, [T.STRING], lambda text: _is(quantity.parse, text)),
        _function("quantity", T.STRING, [T.STRING], quantity.canonical),
        _member("isGreaterThan", T.BOOL, [T.STRING, T.STRING], lambda one, other: _compared(one, other) > 0),
        _member("isLessThan", T.BOOL, [T.STRING, T.STRING], lambda one, other: _compared(one, other) < 0),
        _member("compareTo", T.INT, [T.STRING, T.STRING], _compared),
        _member("isInteger", T.BOOL, [T.STRING], lambda one: quantity.parse(one).number % 1 == 0),
        _member("asInteger", T.INT, [T.STRING], lambda one: int(quantity.parse(one).number)),
        _member("asApproximateFloat", T.DOUBLE, [T.STRING], lambda one: float(quantity.parse(one).number)),
        _member("sign", T.INT, [T.STRING], lambda one: _compared(one, "0")),
    ]


def _function(name: str, returns: cel.Type, parameters: list[cel.Type], implementation: Callable[..., object]) -> cel.FunctionDecl:
    return cel.FunctionDecl(name, [cel.Overload(f"k8s_{name}", return_type=returns, parameters=parameters, impl=implementation)])


def _member(name: str, returns: cel.Type, parameters: list[cel.Type], implementation: Callable[..., object]) -> cel.FunctionDecl:
    overload = cel.Overload(f"k8s_{name}", return_type=returns, parameters=parameters, is_member=True, impl=implementation)
    return cel.FunctionDecl(name, [overload])


def _is_sorted(values: list[Json]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _url(text: str) -> str:
    if not urlsplit(text).scheme and not text.startswith("/"):
        raise ValueError(f"URL parse error during conversion from string: {text}")
    return text


def _is(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(text, strict=False)


def _compared(one: str, other: str) -> int:
    difference = quantity.parse(one).number - quantity.parse(other).number
    return (difference > 0) - (difference < 0)
