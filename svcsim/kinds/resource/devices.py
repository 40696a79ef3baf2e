"""Requests for devices, as claims, their templates and classes make them."""

from svcsim.kinds.resource.device_rules import (
    claim_rules,
    configuration_rules,
    constraint_rules,
    count_rules,
    fill_count,
    request_rules,
    selector_rules,
    toleration_rules,
)
from svcsim.kinds.resource.names import at_most, class_named, domain_attribute_named, each_once, itself, label_named, name_of
from svcsim.kinds.shared.types import EXACT_AMOUNTS
from svcsim.kinds.shared.words import one_of_words
from svcsim.schema.types import Bool, Field, Int, List, Raw, Str, Struct

ALLOCATION_MODE = one_of_words("All", "ExactCount")
OPAQUE = Struct(
    "OpaqueDeviceConfiguration",
    Field(1, "driver", Str(), "Driver whose parameters these are", required=True, presence=True, default=""),
    Field(2, "parameters", Raw(), "Parameters, as the driver knows them", required=True),
    doc="Parameters of a driver",
)
CONFIGURATION = Struct("DeviceConfiguration", Field(1, "opaque", OPAQUE, "Parameters of a driver"), doc="Settings of devices")
CLASS_CONFIGURATION = Struct(
    "DeviceClassConfiguration",
    Field(1, "deviceConfiguration", CONFIGURATION, inline=True),
    rules=(configuration_rules,),
    doc="Settings of the devices of a class",
)
SELECTORS = List(
    Struct(
        "DeviceSelector",
        Field(
            1,
            "cel",
            Struct(
                "CELDeviceSelector",
                Field(1, "expression", Str(), "Expression that says whether a device is meant", required=True),
                doc="Selects devices by an expression in CEL",
            ),
            "Expression that devices must fulfil",
        ),
        rules=(selector_rules,),
        doc="Selects devices",
    ),
    list_type="atomic",
    rules=(at_most(32),),
)
TOLERATIONS = List(
    Struct(
        "DeviceToleration",
        Field(1, "key", Str(), "Key of the tolerated taint; empty for all"),
        Field(2, "operator", one_of_words("Equal", "Exists"), "How the value is compared with that of the taint", default="Equal"),
        Field(3, "value", Str(), "Value to compare with; empty with operator Exists"),
        Field(4, "effect", one_of_words("NoExecute", "NoSchedule", "None"), "Tolerated effect; empty for all"),
        Field(5, "tolerationSeconds", Int(bits=64), "Seconds for which a NoExecute taint is tolerated; forever if unset"),
        rules=(toleration_rules,),
        doc="Lets a tainted device be used",
    ),
    list_type="atomic",
    rules=(at_most(16),),
)
_CAPACITY = Struct(
    "CapacityRequirements",
    Field(1, "requests", EXACT_AMOUNTS, "Amounts of capacity that are needed, by name"),
    doc="How much of a device is needed",
)
_EXACTLY = Struct(
    "ExactDeviceRequest",
    Field(1, "deviceClassName", Str(), "Class of the devices", required=True, presence=True, default="", rules=(class_named,)),
    Field(2, "selectors", SELECTORS, "What the devices must fulfil"),
    Field(3, "allocationMode", ALLOCATION_MODE, "Whether a number of devices is asked for, or all of a pool"),
    Field(4, "count", Int(bits=64), "Number of devices, for mode ExactCount", presence=False),
    Field(5, "adminAccess", Bool(), "Whether devices are asked for that others use, to look after them"),
    Field(6, "tolerations", TOLERATIONS, "Taints of devices that are tolerated"),
    Field(7, "capacity", _CAPACITY, "How much of each device is needed"),
    fill=fill_count,
    rules=(count_rules,),
    doc="A request for devices of one class",
)
_ALTERNATIVE = Struct(
    "DeviceSubRequest",
    Field(1, "name", Str(), "Name of the alternative", required=True, presence=True, default="", rules=(label_named,)),
    Field(2, "deviceClassName", Str(), "Class of the devices", required=True, presence=True, default="", rules=(class_named,)),
    Field(3, "selectors", SELECTORS, "What the devices must fulfil"),
    Field(4, "allocationMode", ALLOCATION_MODE, "Whether a number of devices is asked for, or all of a pool"),
    Field(5, "count", Int(bits=64), "Number of devices, for mode ExactCount", presence=False),
    Field(6, "tolerations", TOLERATIONS, "Taints of devices that are tolerated"),
    Field(7, "capacity", _CAPACITY, "How much of each device is needed"),
    fill=fill_count,
    rules=(count_rules,),
    doc="One of several requests, of which the first that can be met counts",
)
_REQUEST = Struct(
    "DeviceRequest",
    Field(1, "name", Str(), "Name of the request", required=True, presence=True, default=""),
    Field(2, "exactly", _EXACTLY, "Devices of one class"),
    Field(
        3,
        "firstAvailable",
        List(_ALTERNATIVE, list_type="atomic", rules=(at_most(8), each_once(name_of))),
        "Requests of which the first that can be met counts",
    ),
    rules=(request_rules,),
    doc="A request for devices",
)
_REQUEST_NAMES = List(Str(), list_type="atomic", rules=(at_most(32), each_once(itself)))
REQUEST_NAMES = Field(1, "requests", _REQUEST_NAMES, "Names of the requests that are meant; all if empty")
_CONSTRAINT = Struct(
    "DeviceConstraint",
    REQUEST_NAMES,
    Field(2, "matchAttribute", Str(rules=(domain_attribute_named,)), "Attribute that must be the same on all devices", presence=True),
    Field(3, "distinctAttribute", Str(rules=(domain_attribute_named,)), "Attribute that must differ on all devices", presence=True),
    rules=(constraint_rules,),
    doc="What the devices must be to each other",
)
_CLAIM_CONFIGURATION = Struct(
    "DeviceClaimConfiguration",
    REQUEST_NAMES,
    Field(2, "deviceConfiguration", CONFIGURATION, inline=True),
    rules=(configuration_rules,),
    doc="Settings of the devices of a claim",
)
DEVICE_CLAIM = Struct(
    "DeviceClaim",
    Field(1, "requests", List(_REQUEST, list_type="atomic", rules=(at_most(32), each_once(name_of))), "Requests, all of which must be met"),
    Field(2, "constraints", List(_CONSTRAINT, list_type="atomic", rules=(at_most(32),)), "What the devices must be to each other"),
    Field(3, "config", List(_CLAIM_CONFIGURATION, list_type="atomic", rules=(at_most(32),)), "Settings of the devices"),
    rules=(claim_rules,),
    doc="Requests for devices",
)
CLAIM_SPEC = Struct("ResourceClaimSpec", Field(1, "devices", DEVICE_CLAIM, "Requests for devices", default={}), doc="What a claim is about")
