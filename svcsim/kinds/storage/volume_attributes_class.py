"""VolumeAttributesClass: attributes of volumes that can be changed while these are there."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.storage_checks import driver_parameters, provisioner_name
from svcsim.kinds.storage.volume_attributes_class_rules import volume_attributes_class_changes, volume_attributes_class_rules
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Map, Str, Struct

VOLUME_ATTRIBUTES_CLASS = Kind(
    STORAGE_V1,
    "volumeattributesclasses",
    Struct(
        "VolumeAttributesClass",
        Field(2, "driverName", Str(), "Name of the CSI driver", required=True, rules=(provisioner_name,)),
        Field(3, "parameters", Map(Str()), "Attributes for the driver to give to volumes", rules=(driver_parameters,)),
        rules=(volume_attributes_class_rules,),
        doc="Attributes of volumes, such as their speed, that a claim can ask for and change later",
    ),
    short=("vac",),
    namespaced=False,
    columns=(Column("DriverName", text_at("driverName"), doc="Name of the CSI driver"), AGE),
    strategy=Strategy(update_rules=(volume_attributes_class_changes,)),
    deletes_to_object=True,
)
