"""What expressions in webhook configurations and admission policies have: the types of their variables, and the functions that no rule has.

Objects have types of their own in other implementations; here whatever is selected from them may be of any type, so that where only such a
value decides what an expression comes to, it is let pass.
"""

from cel_expr_python import cel

from svcsim.schema.cel.authorizer import OF_REQUEST
from svcsim.schema.cel.constructions import OF_PATCHES
from svcsim.schema.cel.functions import AUTHORIZER, DECISION, GROUP_CHECK, PATH_CHECK, RESOURCE_CHECK, Function
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.value_types import DYN, INT, TEXT, Known, ValueType, list_type, map_type, object_type

_BOOL, _TEXT = cel.Type.BOOL, cel.Type.STRING
_OF_POLICIES = (
    Function("path", PATH_CHECK, (AUTHORIZER, _TEXT)),
    Function("group", GROUP_CHECK, (AUTHORIZER, _TEXT)),
    Function("serviceAccount", AUTHORIZER, (AUTHORIZER, _TEXT, _TEXT)),
    Function("resource", RESOURCE_CHECK, (GROUP_CHECK, _TEXT)),
    *(
        Function(name, RESOURCE_CHECK, (RESOURCE_CHECK, _TEXT))
        for name in ("subresource", "namespace", "name", "fieldSelector", "labelSelector")
    ),
    *(Function("check", DECISION, (what, _TEXT)) for what in (PATH_CHECK, RESOURCE_CHECK)),
    *(Function(name, _BOOL, (DECISION,)) for name in ("allowed", "errored")),
    *(Function(name, _TEXT, (DECISION,)) for name in ("reason", "error")),
)
"""The functions of the authorizer."""
ASKED_AUTHORIZER = ValueType(AUTHORIZER.name(), fields=Known({OF_REQUEST: ValueType(RESOURCE_CHECK.name())}))
"""The one that expressions have: it knows the resource of the request."""
OVERLOADS = Overloads(_OF_POLICIES)
OF_MUTATIONS = Overloads((*_OF_POLICIES, *OF_PATCHES))
"""What those may use that make patches."""
OF_STORED = Overloads((*_OF_POLICIES, *OF_PATCHES), binding=True)
"""What expressions may use that were let in when more could be used than today: `cel.bind`."""
_KIND = object_type(dict.fromkeys(("group", "version", "kind"), TEXT))
_RESOURCE = object_type(dict.fromkeys(("group", "version", "resource"), TEXT))
_USER = object_type({"username": TEXT, "uid": TEXT, "groups": list_type(TEXT), "extra": map_type(TEXT, list_type(TEXT))})
REQUEST = object_type(
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
NAMESPACE = object_type(
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
