"""What access reviews ask about, and how they are answered."""

from svcsim.kinds.authorization.review_rules import selector_rules
from svcsim.kinds.shared.types import STRINGS
from svcsim.schema.common import FIELD_SELECTOR_REQUIREMENT, LABEL_SELECTOR_REQUIREMENT
from svcsim.schema.types import Bool, Field, List, Map, Str, Struct

_FIELD_SELECTOR = Struct(
    "FieldSelectorAttributes",
    Field(1, "rawSelector", Str(), "The selector as a request spells it; not together with requirements"),
    Field(2, "requirements", List(FIELD_SELECTOR_REQUIREMENT, list_type="atomic"), "The conditions of the selector; all must hold"),
    doc="A field selector by which the request is limited",
)
_LABEL_SELECTOR = Struct(
    "LabelSelectorAttributes",
    Field(1, "rawSelector", Str(), "The selector as a request spells it; not together with requirements"),
    Field(2, "requirements", List(LABEL_SELECTOR_REQUIREMENT, list_type="atomic"), "The conditions of the selector; all must hold"),
    doc="A label selector by which the request is limited",
)
_RESOURCE = Struct(
    "ResourceAttributes",
    Field(1, "namespace", Str(), "Namespace of the request; empty for cluster-wide resources, or for all namespaces"),
    Field(2, "verb", Str(), "Verb of the request; * means all"),
    Field(3, "group", Str(), "API group of the resource; * means all"),
    Field(4, "version", Str(), "API version of the resource; * means all"),
    Field(5, "resource", Str(), "The resource; * means all"),
    Field(6, "subresource", Str(), "The subresource, if it is about one"),
    Field(7, "name", Str(), "Name of the object; empty means all"),
    Field(8, "fieldSelector", _FIELD_SELECTOR, "Field selector by which the request is limited", rules=(selector_rules,)),
    Field(9, "labelSelector", _LABEL_SELECTOR, "Label selector by which the request is limited", rules=(selector_rules,)),
    doc="A request for a resource",
)
_PATH = Struct(
    "NonResourceAttributes",
    Field(1, "path", Str(), "Path of the request"),
    Field(2, "verb", Str(), "HTTP method of the request, in lower case"),
    doc="A request for a path that is no resource",
)
ATTRIBUTES = (
    Field(1, "resourceAttributes", _RESOURCE, "A request for a resource"),
    Field(2, "nonResourceAttributes", _PATH, "A request for a path, instead"),
)
ACCESS_SPEC = Struct(
    "SubjectAccessReviewSpec",
    *ATTRIBUTES,
    Field(3, "user", Str(), "Name of the user; with no groups, a user who is in none"),
    Field(4, "groups", STRINGS, "Groups the user is in"),
    Field(5, "extra", Map(List(Str())), "What else is known of the user"),
    Field(6, "uid", Str(), "UID of the user"),
    doc="Who wants to do what; either resourceAttributes or nonResourceAttributes say what",
)
SELF_SPEC = Struct(
    "SelfSubjectAccessReviewSpec", *ATTRIBUTES, doc="What is to be done; either resourceAttributes or nonResourceAttributes say what"
)
ACCESS_STATUS = Struct(
    "SubjectAccessReviewStatus",
    Field(1, "allowed", Bool(), "Whether it is allowed", required=True),
    Field(
        4, "denied", Bool(), "Whether it is refused for good; without either, nobody has an opinion, and it isn't allowed", presence=False
    ),
    Field(2, "reason", Str(), "Why"),
    Field(3, "evaluationError", Str(), "What went wrong while this was decided; the answer may stand nevertheless"),
    doc="Whether it is allowed",
)
