"""Namespace: a scope for names. It goes once everything in it has gone."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.types import STRINGS
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.names import dns_label, is_standard_finalizer, qualified_name
from svcsim.meta.objects import is_terminating, metadata_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Column, Context, Kind, Selectable, Status, Strategy, Subresource, status_subresource
from svcsim.schema.types import Field, Str, Struct

_SPEC = Struct(
    "NamespaceSpec",
    Field(1, "finalizers", STRINGS, "Names of those who must finish before the namespace can be removed"),
    doc="Desired state of a namespace",
)
_STATUS = Struct(
    "NamespaceStatus",
    Field(1, "phase", Str(), "Active or Terminating", default="Active"),
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


def _fill(obj: Object, context: Context) -> None:
    """The name is a label as well, so that selectors can select a namespace by name."""
    metadata = metadata_of(obj)
    if name := metadata.get("name"):
        metadata.setdefault("labels", {})[context.dialect.key("metadata.name")] = name


def _create(obj: Object, context: Context) -> None:
    _fill(obj, context)
    finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
    if context.dialect.namespace_finalizer not in finalizers:
        finalizers.append(context.dialect.namespace_finalizer)


def _update(new: Object, old: Object, context: Context) -> None:
    """Finalizers are removed through the subresource alone."""
    new.pop("spec", None)
    if "spec" in old:
        new["spec"] = old["spec"]


def _terminate(obj: Object, context: Context) -> None:
    obj.setdefault("status", {})["phase"] = "Terminating"
    obj["metadata"].pop("deletionGracePeriodSeconds", None)  # a namespace's end has no fixed time


def _held(obj: Object) -> bool:
    return bool((obj.get("spec") or {}).get("finalizers"))


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:
    for name in (obj.get("spec") or {}).get("finalizers") or ():
        yield from (invalid_value("spec.finalizers", name, finding) for finding in qualified_name(name))
        if "/" not in name and not is_standard_finalizer(name, context.dialect):
            yield invalid_value("spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified")


def _phase_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    phase = (new.get("status") or {}).get("phase")
    if is_terminating(new):
        if phase != "Terminating":
            yield invalid_value("status.phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
    elif phase != "Active":
        yield invalid_value("status.phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")


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
    status=Status(subresource=status_subresource(update_rules=(_phase_rules,))),
    subresources=(Subresource("finalize", verbs=("update",), resets=("status",), update_rules=()),),
    strategy=Strategy(fill=_fill, create=_create, update=_update, rules=(_rules,), terminate=_terminate, held=_held),
    generation=False,
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
)
