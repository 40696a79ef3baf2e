"""A kind by its names, before the rest of it is loaded."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.registry.kind import Group, Kind


class KindEntry(NamedTuple):
    """What has to be known of a kind to serve it until it is first requested. The attributes mean what they mean in `Kind`."""

    group: Group
    plural: str
    name: str
    load: Callable[[], Kind]
    """Gives the kind itself, the same one every time."""
    namespaced: bool = True
    served: bool = False
    stored_as: "Kind | KindEntry | None" = None
    """The version its objects are stored in, where that is another: also without having loaded the conversion."""
