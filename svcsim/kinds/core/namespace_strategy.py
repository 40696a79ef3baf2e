"""The life of a Namespace: its label and finalizer at the beginning, and what holds it at its end."""

from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill(obj: Object, context: Context) -> None:
    """The name is a label as well, so that selectors can select a namespace by name."""
    metadata = metadata_of(obj)
    if name := metadata.get("name"):
        metadata.setdefault("labels", {})[context.dialect.key("metadata.name")] = name


def create(obj: Object, context: Context) -> None:
    fill(obj, context)
    finalizers = obj.setdefault("spec", {}).setdefault("finalizers", [])
    if context.dialect.namespace_finalizer not in finalizers:
        finalizers.append(context.dialect.namespace_finalizer)


def update(new: Object, old: Object, context: Context) -> None:
    """Finalizers are removed through the subresource alone."""
    new.pop("spec", None)
    if "spec" in old:
        new["spec"] = old["spec"]


def terminate(obj: Object, context: Context) -> None:
    obj.setdefault("status", {})["phase"] = "Terminating"
    obj["metadata"].pop("deletionGracePeriodSeconds", None)  # a namespace's end has no fixed time


def held(obj: Object) -> bool:
    return bool((obj.get("spec") or {}).get("finalizers"))
