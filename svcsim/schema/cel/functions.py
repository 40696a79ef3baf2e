"""A function that expressions may call, as one line of a table, and what the CEL library is told of all of them."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from cel_expr_python import cel


class Function(NamedTuple):
    """One overload. A member is called on its first parameter."""

    name: str
    returns: cel.Type
    parameters: tuple[cel.Type, ...]
    implementation: Callable[..., object] | None = None
    """None for one that is known, so that expressions with it compile, and evaluated nowhere."""
    member: bool = True


def declarations(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """All functions, each with its overloads."""
    overloads: dict[str, list[cel.Overload]] = {}
    for name, returns, parameters, implementation, member in functions:
        key = "_".join(("k8s", name, "member" if member else "global", *(parameter.name() for parameter in parameters)))
        overload = cel.Overload(key, return_type=returns, parameters=list(parameters), is_member=member, impl=implementation)
        overloads.setdefault(name, []).append(overload)
    return [cel.FunctionDecl(name, found) for name, found in overloads.items()]
