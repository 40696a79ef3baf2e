"""A function that expressions may call, as one line of a table, and what the CEL library is told of all of them.

An amount, a version, a URL, an address, a network and a format have types of their own where an expression is checked. Where it is
evaluated they are texts, checked and in canonical form: that is what functions written in Python can give back to the CEL library.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from cel_expr_python import cel

QUANTITY, SEMVER, URL, FORMAT, IP, CIDR = OPAQUE = tuple(
    cel.Type.AbstractType(name)
    for name in ("kubernetes.Quantity", "kubernetes.Semver", "kubernetes.URL", "kubernetes.NamedFormat", "net.IP", "net.CIDR")
)

NAMED_TYPES = (IP.name(), CIDR.name())
"""The types that an expression may name, like ``string``: ``type(ip("::1")) == net.IP``."""
AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION = (
    cel.Type.AbstractType(f"kubernetes.authorization.{name}")
    for name in ("Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision")
)
"""The types of the authorizer, of its checks, and of its decisions."""


class Function(NamedTuple):
    """One overload. A member is called on its first parameter."""

    name: str
    returns: cel.Type
    parameters: tuple[cel.Type, ...]
    implementation: Callable[..., object] | None = None
    """None for one that is known, so that expressions with it compile, and evaluated nowhere."""
    member: bool = True


def with_texts(functions: Iterable[Function]) -> list[Function]:
    """Functions of texts in the place of those of values with types of their own. Of several that become one the first does for all."""
    found: dict[tuple[str, ...], Function] = {}
    for function in functions:
        parameters = tuple(_as_text(parameter) for parameter in function.parameters)
        key = (function.name, str(function.member), *(parameter.name() for parameter in parameters))
        found.setdefault(key, function._replace(returns=_as_text(function.returns), parameters=parameters))
    return list(found.values())


def _as_text(kind: cel.Type) -> cel.Type:
    return cel.Type.STRING if any(kind == one for one in OPAQUE) else kind


def declarations(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """All functions, each with its overloads."""
    overloads: dict[str, list[cel.Overload]] = {}
    for name, returns, parameters, _implementation, member in functions:
        key = "_".join(("k8s", name, "member" if member else "global", *(parameter.name() for parameter in parameters)))
        overload = cel.Overload(key, return_type=returns, parameters=list(parameters), is_member=member)
        overloads.setdefault(name, []).append(overload)
    return [cel.FunctionDecl(name, found) for name, found in overloads.items()]
