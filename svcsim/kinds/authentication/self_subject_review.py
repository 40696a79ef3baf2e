"""SelfSubjectReview: who am I?"""

from svcsim.kinds.authentication.user_info import USER_INFO
from svcsim.kinds.groups import AUTHENTICATION_V1
from svcsim.registry.kind import Kind
from svcsim.schema.types import Field, Struct

_STATUS = Struct(
    "SelfSubjectReviewStatus",
    Field(1, "userInfo", USER_INFO, "Who asks", default={}),
    doc="The user who asks, as the API server knows them",
)
SELF_SUBJECT_REVIEW = Kind(
    AUTHENTICATION_V1,
    "selfsubjectreviews",
    Struct(
        "SelfSubjectReview",
        Field(2, "status", _STATUS, "Who asks; the answer"),
        doc="Asks who oneself is to the API server. It is answered and not stored",
    ),
    namespaced=False,
    answered=True,
)
