"""Devices that are given to a claim, and what drivers say of them."""

from svcsim.kinds.resource.device_rules import configuration_rules, object_rules
from svcsim.kinds.resource.devices import CONFIGURATION, TOLERATIONS
from svcsim.kinds.resource.names import (
    at_most,
    binding_rules,
    bytes_at_most,
    driver_named,
    each_once,
    itself,
    label_named,
    pool_named,
    share_id,
)
from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.networks import interface_address
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.types import EXACT_AMOUNTS, STRINGS
from svcsim.kinds.shared.words import one_of_words
from svcsim.schema.common import CONDITION
from svcsim.schema.types import Bool, Field, List, Raw, Str, Struct, Time

_SOURCE = one_of_words("FromClaim", "FromClass")
_RESULT = Struct(
    "DeviceRequestAllocationResult",
    Field(1, "request", Str(), "Name of the request, or of the alternative in it", required=True, presence=True, default=""),
    Field(2, "driver", Str(), "Name of the driver", required=True, presence=True, default="", rules=(driver_named,)),
    Field(3, "pool", Str(), "Name of the pool", required=True, presence=True, default="", rules=(pool_named,)),
    Field(4, "device", Str(), "Name of the device in its pool", required=True, presence=True, default="", rules=(label_named,)),
    Field(5, "adminAccess", Bool(), "Whether the device was given to look after it"),
    Field(6, "tolerations", TOLERATIONS, "Taints of the device that are tolerated"),
    Field(7, "bindingConditions", STRINGS, "Conditions that pods wait for"),
    Field(8, "bindingFailureConditions", STRINGS, "Conditions that end the waiting"),
    Field(9, "shareID", Str(rules=(share_id,)), "Which part of the device it is, where several claims have one", presence=True),
    Field(10, "consumedCapacity", EXACT_AMOUNTS, "Amounts of the device's capacity that are taken"),
    rules=(binding_rules,),
    doc="A device that is given",
)
_CONFIGURATION = Struct(
    "DeviceAllocationConfiguration",
    Field(1, "source", _SOURCE, "Where the settings come from", required=True, rules=(one_of(*_SOURCE.values),)),
    Field(
        2,
        "requests",
        List(Str(), list_type="atomic", rules=(at_most(32), each_once(itself))),
        "Names of the requests that are meant; all if empty",
    ),
    Field(3, "deviceConfiguration", CONFIGURATION, inline=True),
    rules=(configuration_rules,),
    doc="Settings of devices that are given",
)
ALLOCATION = Struct(
    "AllocationResult",
    Field(
        1,
        "devices",
        Struct(
            "DeviceAllocationResult",
            Field(1, "results", List(_RESULT, list_type="atomic", rules=(at_most(32),)), "The devices"),
            Field(2, "config", List(_CONFIGURATION, list_type="atomic", rules=(at_most(64),)), "Settings of the devices"),
            doc="Devices that are given",
        ),
        "The devices",
        default={},
    ),
    Field(3, "nodeSelector", NODE_SELECTOR, "Nodes on which the devices can be used; all if unset"),
    Field(5, "allocationTimestamp", Time(), "When they were given"),
    doc="What is given to a claim",
)
RESERVED_FOR = List(
    Struct(
        "ResourceClaimConsumerReference",
        Field(1, "apiGroup", Str(), "API group of the user; empty for the core group"),
        Field(3, "resource", Str(), "Type of the user, such as pods", required=True),
        Field(4, "name", Str(), "Name of the user", required=True),
        Field(5, "uid", Str(), "UID of the user", required=True),
        doc="Somebody who may use the devices of a claim",
    ),
    list_type="map",
    keys=("uid",),
    merge_key="uid",
    rules=(at_most(256),),
)
_NETWORK = Struct(
    "NetworkDeviceData",
    Field(1, "interfaceName", Str(), "Name of the interface", rules=(bytes_at_most(256),)),
    Field(
        2,
        "ips",
        List(Str(rules=(interface_address,)), list_type="atomic", rules=(at_most(16), each_once(itself))),
        "Addresses of the interface, with masks",
    ),
    Field(3, "hardwareAddress", Str(), "Hardware address of the interface", rules=(bytes_at_most(128),)),
    doc="A network interface",
)
DEVICE_STATUS = List(
    Struct(
        "AllocatedDeviceStatus",
        Field(1, "driver", Str(), "Name of the driver", required=True, presence=True, default="", rules=(driver_named,)),
        Field(2, "pool", Str(), "Name of the pool", required=True, presence=True, default="", rules=(pool_named,)),
        Field(3, "device", Str(), "Name of the device in its pool", required=True, presence=True, default="", rules=(label_named,)),
        Field(4, "conditions", List(CONDITION, list_type="map", keys=("type",), rules=(at_most(8),)), "Conditions of the device"),
        Field(5, "data", Raw(), "Whatever the driver says of the device", rules=(object_rules,)),
        Field(6, "networkData", _NETWORK, "What is known of a network interface"),
        Field(7, "shareID", Str(rules=(share_id,)), "Which part of the device it is", presence=True),
        doc="What a driver says of a device that is given",
    ),
    list_type="map",
    keys=("driver", "device", "pool", "shareID"),
)
