"""One object a command is about: its type, where it is, and what is known of it."""

from typing import TYPE_CHECKING, NamedTuple

from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource


class Item(NamedTuple):
    """One object on the server, or to be there."""

    resource: "Resource"
    namespace: str
    """Empty for cluster-wide objects."""
    name: str
    obj: Object
    """As it is on the server now, or as its file has it; empty where it wasn't asked for."""
    source: str = ""
    """The file it was named by."""

    @property
    def path(self) -> str:
        return self.resource.path(self.namespace, self.name)

    def with_object(self, obj: Object) -> "Item":
        """The same, in another state."""
        return self._replace(obj=obj)
