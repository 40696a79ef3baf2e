"""What an authorizer decides on."""

from typing import NamedTuple

from svcsim.meta.field_selectors import FieldRequirement
from svcsim.meta.label_matching import Requirement
from svcsim.meta.types import User


class Attributes(NamedTuple):
    """One request, as far as permission goes: a verb on a resource, or on a plain path."""

    user: User
    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    field_requirements: tuple[FieldRequirement, ...] = ()
    """What narrows a list, a watch or a deletion of many. Empty where nothing does, or what does can't be understood."""
    label_requirements: tuple[Requirement, ...] = ()

    @property
    def is_resource(self) -> bool:
        """Whether this is about a resource rather than a path."""
        return bool(self.resource)
