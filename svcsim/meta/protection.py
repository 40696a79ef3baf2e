"""Objects that are kept while they are in use: a finalizer of theirs is taken off once they are deleted and nobody uses them any more."""

from svcsim.meta.objects import finalizers_of, is_terminating
from svcsim.meta.types import Object


def protected(obj: Object, finalizer: str, *, is_used: bool) -> Object | None:
    """An object with the finalizer, or without it if it is being deleted and isn't in use; None if it is so already."""
    present = finalizers_of(obj)
    if not is_terminating(obj):
        wanted = present if finalizer in present else [*present, finalizer]
    else:
        wanted = present if is_used else [name for name in present if name != finalizer]
    return None if wanted == present else {**obj, "metadata": {**obj["metadata"], "finalizers": wanted}}
