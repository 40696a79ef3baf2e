"""The kinds that a definition defines, for who serves them without knowing how they come about."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from svcsim.meta.types import Object
from svcsim.registry.kind import Converter, Kind
from svcsim.registry.kind_entry import KindEntry

ConverterOf: TypeAlias = Callable[[Object], Converter]
"""What converts the objects of a definition, whose conversion is left to a webhook."""


class Defined(NamedTuple):
    """The kinds of a definition: those that are served, and those that are known because others are stored as them."""

    served: tuple[Kind | KindEntry, ...]
    known: tuple[Kind | KindEntry, ...]


class Changed(NamedTuple):
    """When a definition last changed what it says of objects that are stored: the revision, 0 for never."""

    revised: int
    """How they are read."""
    reselected: int
    """What they can be selected by, or how values of that are read."""


NOTHING = Defined((), ())
