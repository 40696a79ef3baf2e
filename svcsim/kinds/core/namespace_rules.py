"""What makes a Namespace right: its finalizers, and a phase that fits its end."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.names import is_standard_finalizer, qualified_name
from svcsim.meta.objects import is_terminating
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def rules_of_new(obj: Object, context: Context) -> Iterator[FieldError]:
    for name in (obj.get("spec") or {}).get("finalizers") or ():
        yield from _finalizer(name, "spec.finalizers", context)


def finalizer_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Who takes finalizers away may set others."""
    for index, name in enumerate((new.get("spec") or {}).get("finalizers") or ()):
        yield from _finalizer(name, f"spec.finalizers[{index}]", context)


def _finalizer(name: str, path: str, context: Context) -> Iterator[FieldError]:
    yield from (invalid_value(path, name, finding) for finding in qualified_name(name))
    if "/" not in name and not is_standard_finalizer(name, context.dialect):
        yield invalid_value(path, name, "name is neither a standard finalizer name nor is it fully qualified")


def phase_rules(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    phase = (new.get("status") or {}).get("phase")
    if is_terminating(new):
        if phase != "Terminating":
            yield invalid_value("status.phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")
    elif phase != "Active":
        yield invalid_value("status.phase", phase, "may only be 'Active' if `deletionTimestamp` is empty")
