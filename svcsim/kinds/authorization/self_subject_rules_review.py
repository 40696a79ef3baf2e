"""SelfSubjectRulesReview: what may I do in a namespace?"""

from svcsim.kinds.groups import AUTHORIZATION_V1
from svcsim.kinds.shared.types import STRINGS
from svcsim.registry.kind import Kind
from svcsim.schema.types import Bool, Field, List, Str, Struct

_RESOURCE_RULE = Struct(
    "ResourceRule",
    Field(1, "verbs", STRINGS, "Verbs that are allowed; * means all", required=True),
    Field(2, "apiGroups", STRINGS, "API groups of the resources; * means all"),
    Field(3, "resources", STRINGS, "Resources, with a slash before a subresource; * means all"),
    Field(4, "resourceNames", STRINGS, "Names of the objects; all if empty"),
    doc="What is allowed with resources",
)
_PATH_RULE = Struct(
    "NonResourceRule",
    Field(1, "verbs", STRINGS, "HTTP methods that are allowed, in lower case; * means all", required=True),
    Field(2, "nonResourceURLs", STRINGS, "Paths; * may stand for the whole last segment"),
    doc="What is allowed on paths",
)
_SPEC = Struct(
    "SelfSubjectRulesReviewSpec",
    Field(1, "namespace", Str(), "Namespace that is asked about"),
    doc="What is asked about",
)
_STATUS = Struct(
    "SubjectRulesReviewStatus",
    Field(1, "resourceRules", List(_RESOURCE_RULE, list_type="atomic"), "What is allowed with resources", required=True, presence=True),
    Field(2, "nonResourceRules", List(_PATH_RULE, list_type="atomic"), "What is allowed on paths", required=True, presence=True),
    Field(3, "incomplete", Bool(), "Whether more may be allowed than could be listed", required=True),
    Field(4, "evaluationError", Str(), "What went wrong while the list was made"),
    doc="What is allowed, as far as it can be listed",
)
SELF_SUBJECT_RULES_REVIEW = Kind(
    AUTHORIZATION_V1,
    "selfsubjectrulesreviews",
    Struct(
        "SelfSubjectRulesReview",
        Field(2, "spec", _SPEC, "What is asked about", required=True, default={}),
        Field(3, "status", _STATUS, "What is allowed; the answer"),
        doc="Asks what oneself may do in a namespace. It is answered and not stored, and good for showing, not for deciding",
    ),
    namespaced=False,
    answered=True,
)
