"""Namespace: a scope for names. It goes once everything in it has gone."""

from svcsim.kinds.core.namespace_rules import finalizer_changes, phase_rules, rules_of_new
from svcsim.kinds.core.namespace_strategy import create, fill, held, terminate, update
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import NAMESPACE_PHASE
from svcsim.meta.names import dns_label
from svcsim.registry.kind import Column, Kind, Selectable, Status, Strategy, Subresource, status_subresource
from svcsim.schema.types import Field, Struct

_SPEC = Struct(
    "NamespaceSpec",
    Field(1, "finalizers", STRINGS, "Names of those who must finish before the namespace can be removed"),
    doc="Desired state of a namespace",
)
_STATUS = Struct(
    "NamespaceStatus",
    Field(1, "phase", NAMESPACE_PHASE, "Phase of the namespace", default="Active"),
    Field(
        2,
        "conditions",
        conditions(
            "NamespaceCondition", "NamespaceDeletionContentFailure, NamespaceContentRemaining, …", lastTransitionTime=4, reason=5, message=6
        ),
        "Current conditions of the namespace, which report the progress of its deletion",
    ),
    doc="Current state of a namespace",
)


NAMESPACE = Kind(
    CORE_V1,
    "namespaces",
    Struct(
        "Namespace",
        Field(2, "spec", _SPEC, "Desired state of the namespace", default={}),
        Field(3, "status", _STATUS, "Current state of the namespace", default={}),
        doc="A scope for names: names of most objects must be unique within one namespace only",
    ),
    short=("ns",),
    namespaced=False,
    name_rule=dns_label,
    columns=(Column("Status", text_at("status.phase"), doc="Active or Terminating"), AGE),
    selectable=(Selectable("status.phase"), Selectable("name", at=("metadata.name",))),
    status=Status(subresource=status_subresource(update_rules=(phase_rules,))),
    subresources=(Subresource("finalize", verbs=("update",), resets=("status",), update_rules=(finalizer_changes,)),),
    strategy=Strategy(fill=fill, create=create, update=update, create_rules=(rules_of_new,), terminate=terminate, held=held),
    generation=False,
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
)
