"""CEL in webhook configurations and admission policies: whether an expression can be compiled, and what it comes to.

The variables that such expressions have, and the functions that no rule has, are declared here, and nothing is evaluated. Variables of
policies have types of their own in other implementations; here whatever is selected from them may be of any type, so that where only such a
value decides what an expression comes to, it is let pass.
"""

import re
from collections.abc import Iterator

from cel_expr_python import cel

from svcsim.kinds.admissionregistration.expressions import Scope
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.schema.cel.constructions import OF_PATCHES, as_maps
from svcsim.schema.cel.functions import Function
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.programs import CompileError, typed
from svcsim.schema.cel.spelling import too_long_to_compile
from svcsim.schema.cel.value_types import DYN, INT, TEXT, ValueType, list_type, map_type, object_type

_BOOL, _TEXT, _ANY = cel.Type.BOOL, cel.Type.STRING, cel.Type.DYN
_OF_POLICIES = (
    *(Function(name, _BOOL, (_ANY,)) for name in ("allowed", "errored")),
    *(Function(name, _TEXT, (_ANY,)) for name in ("reason", "error")),
    *(
        Function(name, _ANY, (_ANY, _TEXT))
        for name in ("path", "group", "resource", "subresource", "namespace", "name", "check", "fieldSelector", "labelSelector")
    ),
    Function("serviceAccount", _ANY, (_ANY, _TEXT, _TEXT)),
    *OF_PATCHES,
)
"""Of the authorizer, and of patches."""
_UNTYPED = re.compile(r"(?<![\w.])(request|variables)\b")
_OVERLOADS = Overloads(_OF_POLICIES)
_OF_STORED = Overloads(_OF_POLICIES, binding=True)
"""What expressions may use that were let in when more could be used than today: `cel.bind`."""
_KIND = object_type(dict.fromkeys(("group", "version", "kind"), TEXT))
_RESOURCE = object_type(dict.fromkeys(("group", "version", "resource"), TEXT))
_USER = object_type({"username": TEXT, "uid": TEXT, "groups": list_type(TEXT), "extra": map_type(TEXT, list_type(TEXT))})
_REQUEST = object_type(
    {
        **dict.fromkeys(("kind", "requestKind"), _KIND),
        **dict.fromkeys(("resource", "requestResource"), _RESOURCE),
        **dict.fromkeys(("subResource", "requestSubResource", "name", "namespace", "operation"), TEXT),
        "userInfo": _USER,
        "dryRun": ValueType("bool"),
        "options": DYN,
    }
)
_NAMESPACE_CONDITION = object_type(
    {**dict.fromkeys(("type", "status", "reason", "message"), TEXT), "lastTransitionTime": ValueType("timestamp")}
)
_NAMESPACE = object_type(
    {
        "metadata": object_type(
            {
                **dict.fromkeys(("name", "generateName", "namespace", "UID", "resourceVersion"), TEXT),
                **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), ValueType("timestamp")),
                **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), INT),
                **dict.fromkeys(("labels", "annotations"), map_type(TEXT, TEXT)),
                "finalizers": list_type(TEXT),
            }
        ),
        "spec": object_type({"finalizers": list_type(TEXT)}),
        "status": object_type(
            {
                "phase": TEXT,
                "conditions": list_type(_NAMESPACE_CONDITION),
            }
        ),
    }
)
"""What is offered of the namespace of a request, which is no whole object: its UID has another name."""


def compilation_rules(text: str, path: str, scope: Scope, results: tuple[str, ...]) -> Iterator[FieldError]:
    """What is wrong with an expression that has to come to one of these types, or to anything."""
    why = too_long_to_compile(text)
    if why:
        yield invalid_value(path, text, f"compilation failed: {why}")
        return
    overloads = _OF_STORED if text in scope.stored else _OVERLOADS
    try:
        kind = typed(as_maps(text) if scope.constructs else text, _variables(scope), overloads, mixed=scope.constructs)
    except CompileError as error:
        yield invalid_value(path, text, f"compilation failed: {error}")
        return
    result = str(kind)
    if not results or kind.name in results or (result == "dyn" and _UNTYPED.search(text)):
        return
    wanted = results[0] if len(results) == 1 else f"one of [{' '.join(results)}]"
    yield invalid_value(path, text, f"must evaluate to {wanted} but got {result}")


def _variables(scope: Scope) -> dict[str, ValueType]:
    known = {**dict.fromkeys(("object", "oldObject"), DYN), "namespaceObject": _NAMESPACE, "request": _REQUEST}
    known["variables"] = object_type(dict.fromkeys(scope.variables, DYN))
    known.update((name, DYN) for name, there in (("params", scope.params), ("authorizer", scope.authorizer)) if there)
    return known
