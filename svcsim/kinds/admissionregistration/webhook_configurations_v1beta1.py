"""Both configurations of webhooks in admissionregistration/v1beta1: what they leave out means something else than in v1.

A webhook that says little is one that may fail, and is told nothing that it isn't registered for. What was demanded of webhooks only
later (`webhook_rules.strict_in_creation`) isn't demanded of these.
"""

from dataclasses import replace
from typing import Any

from svcsim.kinds.admissionregistration.mutating_webhook_configuration import MUTATING_WEBHOOK, MUTATING_WEBHOOK_CONFIGURATION
from svcsim.kinds.admissionregistration.validating_webhook_configuration import VALIDATING_WEBHOOK, VALIDATING_WEBHOOK_CONFIGURATION
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1BETA1
from svcsim.kinds.shared.earlier_version import earlier_version
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Kind
from svcsim.schema.types import Struct

_OTHERWISE: dict[str, dict[str, Any]] = {
    "failurePolicy": {"default": "Ignore"},
    "matchPolicy": {"default": "Exact"},
    "timeoutSeconds": {"default": 30},
    "sideEffects": {"default": "Unknown", "required": False, "missing": ""},
    "admissionReviewVersions": {"default": ["v1beta1"], "required": False, "missing": ""},
}
"""What is said of fields."""


def _earlier(kind: Kind, webhook: Struct) -> Kind:
    fields = (replace(field, **_OTHERWISE.get(field.name, {})) for field in webhook.fields)
    webhooks = map_list(Struct(webhook.name, *fields, rules=webhook.rules, doc=webhook.doc), "name")
    [listed] = kind.schema.fields
    schema = Struct(kind.schema.name, replace(listed, type=webhooks), doc=kind.schema.doc)
    earlier = earlier_version(kind, ADMISSION_REGISTRATION_V1BETA1, deprecated="1.16", gone="1.22", served=True)
    return replace(earlier, schema=schema)


MUTATING_WEBHOOK_CONFIGURATION_V1BETA1 = _earlier(MUTATING_WEBHOOK_CONFIGURATION, MUTATING_WEBHOOK)
VALIDATING_WEBHOOK_CONFIGURATION_V1BETA1 = _earlier(VALIDATING_WEBHOOK_CONFIGURATION, VALIDATING_WEBHOOK)
