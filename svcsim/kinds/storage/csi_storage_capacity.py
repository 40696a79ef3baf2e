"""CSIStorageCapacity: how much room there is for volumes of a class, in one place."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.checks import named, not_negative_amount
from svcsim.kinds.shared.columns import UNSET, text_at
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.storage.csi_storage_capacity_rules import csi_storage_capacity_changes, csi_storage_capacity_warnings
from svcsim.meta.names import dns_subdomain
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Quantity, Str, Struct

CSI_STORAGE_CAPACITY = Kind(
    STORAGE_V1,
    "csistoragecapacities",
    Struct(
        "CSIStorageCapacity",
        Field(2, "nodeTopology", LABEL_SELECTOR, "Label selector of the nodes from which the room can be reached; none if unset"),
        Field(3, "storageClassName", Str(), "Name of the StorageClass", required=True, rules=(named(dns_subdomain),)),
        Field(4, "capacity", Quantity(rules=(not_negative_amount,)), "Room that is left; unknown if unset"),
        Field(5, "maximumVolumeSize", Quantity(), "Size of the largest volume that could be made; unknown if unset"),
        doc="How much room a driver has for volumes of a class in one place",
    ),
    columns=(
        Column("StorageClassName", text_at("storageClassName"), doc="Name of the StorageClass"),
        Column("Capacity", text_at("capacity", UNSET), doc="Room that is left"),
    ),
    strategy=Strategy(
        warnings=(csi_storage_capacity_warnings,),
        update_warnings=(of_every_update(csi_storage_capacity_warnings),),
        update_rules=(csi_storage_capacity_changes,),
    ),
    unconditional_update=False,
)
