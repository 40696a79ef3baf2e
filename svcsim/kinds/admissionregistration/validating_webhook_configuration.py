"""ValidatingWebhookConfiguration: webhooks that may refuse what is asked for."""

from svcsim.kinds.admissionregistration.expressions import of_change, of_creation
from svcsim.kinds.admissionregistration.webhook import HEAD, TAIL, match_conditions, object_selector
from svcsim.kinds.admissionregistration.webhook_causes import order_of_causes
from svcsim.kinds.admissionregistration.webhook_rules import conditions_of_all, strict_in_change, strict_in_creation, webhook_rules
from svcsim.kinds.groups import ADMISSION_REGISTRATION_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Struct

VALIDATING_WEBHOOK = Struct(
    "ValidatingWebhook",
    *HEAD,
    object_selector(10),
    *TAIL,
    match_conditions(11),
    rules=(webhook_rules,),
    doc="A webhook that may refuse what is asked for",
)
VALIDATING_WEBHOOK_CONFIGURATION = Kind(
    ADMISSION_REGISTRATION_V1,
    "validatingwebhookconfigurations",
    Struct(
        "ValidatingWebhookConfiguration",
        Field(2, "webhooks", map_list(VALIDATING_WEBHOOK, "name"), "The webhooks"),
        doc="Webhooks that may refuse what is asked for",
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
