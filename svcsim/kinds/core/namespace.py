"""Namespace: a room for names, and for all that is in it."""

from collections.abc import Iterator

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.references import STRINGS
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.names import dns_label, is_standard_finalizer, qualified_name
from svcsim.meta.objects import is_terminating, metadata_of
from svcsim.meta.types import Object
from svcsim.registry.columns import AGE, text_at
from svcsim.registry.kind import Column, Context, Kind, Selectable, Strategy, Subresource, status
from svcsim.schema.types import Field, List, Str, Struct, Time

_CONDITION = Struct(
    "NamespaceCondition",
    Field(1, "type", Str(), "What the condition is about", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(4, "lastTransitionTime", Time(), "When the status last changed"),
    Field(5, "reason", Str(), "Why, in one CamelCase word"),
    Field(6, "message", Str(), "Why, in a sentence"),
    doc="One aspect of a namespace's state",
)
_SPEC = Struct(
    "NamespaceSpec",
    Field(1, "finalizers", STRINGS, "What must be done before the namespace goes"),
    doc="What a namespace is to be",
)
_STATUS = Struct(
    "NamespaceStatus",
    Field(1, "phase", Str(), "Active or Terminating", default="Active"),
    Field(
        2,
        "conditions",
        List(_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False),
        "How its deletion goes",
    ),
    doc="How a namespace is",
)


def _fill(obj: Object, context: Context) -> None:
    """The name stands in a label too, so that selectors can name namespaces."""
    metadata = metadata_of(obj)
    if name := metadata.get("name"):
        metadata.setdefault("labels", {})[context.dialect.key("metadata.name")] = name


def _create(obj: Object, context: Context) -> None:
    _fill(obj, context)
    finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
    if context.dialect.namespace_finalizer not in finalizers:
        finalizers.append(context.dialect.namespace_finalizer)
    obj["status"] = {"phase": "Active"}


def _update(new: Object, old: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    """Finalizers are taken away through the sub-resource alone."""
    new.pop("spec", None)
    if "spec" in old:
        new["spec"] = old["spec"]


def _terminate(obj: Object, context: Context) -> None:  # noqa: ARG001 - a hook's signature
    obj.setdefault("status", {})["phase"] = "Terminating"
    obj["metadata"].pop("deletionGracePeriodSeconds", None)  # a namespace's end has no fixed time


def _held(obj: Object) -> bool:
    return bool((obj.get("spec") or {}).get("finalizers"))


def _rules(obj: Object, context: Context) -> Iterator[FieldError]:
    for name in (obj.get("spec") or {}).get("finalizers") or ():
        yield from (invalid_value("spec.finalizers", name, finding) for finding in qualified_name(name))
        if "/" not in name and not is_standard_finalizer(name, context.dialect):
            yield invalid_value("spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified")


def _phase_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:  # noqa: ARG001 - a rule's signature
    phase = (new.get("status") or {}).get("phase")
    if is_terminating(new):
        if phase != "Terminating":
            yield invalid_value("status.phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
    elif phase != "Active":
        yield invalid_value("status.phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")


NAMESPACE = Kind(
    "Namespace",
    CORE_V1,
    "namespaces",
    Struct(
        "Namespace",
        Field(2, "spec", _SPEC, "What the namespace is to be", default={}),
        Field(3, "status", _STATUS, "How the namespace is", default={}),
        doc="A room for names: most objects live in one",
    ),
    short=("ns",),
    singular="namespace",
    namespaced=False,
    name_rule=dns_label,
    columns=(Column("Status", text_at("status.phase"), doc="Active or Terminating"), AGE),
    selectable=(Selectable("status.phase"), Selectable("name", at=("metadata.name",))),
    subresources=(
        Subresource("finalize", verbs=("update",), resets=("status",), update_rules=()),
        status(update_rules=(_phase_rules,)),
    ),
    strategy=Strategy(fill=_fill, create=_create, update=_update, rules=(_rules,), terminate=_terminate, held=_held),
    verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
    doc="A room for names: most objects live in one",
)
