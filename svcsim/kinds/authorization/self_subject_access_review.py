"""SelfSubjectAccessReview: may I do something?"""

from svcsim.kinds.authorization.attributes import ACCESS_STATUS, SELF_SPEC
from svcsim.kinds.authorization.review_rules import own_access_rules
from svcsim.kinds.groups import AUTHORIZATION_V1
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, Struct

SELF_SUBJECT_ACCESS_REVIEW = Kind(
    AUTHORIZATION_V1,
    "selfsubjectaccessreviews",
    Struct(
        "SelfSubjectAccessReview",
        Field(2, "spec", SELF_SPEC, "What is to be done", required=True, default={}),
        Field(3, "status", ACCESS_STATUS, "Whether it is allowed; the answer"),
        doc="Asks whether oneself may do something. It is answered and not stored",
    ),
    namespaced=False,
    strategy=Strategy(rules=(own_access_rules,)),
    answered=True,
)
