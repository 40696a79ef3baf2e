"""What strategic merging has to know of a place in an object: its type, and how patches treat it.

Those who apply patches (`svcsim.schema.strategic`) and those who make them (`svcsim.schema.three_way`) must see every place alike.
"""

from typing import NamedTuple

from svcsim.schema.decode import flat_fields
from svcsim.schema.derived import derived
from svcsim.schema.types import Field, List, Map, Ref, Struct, Type


class Site(NamedTuple):
    """A place in an object. ``type`` is None where the schema knows nothing of it."""

    type: Type | None
    strategy: str = ""
    """``merge``, ``replace`` or nothing said."""
    retains: bool = False
    """Whether patches say which keys of the map (or of the list's items) may stay."""

    @property
    def merge_key(self) -> str:
        """By what the items of a list are told apart; empty for values."""
        return self.type.merge_key if isinstance(self.type, List) else ""

    @property
    def item_type(self) -> Type | None:
        """The type of a list's items."""
        return resolved(self.type.item) if isinstance(self.type, List) else None


def site(parent: Type | None, key: str) -> Site:
    """The place below ``parent`` that ``key`` leads to."""
    if isinstance(parent, Map):
        return Site(resolved(parent.value))
    field = _fields_by_name(parent).get(key) if isinstance(parent, Struct) else None
    if field is None:
        return Site(None)
    strategies = field.patch.split(",")
    field_type = field.type
    merged = "merge" in strategies or (isinstance(field_type, List) and field_type.merge_key)
    strategy = "merge" if merged else "replace" if "replace" in strategies else ""
    return Site(resolved(field_type), strategy, "retainKeys" in strategies)


@derived
def _fields_by_name(struct: Struct) -> dict[str, Field]:
    return {field.name: field for field in flat_fields(struct)}


def resolved(field_type: Type) -> Type:
    """The type itself, where it may be a reference to one."""
    return field_type.target() if isinstance(field_type, Ref) else field_type
