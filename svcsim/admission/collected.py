"""What the garbage collector does to objects is nobody's wish, and isn't refused for what the objects say."""

from svcsim.meta.types import Object

_LEFT_TO_COLLECTION = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")
"""What the garbage collector changes of an object that goes, or that loses an owner."""


def is_collected(new: Object, old: Object) -> bool:
    """Whether nothing differs but what the garbage collector may change."""

    def rest(obj: Object) -> Object:
        return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name not in _LEFT_TO_COLLECTION}}

    return rest(new) == rest(old)
