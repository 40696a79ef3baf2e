"""One kind as one cluster serves it, bound to its dialect.

A `Kind` is written down once for all dialects; a `Resource` is that kind in one cluster: full group names, the compiled schema, the
bytes its encoded objects begin with. Everything generic is handed a `Resource` and never asks what kind it is.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from svcsim.apply.reset_fields import FieldFilter
from svcsim.apply.topology import Fields, topology
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode
from svcsim.meta.types import GroupKind, GroupResource, GroupVersion, GroupVersionKind, Json, Object
from svcsim.registry.kind import Kind, Subresource
from svcsim.registry.kind_entry import KindEntry
from svcsim.schema.common import object_struct
from svcsim.schema.compile import Compiled, compile_struct
from svcsim.schema.defaults import filler
from svcsim.schema.structural_form import reading_of
from svcsim.schema.types import Struct


class Window(NamedTuple):
    """A subresource as one cluster serves it."""

    name: str
    declared: Subresource
    gvk: GroupVersionKind
    """Of what is sent and answered."""
    compiled: Compiled | None
    """The schema of that, if it is not the object itself."""
    written: FieldFilter


class Resource:
    """One kind as one cluster serves it. There is one of each, which is equal to no other."""

    def __init__(self, entry: Kind | KindEntry, group_version: GroupVersion, dialect: Dialect, stored: "Resource | None" = None) -> None:
        self.entry = entry
        """What it was made of: a kind, or as much of one as stands in the catalogue."""
        self.group_version = group_version
        self.dialect = dialect
        self.stored = stored
        """The version its objects are stored in, where that is another."""
        self.plural = entry.plural
        self.name = entry.name
        """The kind's name."""
        self.namespaced = entry.namespaced

    @cached_property
    def kind(self) -> Kind:
        """The kind, loaded at first use."""
        return self.entry if isinstance(self.entry, Kind) else self.entry.load()

    def load(self) -> None:
        """Have the kind now, before anybody waits for it."""
        _ = self.kind

    @cached_property
    def deprecated(self) -> str:
        """What users of it are warned of."""
        if self.kind.deprecated is None or isinstance(self.kind.deprecated, str):
            return self.kind.deprecated or ""
        return self.kind.deprecated.text(f"{self.group_version} {self.name}", self.dialect)

    @property
    def storage_version(self) -> "Resource":
        """The version its objects are stored in; mostly itself, and so not kept: what is replaced is freed as soon as nobody has it."""
        return self.stored or self

    @cached_property
    def revised(self) -> int:
        """The revision up to which its objects may have been stored in another form than today's; 0 if none can have been."""
        definition = self.kind.definition
        return 0 if definition is None else definition.revised

    @cached_property
    def reselected(self) -> int:
        """The revision up to which its objects may stand in the store beside other values of the selectable fields than they have today."""
        definition = self.kind.definition
        return 0 if definition is None else definition.reselected

    @cached_property
    def selected_as(self) -> "Resource":
        """The version whose fields its objects are selected by: each version of a custom kind has its own."""
        return self.storage_version if self.kind.definition is None else self

    @cached_property
    def selectable(self) -> tuple[tuple[str, str, Callable[[Object], Json]], ...]:
        """The fields its objects can be selected by: path, what counts where there is no value, and what reads it at every write."""
        return tuple((one.path, one.default, one.reader()) for one in self.kind.selectable)

    @cached_property
    def as_it_is(self) -> bool:
        """Whether what the store has of it is what is shown, byte for byte."""
        return self.stored is None and not self.revised

    @cached_property
    def streams(self) -> bool:
        """Whether a long collection can be shown while it is read: nothing about it can fail once it has begun."""
        definition = self.kind.definition
        return self.as_it_is or self.respells or (self.stored is None and definition is not None and not definition.abroad)

    @cached_property
    def respells(self) -> bool:
        """Whether nothing but the version in its objects tells it from the stored one."""
        if self.stored is None or self.kind.definition is None or self.kind.definition.abroad:
            return False
        return self.reading == self.stored.reading

    def shows_like(self, other: "Resource") -> bool:
        """Whether the same is shown of an object as by another of the same name: it is the same declaration, served in another way."""
        mine, stored = self.kind, self.storage_version.kind
        alike = mine.schema is other.kind.schema and stored.schema is other.storage_version.kind.schema
        return self is other or (alike and mine.definition == other.kind.definition)

    @cached_property
    def form(self) -> str:
        """What decides how its stored objects are shown: for as long as it is the same, so is what is shown of them.

        Empty where more decides about that than what is declared.
        """
        stored, definition = self.storage_version, self.kind.definition
        if definition is None or (self.stored is not None and definition.abroad):
            return ""
        return sha256(encode([self.name, stored.api_version, stored.reading, self.api_version, self.reading])).hexdigest()

    @cached_property
    def reading(self) -> Object:
        """What of its schema decides how objects are read."""
        return reading_of(self.kind.schema, self.dialect.extension_prefix)

    @cached_property
    def group_kind(self) -> GroupKind:
        """For error messages about the object."""
        return GroupKind(self.group_version.group, self.name)

    @cached_property
    def group_resource(self) -> GroupResource:
        """For error messages about the resource type."""
        return GroupResource(self.group_version.group, self.plural)

    @cached_property
    def store_name(self) -> str:
        """What the store files it under: ``pods``, ``deployments.apps``; the same for all versions of a kind."""
        return str(self.storage_version.group_resource)

    @cached_property
    def api_version(self) -> str:
        return str(self.group_version)

    @cached_property
    def compiled(self) -> Compiled:
        """The schema, ready to run. Compiled at first use."""
        return replace(compile_struct(object_struct(self.kind.schema)), package=self.group_version.version)

    @cached_property
    def topology(self) -> Fields:
        """How objects of this kind merge in server-side apply."""
        return topology(object_struct(self.kind.schema))

    @cached_property
    def prefix(self) -> bytes:
        """What each encoded object of this kind begins with; items of a list are served without it."""
        return encode({"kind": self.name, "apiVersion": self.api_version})[:-1] + b","

    @cached_property
    def gvk(self) -> GroupVersionKind:
        """Of its objects."""
        return GroupVersionKind(*self.group_version, self.name)

    @cached_property
    def windows(self) -> dict[str, Window]:
        return {declared.name: self._window(declared) for declared in self.kind.subresources}

    def _window(self, declared: Subresource) -> Window:
        group = declared.group
        group_version = self.group_version if group is None else GroupVersion(group.name(self.dialect), group.version)
        return Window(
            declared.name,
            declared,
            GroupVersionKind(*group_version, declared.kind or self.name),
            None if declared.body is None else compile_struct(object_struct(declared.body)),
            FieldFilter.of(declared.writes, declared.resets, self.kind.topology_of(declared)),
        )

    @cached_property
    def has_status(self) -> bool:
        """Whether status is kept apart from the rest."""
        return self.kind.status is not None

    @cached_property
    def written(self) -> FieldFilter:
        """The fields that are written through the object itself."""
        return FieldFilter.of(resets=("status",) if self.has_status else ())

    @cached_property
    def initial_status(self) -> Object | None:
        """The status of a new object, as far as the schema's defaults say it; None if they say nothing. Not to be changed."""
        declared = self.kind.schema.field("status")
        blank: Object = {}
        fill = None if declared is None else filler(Struct(self.name, declared))
        if fill is not None:
            fill(blank)
        return blank.get("status")

    def stamp(self, obj: Object) -> None:
        """Make ``kind`` and ``apiVersion`` what they must be."""
        obj["kind"] = self.name
        obj["apiVersion"] = self.api_version
