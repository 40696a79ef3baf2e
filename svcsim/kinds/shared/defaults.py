"""What several kinds are completed with."""

from collections.abc import Callable

from svcsim.meta.objects import get_path
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def null_if_empty(*paths: str) -> Callable[[Object, Context], None]:
    """Lists that are always there, where what they stand in is: one with nothing in it is served as null.

    Protobuf knows no empty list, so that the schema can't say it.
    """
    places = [(way, name) for way, _, name in (path.rpartition(".") for path in paths)]

    def fill(obj: Object, context: Context) -> None:
        for way, name in places:
            part = get_path(obj, way) if way else obj
            if part is not None and not part.get(name):
                part[name] = None

    return fill
