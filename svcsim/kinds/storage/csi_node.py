"""CSINode: which CSI drivers are on a node."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.defaults import null_if_empty
from svcsim.kinds.shared.storage_checks import csi_driver_name
from svcsim.kinds.shared.types import STRINGS, map_list
from svcsim.kinds.storage.csi_node_rules import csi_node_changes, node_id, topology_keys
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Int, Str, Struct

_RESOURCES = Struct(
    "VolumeNodeResources",
    Field(1, "count", Int(), "Number of volumes of the driver that the node can have; any number if unset", rules=(not_negative,)),
    doc="How much a node has for volumes of a driver",
)
_DRIVER = Struct(
    "CSINodeDriver",
    Field(1, "name", Str(), "Name of the driver", required=True, rules=(csi_driver_name,)),
    Field(2, "nodeID", Str(), "Name by which the driver knows the node", required=True, rules=(node_id,)),
    Field(3, "topologyKeys", STRINGS, "Labels by which the driver tells places apart"),
    Field(4, "allocatable", _RESOURCES, "How much the node has for volumes of the driver"),
    rules=(topology_keys,),
    doc="A driver on the node",
)
_SPEC = Struct(
    "CSINodeSpec",
    Field(1, "drivers", map_list(_DRIVER, "name", unique=True), "The drivers on the node", required=True, presence=False),
    doc="The drivers on the node",
)
CSI_NODE = Kind(
    STORAGE_V1,
    "csinodes",
    Struct(
        "CSINode",
        Field(2, "spec", _SPEC, "The drivers on the node", required=True, default={}),
        doc="Which CSI drivers are on the node of that name",
    ),
    namespaced=False,
    columns=(Column("Drivers", length_at("spec.drivers"), type="integer", doc="Number of drivers on the node"), AGE),
    strategy=Strategy(fill=null_if_empty("spec.drivers"), update_rules=(csi_node_changes,)),
    unconditional_update=False,
    deletes_to_object=True,
)
