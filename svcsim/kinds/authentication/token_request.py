"""TokenRequest: a token of a ServiceAccount's, for a while and for certain audiences; what is sent to the account's ``token``."""

from svcsim.kinds.authentication.token_request_rules import lifetime
from svcsim.kinds.groups import AUTHENTICATION_V1
from svcsim.kinds.shared.types import STRINGS
from svcsim.registry.kind import Subresource
from svcsim.schema.types import Field, Int, Str, Struct, Time

_BOUND_OBJECT = Struct(
    "BoundObjectReference",
    Field(1, "kind", Str(), "Pod, Secret or Node"),
    Field(2, "apiVersion", Str(), "API group and version of the object"),
    Field(3, "name", Str(), "Name of the object"),
    Field(4, "uid", Str(), "UID of the object"),
    doc="Refers to the object a token is bound to",
)
_SPEC = Struct(
    "TokenRequestSpec",
    Field(
        1, "audiences", STRINGS, "Whom the token is for; whoever doesn't find itself there must reject it. The API server itself, if empty"
    ),
    Field(4, "expirationSeconds", Int(bits=64), "For how long the token should be valid", default=3600, rules=(lifetime,)),
    Field(3, "boundObjectRef", _BOUND_OBJECT, "The token is valid only while this object exists"),
    doc="What the token is to be like",
)
_STATUS = Struct(
    "TokenRequestStatus",
    Field(1, "token", Str(), "The token"),
    Field(2, "expirationTimestamp", Time(), "Until when the token is valid"),
    doc="The token",
)
TOKEN_REQUEST = Struct(
    "TokenRequest",
    Field(2, "spec", _SPEC, "What the token is to be like", default={}),
    Field(3, "status", _STATUS, "The token; the answer"),
    doc="Asks for a token of a ServiceAccount",
)
TOKEN = Subresource("token", verbs=("create",), kind="TokenRequest", group=AUTHENTICATION_V1, body=TOKEN_REQUEST, answered=True)
