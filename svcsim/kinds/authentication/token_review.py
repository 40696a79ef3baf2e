"""TokenReview: whose token is this?"""

from svcsim.kinds.authentication.user_info import USER_INFO
from svcsim.kinds.groups import AUTHENTICATION_V1
from svcsim.kinds.shared.types import STRINGS
from svcsim.registry.kind import Kind
from svcsim.schema.types import Bool, Field, Str, Struct

_SPEC = Struct(
    "TokenReviewSpec",
    Field(1, "token", Str(), "The bearer token", required=True, default=""),
    Field(2, "audiences", STRINGS, "Whom the token should be meant for; one of them is enough. The API server itself, if empty"),
    doc="A token to be judged",
)
_STATUS = Struct(
    "TokenReviewStatus",
    Field(1, "authenticated", Bool(), "Whether the token is a known user's"),
    Field(2, "user", USER_INFO, "Whose token it is", default={}),
    Field(4, "audiences", STRINGS, "Those of the audiences asked about that the token is meant for"),
    Field(3, "error", Str(), "Why the token could not be judged"),
    doc="What is known of a token",
)
TOKEN_REVIEW = Kind(
    AUTHENTICATION_V1,
    "tokenreviews",
    Struct(
        "TokenReview",
        Field(2, "spec", _SPEC, "The token", required=True, default={}),
        Field(3, "status", _STATUS, "Whose token it is; the answer"),
        doc="Asks whose token something is. It is answered and not stored",
    ),
    namespaced=False,
    answered=True,
)
