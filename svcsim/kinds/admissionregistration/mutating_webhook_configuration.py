"""MutatingWebhookConfiguration: webhooks that may change what is written, and refuse it."""

from svcsim.kinds.admissionregistration.expressions import of_change, of_creation
from svcsim.kinds.admissionregistration.webhook import HEAD, TAIL, match_conditions, object_selector
from svcsim.kinds.admissionregistration.webhook_causes import order_of_causes
from svcsim.kinds.admissionregistration.webhook_rules import conditions_of_all, strict_in_change, strict_in_creation, webhook_rules
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.types import map_list
from svcsim.kinds.shared.words import one_of_words
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Struct

MUTATING_WEBHOOK = Struct(
    "MutatingWebhook",
    *HEAD,
    object_selector(11),
    *TAIL,
    Field(
        10,
        "reinvocationPolicy",
        one_of_words("IfNeeded", "Never"),
        "Whether it is asked again when others changed the object after it: IfNeeded or Never",
        default="Never",
        presence=True,
    ),
    match_conditions(12),
    rules=(webhook_rules,),
    doc="A webhook that may change what is written, and refuse it",
)
MUTATING_WEBHOOK_CONFIGURATION = Kind(
    ADMISSION_REGISTRATION_V1,
    "mutatingwebhookconfigurations",
    Struct(
        "MutatingWebhookConfiguration",
        Field(2, "webhooks", map_list(MUTATING_WEBHOOK, "name"), "The webhooks"),
        doc="Webhooks that may change what is written, and refuse it",
    ),
    namespaced=False,
    columns=(Column("Webhooks", length_at("webhooks"), "integer", doc="Number of webhooks"), AGE),
    strategy=Strategy(
        create_rules=(strict_in_creation, of_creation("webhooks", conditions_of_all)),
        update_rules=(strict_in_change, of_change("webhooks", conditions_of_all)),
        order=order_of_causes,
    ),
    generation=True,
    unconditional_update=False,
)
