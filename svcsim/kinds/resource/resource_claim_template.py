"""ResourceClaimTemplate: claims that are made for each pod that refers to it."""

from svcsim.kinds.groups import RESOURCE_V1
from svcsim.kinds.resource.devices import CLAIM_SPEC
from svcsim.kinds.resource.resource_claim_rules import spec_unchanged
from svcsim.kinds.shared.columns import AGE
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.common import OBJECT_META
from svcsim.schema.types import Field, Struct

_SPEC = Struct(
    "ResourceClaimTemplateSpec",
    Field(1, "metadata", OBJECT_META, "Labels and annotations of the claims"),
    Field(2, "spec", CLAIM_SPEC, "What the claims ask for", required=True, default={}),
    doc="What the claims are",
)
RESOURCE_CLAIM_TEMPLATE = Kind(
    RESOURCE_V1,
    "resourceclaimtemplates",
    Struct(
        "ResourceClaimTemplate",
        Field(2, "spec", _SPEC, "What the claims are; cannot be changed", required=True, default={}),
        doc="Template of claims on devices, of which each pod gets one of its own",
    ),
    columns=(AGE,),
    strategy=Strategy(update_rules=(spec_unchanged,)),
    deletes_to_object=True,
)
