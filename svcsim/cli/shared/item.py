"""One object a command is about: its type, where it is, and what is known of it."""

from typing import TYPE_CHECKING, NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource


def check_name(name: str) -> None:
    """Refuse what can't be the last part of an object's path: there it would mean the whole collection, or something else altogether."""
    if not name:
        raise CommandError("resource name may not be empty")
    wrong = [f"may not be '{name}'"] if name in (".", "..") else [f"may not contain '{char}'" for char in "/%" if char in name]
    if wrong:
        raise CommandError(f'invalid resource name "{name}": [{", ".join(wrong)}]')


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
        """Where the object is. Raises `CommandError` if it has no name."""
        check_name(self.name)
        return self.resource.path(self.namespace, self.name)

    def with_object(self, obj: Object) -> "Item":
        """The item in another state."""
        return self._replace(obj=obj)
