"""ControllerRevision: what a controller wanted at one time, kept for a rollback."""

from svcsim.kinds.apps.controller_revision_columns import controller
from svcsim.kinds.apps.controller_revision_rules import data_is_an_object, data_unchanged
from svcsim.kinds.groups import APPS_V1
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Field, Int, Raw, Struct

CONTROLLER_REVISION = Kind(
    APPS_V1,
    "controllerrevisions",
    Struct(
        "ControllerRevision",
        Field(2, "data", Raw(), "The state, in the form of the controller that owns it; cannot be changed"),
        Field(3, "revision", Int(bits=64), "Number of the revision", required=True, default=0, rules=(not_negative,)),
        doc="A state that a controller wanted at one time, kept so that it can be wanted again",
    ),
    columns=(
        Column("Controller", controller, doc="The controller that the revision belongs to"),
        Column("Revision", text_at("revision"), doc="Number of the revision"),
        AGE,
    ),
    strategy=Strategy(create_rules=(data_is_an_object,), update_rules=(data_unchanged,)),
)
