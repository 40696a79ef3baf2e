"""StorageClass: a kind of storage on offer, and who makes volumes of it."""

from svcsim.kinds.groups import STORAGE_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.storage_checks import driver_parameters, provisioner_name
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.update_warnings import of_every_update
from svcsim.kinds.shared.words import BINDING_MODE, RECLAIM_POLICY
from svcsim.kinds.storage.storage_class_columns import allow_expansion, binding_mode, name, provisioner, reclaim_policy
from svcsim.kinds.storage.storage_class_rules import (
    allowed_topologies,
    binding_modes,
    label_values,
    reclaim_policies,
    storage_class_changes,
    storage_class_warnings,
    topology_term,
)
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bool, Field, List, Map, Str, Struct

_REQUIREMENT = Struct(
    "TopologySelectorLabelRequirement",
    Field(1, "key", Str(), "Label that the requirement is about", required=True),
    Field(2, "values", STRINGS, "Values of which the label has one", required=True),
    rules=(label_values,),
    doc="A requirement for a label of a node",
    of_core=True,
)
_TERM = Struct(
    "TopologySelectorTerm",
    Field(1, "matchLabelExpressions", List(_REQUIREMENT, list_type="atomic"), "Requirements that must all be met"),
    atomic=True,
    rules=(topology_term,),
    doc="Selects places where volumes can be made, by the labels of nodes there",
    of_core=True,
)
STORAGE_CLASS = Kind(
    STORAGE_V1,
    "storageclasses",
    Struct(
        "StorageClass",
        Field(2, "provisioner", Str(), "Name of what makes the volumes", required=True, rules=(provisioner_name,)),
        Field(3, "parameters", Map(Str()), "Parameters for what makes the volumes", rules=(driver_parameters,)),
        Field(
            4,
            "reclaimPolicy",
            RECLAIM_POLICY,
            "What happens to a volume of the class when its claim is deleted",
            default="Delete",
            rules=(reclaim_policies,),
            presence=True,
        ),
        Field(5, "mountOptions", STRINGS, "Mount options of the volumes, which are not checked"),
        Field(6, "allowVolumeExpansion", Bool(), "Whether claims for the class may ask for more later"),
        Field(
            7,
            "volumeBindingMode",
            BINDING_MODE,
            "When a volume is made for a claim: at once, or when a pod that uses it is scheduled",
            default="Immediate",
            rules=(binding_modes,),
            presence=True,
        ),
        Field(
            8,
            "allowedTopologies",
            List(_TERM, list_type="atomic"),
            "Where volumes can be made; everywhere if unset",
            rules=(allowed_topologies,),
        ),
        doc="A kind of storage on offer: who makes its volumes, and how",
    ),
    short=("sc",),
    namespaced=False,
    name_column=False,
    columns=(
        Column("Name", name, format="name", doc="Name of the class, and whether it is the default"),
        Column("Provisioner", provisioner, doc="Name of what makes the volumes"),
        Column("ReclaimPolicy", reclaim_policy, doc="What happens to a volume when its claim is deleted"),
        Column("VolumeBindingMode", binding_mode, doc="When a volume is made for a claim"),
        Column("AllowVolumeExpansion", allow_expansion, doc="Whether claims may ask for more later"),
        AGE,
    ),
    strategy=Strategy(
        warnings=(storage_class_warnings,),
        update_warnings=(of_every_update(storage_class_warnings),),
        update_rules=(storage_class_changes,),
    ),
    deletes_to_object=True,
)
