"""ResourceClaim: a request for devices, the allocated ones, and the pods that use them."""

from svcsim.kinds.groups import RESOURCE_V1
from svcsim.kinds.resource.allocation import ALLOCATION, DEVICE_STATUS, RESERVED_FOR
from svcsim.kinds.resource.devices import CLAIM_SPEC
from svcsim.kinds.resource.resource_claim_columns import state
from svcsim.kinds.resource.resource_claim_rules import spec_unchanged, status_rules
from svcsim.kinds.shared.columns import AGE
from svcsim.registry.kind import Column, Kind, Status, Strategy, status_subresource
from svcsim.schema.types import Field, Struct

_STATUS = Struct(
    "ResourceClaimStatus",
    Field(1, "allocation", ALLOCATION, "The devices; there are none yet if unset"),
    Field(2, "reservedFor", RESERVED_FOR, "Who may use the devices"),
    Field(4, "devices", DEVICE_STATUS, "What drivers say of the devices"),
    doc="Current state of a claim",
)
RESOURCE_CLAIM = Kind(
    RESOURCE_V1,
    "resourceclaims",
    Struct(
        "ResourceClaim",
        Field(2, "spec", CLAIM_SPEC, "What is asked for; cannot be changed", required=True, default={}),
        Field(3, "status", _STATUS, "What is given", default={}),
        doc="A claim on devices",
    ),
    columns=(Column("State", state, doc="Whether there are devices, and whether somebody uses them"), AGE),
    status=Status(subresource=status_subresource(update_rules=(status_rules,))),
    strategy=Strategy(update_rules=(spec_unchanged,)),
    generation=False,
    deletes_to_object=True,
)
