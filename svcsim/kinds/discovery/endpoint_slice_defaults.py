"""What an EndpointSlice without endpoints or ports is served with."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill(item: Object, context: Context) -> None:
    """Both lists are always there; one with nothing in it is null."""
    for name in ("endpoints", "ports"):
        if not item.get(name):
            item[name] = None
