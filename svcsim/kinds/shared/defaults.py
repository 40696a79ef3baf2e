"""What several kinds are completed with."""

from collections.abc import Callable

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def null_if_empty(*names: str) -> Callable[[Object, Context], None]:
    """Lists that are always there: one with nothing in it is served as null."""

    def fill(obj: Object, context: Context) -> None:
        for name in names:
            if not obj.get(name):
                obj[name] = None

    return fill
