"""CEL in webhook configurations and admission policies: whether an expression can be compiled, and what it comes to.

Nothing is evaluated here.
"""

import re
from collections.abc import Iterator, Mapping

from svcsim.kinds.admissionregistration.expressions import Scope
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.schema.cel.constructions import as_maps
from svcsim.schema.cel.programs import CompileError, typed
from svcsim.schema.cel.request_types import ASKED_AUTHORIZER, NAMESPACE, OF_MUTATIONS, OF_STORED, OVERLOADS, REQUEST
from svcsim.schema.cel.spelling import too_long_to_compile
from svcsim.schema.cel.value_types import DYN, ValueType, object_type

_UNTYPED = re.compile(r"(?<![\w.])(request|variables)\b")


def compilation_rules(text: str, path: str, scope: Scope, results: tuple[str, ...]) -> Iterator[FieldError]:
    """What is wrong with an expression that has to come to one of these types, or to anything."""
    why = too_long_to_compile(text)
    if why:
        yield invalid_value(path, text, f"compilation failed: {why}")
        return
    overloads = OF_STORED if text in scope.stored else OF_MUTATIONS if scope.constructs else OVERLOADS
    made = as_maps(text) if scope.constructs else None
    try:
        result = str(typed(text, _variables(scope), overloads, made))
    except CompileError as error:
        yield invalid_value(path, text, f"compilation failed: {error}")
        return
    if not results or result in results or ("dyn" in result and _UNTYPED.search(text)):
        return
    wanted = results[0] if len(results) == 1 else f"one of [{' '.join(results)}]"
    yield invalid_value(path, text, f"must evaluate to {wanted} but got {result}")


def _variables(scope: Scope) -> dict[str, ValueType]:
    known = {"object": DYN, "oldObject": DYN, "namespaceObject": NAMESPACE, "request": REQUEST, "authorizer": ASKED_AUTHORIZER}
    if scope.params:
        known["params"] = DYN
    if scope.variables is not None:
        types: dict[str, ValueType] = {}
        for name, text in scope.variables.items():
            known["variables"] = object_type(dict(types))
            types[name] = _type_of(name, text, scope, known)
        known["variables"] = object_type(types)
    if not scope.authorizer:
        del known["authorizer"]
    return known


def _type_of(name: str, text: str, scope: Scope, known: Mapping[str, ValueType]) -> ValueType:
    """The type of a variable; ``dyn`` for an invalid one, so that its uses aren't reported as well."""
    found = {} if scope.types is None else scope.types
    if name not in found:
        try:
            found[name] = DYN if too_long_to_compile(text) else typed(text, known, OF_STORED if text in scope.stored else OVERLOADS)
        except CompileError:
            found[name] = DYN
    kind = found[name]
    assert isinstance(kind, ValueType)
    return kind
