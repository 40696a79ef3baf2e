"""Objects of files that are created, such as those of dumped files."""

from typing import TYPE_CHECKING

from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.item import Item
    from svcsim.cli.shared.session import Query, Session


def create_item(session: "Session", item: "Item", obj: Object, query: "Query") -> Object:
    """Create an object; gives it as the server has it. The revision in a file is that of another one, whose dump the file is."""
    if "resourceVersion" in metadata_of(obj):
        obj = {**obj, "metadata": {name: value for name, value in metadata_of(obj).items() if name != "resourceVersion"}}
    return session.write("POST", item.resource.path(item.namespace), obj, query)
