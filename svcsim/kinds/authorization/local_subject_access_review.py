"""LocalSubjectAccessReview: may a user do something in a namespace? The right to ask about one namespace doesn't include all others."""

from svcsim.kinds.authorization.attributes import ACCESS_SPEC, ACCESS_STATUS
from svcsim.kinds.authorization.review_rules import local_access_rules
from svcsim.kinds.groups import AUTHORIZATION_V1
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, Struct

LOCAL_SUBJECT_ACCESS_REVIEW = Kind(
    AUTHORIZATION_V1,
    "localsubjectaccessreviews",
    Struct(
        "LocalSubjectAccessReview",
        Field(2, "spec", ACCESS_SPEC, "Who wants to do what; its namespace is that of the review", required=True, default={}),
        Field(3, "status", ACCESS_STATUS, "Whether it is allowed; the answer"),
        doc="Asks whether somebody may do something in the namespace. It is answered and not stored",
    ),
    strategy=Strategy(rules=(local_access_rules,)),
    answered=True,
)
