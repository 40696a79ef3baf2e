"""SubjectAccessReview: may a user do something?"""

from svcsim.kinds.authorization.attributes import ACCESS_SPEC, ACCESS_STATUS
from svcsim.kinds.authorization.review_rules import access_rules
from svcsim.kinds.groups import AUTHORIZATION_V1
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, Struct

SUBJECT_ACCESS_REVIEW = Kind(
    AUTHORIZATION_V1,
    "subjectaccessreviews",
    Struct(
        "SubjectAccessReview",
        Field(2, "spec", ACCESS_SPEC, "Who wants to do what", required=True, default={}),
        Field(3, "status", ACCESS_STATUS, "Whether it is allowed; the answer"),
        doc="Asks whether somebody may do something. It is answered and not stored",
    ),
    namespaced=False,
    strategy=Strategy(rules=(access_rules,)),
    answered=True,
)
