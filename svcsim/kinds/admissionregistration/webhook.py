"""What both kinds of webhook consist of: how they are called, what about, and what follows if they can't be."""

from svcsim.kinds.admissionregistration.match import (
    FAILURE_POLICY,
    MATCH_CONDITIONS,
    MATCH_POLICY,
    NAMESPACE_SELECTOR,
    RULE_WITH_OPERATIONS,
)
from svcsim.kinds.admissionregistration.webhook_rules import NO_SIDE_EFFECTS, REVIEW_VERSIONS
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import one_of_words
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Bytes, Field, Int, List, Str, Struct

_SERVICE = Struct(
    "ServiceReference",
    Field(1, "namespace", Str(), "Namespace of the service", required=True, default=""),
    Field(2, "name", Str(), "Name of the service", required=True, default=""),
    Field(3, "path", Str(), "Path that is called", presence=True),
    Field(4, "port", Int(), "Port of the service", default=443),
    doc="A service in the cluster, and where on it to call",
)
_CLIENT_CONFIG = Struct(
    "WebhookClientConfig",
    Field(3, "url", Str(), "Where to call: https://host[:port]/path. Either this or service", presence=True),
    Field(1, "service", _SERVICE, "The service to call, over HTTPS. Either this or url"),
    Field(2, "caBundle", Bytes(), "PEM of the authorities by which the webhook's certificate is verified; those of the system if unset"),
    doc="How to call a webhook",
)
HEAD = (
    Field(1, "name", Str(), "Name of the webhook, with at least two dots: imagepolicy.example.com", required=True),
    Field(2, "clientConfig", _CLIENT_CONFIG, "How to call the webhook", required=True, default={}),
    Field(3, "rules", List(RULE_WITH_OPERATIONS, list_type="atomic"), "What the webhook is asked about; one match is enough"),
    FAILURE_POLICY,
    MATCH_POLICY,
    NAMESPACE_SELECTOR,
)
"""Fields that both kinds begin with."""
TAIL = (
    Field(
        6,
        "sideEffects",
        one_of_words("None", "NoneOnDryRun", "Some", "Unknown"),
        "Whether calling has effects beyond the answer: None, or NoneOnDryRun, if a dry run has none",
        required=True,
        missing=f"must specify one of {', '.join(NO_SIDE_EFFECTS)}",
    ),
    Field(7, "timeoutSeconds", Int(), "Seconds after which a call has failed, 1 to 30", default=10),
    Field(
        8,
        "admissionReviewVersions",
        STRINGS,
        "Versions of AdmissionReview that the webhook understands, the preferred one first",
        required=True,
        missing=f"must specify one of {', '.join(REVIEW_VERSIONS)}",
    ),
)
"""Fields that follow the object selector, which they number differently."""


def object_selector(number: int) -> Field:
    return Field(number, "objectSelector", LABEL_SELECTOR, "Labels of the objects, new or old, that it is asked about", default={})


def match_conditions(number: int) -> Field:
    return Field(number, "matchConditions", MATCH_CONDITIONS, "Conditions in CEL on requests that it is asked about; all must hold")
