"""ResourceSlice: devices that a driver offers, or counters that such devices share."""

from svcsim.kinds.groups import RESOURCE_V1
from svcsim.kinds.resource.capacity import CAPACITIES
from svcsim.kinds.resource.device_rules import EFFECTS
from svcsim.kinds.resource.names import (
    at_most,
    attribute_keys,
    binding_rules,
    driver_named,
    each_once,
    label_keys,
    label_named,
    label_valued,
    name_of,
    pool_named,
)
from svcsim.kinds.resource.resource_slice_rules import (
    attribute_rules,
    counter_set_of,
    device_rules,
    generation_rules,
    node_named,
    slice_changes,
    slice_count_rules,
    slice_rules,
)
from svcsim.kinds.resource.resource_slice_strategy import fill
from svcsim.kinds.shared.checks import label_key, one_of
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.pod_spec.scheduling import NODE_SELECTOR
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import one_of_words
from svcsim.registry.kind import Column, Kind, Selectable, Strategy
from svcsim.schema.types import Bool, Field, Int, List, Map, Quantity, Str, Struct, Time

_ATTRIBUTE = Struct(
    "DeviceAttribute",
    Field(2, "int", Int(bits=64), "A whole number"),
    Field(3, "bool", Bool(), "True or false"),
    Field(4, "string", Str(), "A text", presence=True),
    Field(5, "version", Str(), "A semantic version", presence=True),
    Field(6, "ints", List(Int(bits=64), list_type="atomic"), "Whole numbers"),
    Field(7, "bools", List(Bool(), list_type="atomic"), "Truth values"),
    Field(8, "strings", STRINGS, "Texts"),
    Field(9, "versions", STRINGS, "Semantic versions"),
    rules=(attribute_rules,),
    doc="What is so about a device: exactly one value, or list of values",
)
_COUNTERS = Map(
    Struct("Counter", Field(1, "value", Quantity(), "How much there is", required=True), doc="An amount that devices share"),
    rules=(label_keys, at_most(32)),
)
_CONSUMPTION = Struct(
    "DeviceCounterConsumption",
    Field(1, "counterSet", Str(), "Set of the counters", required=True, rules=(label_named,)),
    Field(2, "counters", _COUNTERS, "How much of each the device takes", required=True),
    doc="What a device takes of a set of counters",
)
_TAINT = Struct(
    "DeviceTaint",
    Field(1, "key", Str(), "Key of the taint", required=True, presence=True, default="", rules=(label_key,)),
    Field(2, "value", Str(), "Value of the taint", rules=(label_valued,)),
    Field(3, "effect", one_of_words(*EFFECTS), "What it does to those who don't tolerate it", required=True, rules=(one_of(*EFFECTS),)),
    Field(4, "timeAdded", Time(), "When it was added"),
    doc="Keeps a device from those who don't tolerate it",
)
_MAPPING = Struct(
    "NodeAllocatableResourceMapping",
    Field(1, "capacityKey", Str(), "Capacity that counts; the whole device if unset", presence=True),
    Field(2, "allocationMultiplier", Quantity(), "How much of the node's resource one of it takes"),
    doc="How much a device takes of what its node has for pods",
)
_DEVICE = Struct(
    "Device",
    Field(1, "name", Str(), "Name of the device in its pool", required=True, presence=True, default="", rules=(label_named,)),
    Field(2, "attributes", Map(_ATTRIBUTE, rules=(attribute_keys,)), "What is so about the device, by name"),
    Field(3, "capacity", CAPACITIES, "How much the device has, by name"),
    Field(
        4,
        "consumesCounters",
        List(_CONSUMPTION, list_type="atomic", rules=(at_most(2), each_once(counter_set_of))),
        "What the device takes of shared counters",
    ),
    Field(5, "nodeName", Str(), "Node that has the device", presence=True),
    Field(6, "nodeSelector", NODE_SELECTOR, "Nodes that can use the device"),
    Field(7, "allNodes", Bool(), "Whether all nodes can use the device"),
    Field(8, "taints", List(_TAINT, list_type="atomic", rules=(at_most(16),)), "Taints of the device"),
    Field(9, "bindsToNode", Bool(), "Whether the device stays with the node it is first used on"),
    Field(10, "bindingConditions", STRINGS, "Conditions that pods wait for"),
    Field(11, "bindingFailureConditions", STRINGS, "Conditions that end the waiting"),
    Field(12, "allowMultipleAllocations", Bool(), "Whether several claims can have the device"),
    Field(13, "nodeAllocatableResourceMappings", Map(_MAPPING), "What the device takes of its node, by resource"),
    rules=(device_rules, binding_rules),
    doc="A device",
)
_POOL = Struct(
    "ResourcePool",
    Field(1, "name", Str(), "Name of the pool; cannot be changed", required=True, presence=True, default="", rules=(pool_named,)),
    Field(2, "generation", Int(bits=64), "Which state of the pool it is", required=True, default=0, rules=(generation_rules,)),
    Field(3, "resourceSliceCount", Int(bits=64), "Number of slices of that state", required=True, default=0, rules=(slice_count_rules,)),
    doc="The pool that a slice is part of",
)
_COUNTER_SET = Struct(
    "CounterSet",
    Field(1, "name", Str(), "Name of the set", required=True, rules=(label_named,)),
    Field(2, "counters", _COUNTERS, "The counters, by name", required=True),
    doc="Counters that devices share",
)
_SPEC = Struct(
    "ResourceSliceSpec",
    Field(
        1,
        "driver",
        Str(),
        "Driver that offers them; cannot be changed",
        required=True,
        presence=True,
        default="",
        rules=(driver_named,),
    ),
    Field(2, "pool", _POOL, "The pool that the slice is part of", required=True, default={}),
    Field(3, "nodeName", Str(rules=(node_named,)), "Node that has the devices; cannot be changed", presence=True),
    Field(4, "nodeSelector", NODE_SELECTOR, "Nodes that can use the devices"),
    Field(5, "allNodes", Bool(), "Whether all nodes can use the devices"),
    Field(6, "devices", List(_DEVICE, list_type="atomic", rules=(each_once(name_of),)), "The devices"),
    Field(7, "perDeviceNodeSelection", Bool(), "Whether each device says which nodes can use it"),
    Field(
        8, "sharedCounters", List(_COUNTER_SET, list_type="atomic", rules=(at_most(8), each_once(name_of))), "Counters that devices share"
    ),
    rules=(slice_rules,),
    doc="What a driver offers",
)
RESOURCE_SLICE = Kind(
    RESOURCE_V1,
    "resourceslices",
    Struct(
        "ResourceSlice",
        Field(2, "spec", _SPEC, "What a driver offers", required=True, default={}),
        doc="Devices that a driver offers, on a node or elsewhere",
    ),
    namespaced=False,
    columns=(
        Column("Node", text_at("spec.nodeName"), doc="Node that has the devices"),
        Column("Driver", text_at("spec.driver"), doc="Driver that offers the devices"),
        Column("Pool", text_at("spec.pool.name"), doc="The pool that the slice is part of"),
        AGE,
    ),
    selectable=(Selectable("spec.nodeName"), Selectable("spec.driver")),
    strategy=Strategy(fill=fill, update_rules=(slice_changes,)),
    generation=True,
    deletes_to_object=True,
)
