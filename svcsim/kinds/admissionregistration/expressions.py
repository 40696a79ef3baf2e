"""CEL in webhook configurations and admission policies: whether an expression can be compiled, and what it comes to.

The variables that such expressions have, and the functions that no rule has, are declared here, and nothing is evaluated. Requests and
namespaces have types of their own in other implementations; here whatever is selected from them may be of any type, so that where only
such a value decides what an expression comes to, it is let pass.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from cel_expr_python import cel

from svcsim import limits
from svcsim.kinds.admissionregistration.constructions import as_maps
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.library import FINDING, compiling_environment
from svcsim.schema.cel.mistakes import at_offset, told, type_name
from svcsim.schema.cel.spelling import too_long_to_compile

BOOL, STRING, STRING_OR_NULL, LIST, MAP = ("bool",), ("string",), ("string", "null_type"), ("list",), ("map",)
"""What expressions may have to come to."""

_BOOL, _TEXT, _ANY = cel.Type.BOOL, cel.Type.STRING, cel.Type.DYN
_OF_POLICIES = (
    *FINDING,
    *(Function(name, _BOOL, (_ANY,)) for name in ("allowed", "errored")),
    *(Function(name, _TEXT, (_ANY,)) for name in ("reason", "error")),
    *(
        Function(name, _ANY, (_ANY, _TEXT))
        for name in ("path", "group", "resource", "subresource", "namespace", "name", "check", "fieldSelector", "labelSelector")
    ),
    Function("serviceAccount", _ANY, (_ANY, _TEXT, _TEXT)),
    Function("jsonpatch.escapeKey", _TEXT, (_TEXT,), member=False),
)
"""Of the authorizer, and of patches."""
_UNTYPED = re.compile(r"(?<![\w.])(request|namespaceObject|variables)\b")
_VARIABLE = re.compile(r"(?<![\w.])variables\.\??([A-Za-z_]\w*)")


class Scope(NamedTuple):
    """What expressions can use beside the request and its objects."""

    params: bool = False
    authorizer: bool = True
    variables: AbstractSet[str] = frozenset()
    constructs: bool = False
    """Whether they may construct objects and operations of patches."""


def expression_rules(text: str, path: str, scope: Scope, results: tuple[str, ...] = ()) -> Iterator[FieldError]:
    """What is wrong with an expression that has to come to one of these types, or to anything."""
    why = too_long_to_compile(text)
    if why:
        yield invalid_value(path, text, f"compilation failed: {why}")
        return
    try:
        program = _environment(scope.params, scope.authorizer).compile(as_maps(text) if scope.constructs else text)
    except RuntimeError as error:  # what the library raises for whatever it can't compile
        yield invalid_value(path, text, f"compilation failed: {told(str(error))}")
        return
    result = type_name(program.return_type().name())
    for found in _VARIABLE.finditer(text):
        if found[1] not in scope.variables:
            mistake = at_offset(text, found.start(1) - 1, f"undefined field '{found[1]}'")
            yield invalid_value(path, text, f"compilation failed: {mistake}")
    if not results or result.partition("(")[0] in results or (result == "dyn" and _UNTYPED.search(text)):
        return
    wanted = results[0] if len(results) == 1 else f"one of [{' '.join(results)}]"
    yield invalid_value(path, text, f"must evaluate to {wanted} but got {result}")


@lru_cache(limits.POLICY_ENVIRONMENTS)
def _environment(params: bool, authorizer: bool) -> cel.Env:
    names = ["object", "oldObject", "request", "namespaceObject", "variables"]
    names += [name for name, there in (("params", params), ("authorizer", authorizer)) if there]
    return compiling_environment(dict.fromkeys(names, _ANY), _OF_POLICIES)
