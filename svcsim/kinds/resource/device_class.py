"""DeviceClass: a kind of devices, by what they fulfil, with their settings."""

from svcsim.kinds.groups import RESOURCE_V1
from svcsim.kinds.resource.device_class_rules import device_class_rules
from svcsim.kinds.resource.devices import CLASS_CONFIGURATION, SELECTORS
from svcsim.kinds.resource.names import at_most
from svcsim.kinds.shared.columns import AGE
from svcsim.registry.kind import Kind, Strategy
from svcsim.schema.types import Field, List, Str, Struct

_SPEC = Struct(
    "DeviceClassSpec",
    Field(1, "selectors", SELECTORS, "What devices of the class fulfil"),
    Field(2, "config", List(CLASS_CONFIGURATION, list_type="atomic", rules=(at_most(32),)), "Settings of devices of the class"),
    Field(4, "extendedResourceName", Str(), "Resource as which pods may ask for devices of the class", presence=True),
    doc="What a class of devices is",
)
DEVICE_CLASS = Kind(
    RESOURCE_V1,
    "deviceclasses",
    Struct(
        "DeviceClass",
        Field(2, "spec", _SPEC, "What the class is", required=True, default={}),
        doc="A kind of devices, which claims choose by its name",
    ),
    namespaced=False,
    columns=(AGE,),
    strategy=Strategy(rules=(device_class_rules,)),
    generation=True,
    deletes_to_object=True,
)
