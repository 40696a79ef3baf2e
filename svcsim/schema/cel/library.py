"""The functions that expressions may call beside CEL's own, for validation rules of custom resources and for admission policies alike.

A URL, an address, a network and an amount are texts here, checked and in canonical form: that is what functions written in Python can
give back to the CEL library. The library lets nobody add to the functions of its extensions, so what Kubernetes has of lists under names
that texts have, too, is known to policies alone, which are compiled and no more, and brings those names for texts with it.
"""

from functools import lru_cache
from itertools import pairwise

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

from svcsim import limits
from svcsim.meta.types import Json
from svcsim.schema.cel.addresses import ADDRESSES
from svcsim.schema.cel.amounts import AMOUNTS
from svcsim.schema.cel.functions import Function, declarations

_BOOL, _INT, _TEXT, _ANY, _LIST = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING, cel.Type.DYN, cel.Type.LIST


def _is_sorted(values: list[Json]) -> bool:
    return all(one <= other for one, other in pairwise(values))


def _contains(one: list[Json], other: list[Json]) -> bool:
    return all(item in one for item in other)


def _intersects(one: list[Json], other: list[Json]) -> bool:
    return any(item in one for item in other)


EVALUATED = (
    Function("isSorted", _BOOL, (_LIST,), _is_sorted),
    Function("sum", _ANY, (_LIST,), sum),
    Function("min", _ANY, (_LIST,), min),
    Function("max", _ANY, (_LIST,), max),
    Function("sets.contains", _BOOL, (_LIST, _LIST), _contains, member=False),
    Function("sets.equivalent", _BOOL, (_LIST, _LIST), lambda one, other: _contains(one, other) and _contains(other, one), member=False),
    Function("sets.intersects", _BOOL, (_LIST, _LIST), _intersects, member=False),
    *ADDRESSES,
    *AMOUNTS,
)
"""What rules may call, and policies, too."""
COMPILED = (
    Function("indexOf", _INT, (_LIST, _ANY)),
    Function("indexOf", _INT, (_TEXT, _TEXT)),
    Function("indexOf", _INT, (_TEXT, _TEXT, _INT)),
    Function("lastIndexOf", _INT, (_LIST, _ANY)),
    Function("lastIndexOf", _INT, (_TEXT, _TEXT)),
    Function("lastIndexOf", _INT, (_TEXT, _TEXT, _INT)),
    Function("charAt", _TEXT, (_TEXT, _INT)),
    Function("join", _TEXT, (_LIST,)),
    Function("join", _TEXT, (_LIST, _TEXT)),
    Function("lowerAscii", _TEXT, (_TEXT,)),
    Function("upperAscii", _TEXT, (_TEXT,)),
    Function("trim", _TEXT, (_TEXT,)),
    Function("reverse", _TEXT, (_TEXT,)),
    Function("format", _TEXT, (_TEXT, _LIST)),
    Function("replace", _TEXT, (_TEXT, _TEXT, _TEXT)),
    Function("replace", _TEXT, (_TEXT, _TEXT, _TEXT, _INT)),
    Function("substring", _TEXT, (_TEXT, _INT)),
    Function("substring", _TEXT, (_TEXT, _INT, _INT)),
    Function("split", _LIST, (_TEXT, _TEXT)),
    Function("split", _LIST, (_TEXT, _TEXT, _INT)),
    Function("strings.quote", _TEXT, (_TEXT,), member=False),
    Function("find", _TEXT, (_TEXT, _TEXT)),
    Function("findAll", _LIST, (_TEXT, _TEXT)),
    Function("findAll", _LIST, (_TEXT, _TEXT, _INT)),
    Function("format.named", _ANY, (_TEXT,), member=False),
    Function("format.dns1123Label", _ANY, (), member=False),
    Function("validate", _ANY, (_ANY, _TEXT)),
)
"""What only what is compiled and never evaluated may call beside those."""


@lru_cache(limits.RULE_ENVIRONMENTS)
def environment(signature: str, *, optional: bool) -> cel.Env:
    """Where rules about values of a type are compiled; of an ``optional`` value that was before, it can be asked whether it is there."""
    kind = cel.Type(signature)
    variables = {"self": kind, "oldSelf_": kind, "hasOldSelf_": _BOOL} if optional else {"self": kind, "oldSelf": kind}
    extensions = [*_extensions(), ext_strings.ExtStrings()]
    return cel.NewEnv(variables=variables, extensions=extensions, functions=declarations(EVALUATED))


def compiling_environment(variables: dict[str, cel.Type], more: tuple[Function, ...]) -> cel.Env:
    """Where expressions are compiled and no more, with ``more`` functions of their own."""
    return cel.NewEnv(variables=variables, extensions=_extensions(), functions=declarations((*EVALUATED, *COMPILED, *more)))


def _extensions() -> list[cel.CelExtension]:
    return [ext_optional.ExtOptional(), ext_bindings.ExtBindings(), ext_math.ExtMath(), ext_encoders.ExtEncoders()]
