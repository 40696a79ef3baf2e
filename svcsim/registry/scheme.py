"""All kinds one cluster serves, bound to its dialect.

A `Kind` is written down once for all dialects; a `Resource` is that kind in one cluster: full group names, the compiled schema, the
bytes its encoded objects begin with. Everything generic is handed a `Resource` and never asks what kind it is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, groupby
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim.apply.reset_fields import FieldFilter
from svcsim.apply.topology import Fields, topology
from svcsim.dialect import Dialect
from svcsim.meta.api_versions import version_priority
from svcsim.meta.codec import encode
from svcsim.meta.types import GroupKind, GroupResource, GroupVersion, GroupVersionKind, Object
from svcsim.registry.kind import Kind, Subresource
from svcsim.registry.kind_entry import KindEntry
from svcsim.registry.runtime_config import RuntimeConfig
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


_Table: TypeAlias = dict[tuple[str, str, str], Resource]
"""By group, version, and the plural or the name of the kind."""


class SchemeError(ValueError):
    """What was to be served can't be, or isn't there to be withdrawn; the message says why in one line."""


class Change(NamedTuple):
    """What is different in a scheme, for those who keep what follows from it."""

    group_versions: tuple[GroupVersion, ...]
    """Of which something came or went, each once."""
    gone: tuple[Resource, ...]
    """What isn't served any more."""


class Scheme:
    """The kinds of one cluster, found by what requests name them.

    What is served may change at any time. A change puts new tables in the place of the old ones within one turn of the event loop, so that
    whoever reads without awaiting sees one state, and whoever was given a `Resource` keeps it as it was. A kind that stays keeps its
    `Resource`, and a version of a group whose kinds all stay keeps its tuple: what is derived from either is good while that is the same.

    A new table is a copy of the old one in which the entries of what changes are others. So a change costs what has changed, and a
    cluster with hundreds of definitions takes in one more as quickly as the first.
    """

    def __init__(
        self,
        dialect: Dialect,
        kinds: Iterable[Kind | KindEntry],
        runtime_config: Iterable[str] = (),
        of_others: Iterable[tuple[GroupVersion, str]] = (),
    ) -> None:
        """A kind may come as its entry in the catalogue: it is loaded when it is needed.

        ``runtime_config`` switches versions and resources on and off; raises `RuntimeConfigError` for what it can't mean. ``of_others`` are
        resources that it may name as well, though they are served elsewhere, and asked for by this server.
        """
        self.dialect = dialect
        self.generation = 0
        """Counts the changes. What is derived from the whole scheme is good while this is the same."""
        self.resources: tuple[Resource, ...] = ()
        """All that are served: the groups of the beginning as they were declared, then others by name; a group's versions by priority."""
        self._listeners: list[Callable[[Change], None]] = []
        self._known: dict[int, Resource] = {}
        """By the identity of their kinds: those that are served, and versions that aren't but may own fields of what is stored."""
        self._served: dict[int, Resource] = {}
        self._by_path: _Table = {}
        self._by_kind: _Table = {}
        self._by_store_version: dict[tuple[str, str], Resource] = {}
        self._stored_together: dict[str, tuple[Resource, ...]] = {}
        """The known versions of each kind, by what the store files them under."""
        self._by_group_version: dict[GroupVersion, tuple[Resource, ...]] = {}
        self._group_versions: dict[str, tuple[str, ...]] = {}

        declared = tuple(kinds)
        names = tuple((self._group_version(kind), kind.plural) for kind in declared)
        config = RuntimeConfig.parse(runtime_config, (*names, *of_others))
        self._first_groups = {group: rank for rank, group in enumerate(dict.fromkeys(group_version.group for group_version, _ in names))}
        self.serve((kind for kind, name in zip(declared, names, strict=True) if config.serves(*name, anyway=kind.served)), known=declared)

    def serve(self, kinds: Iterable[Kind | KindEntry], known: Iterable[Kind | KindEntry] = ()) -> None:
        """Serve more kinds. ``known`` are versions of them that aren't served. Raises `SchemeError` as `replace` does."""
        self.replace((), kinds, known)

    def withdraw(self, kinds: Iterable[Kind | KindEntry]) -> None:
        """Serve these no longer, and forget them. Their objects stay in the store. Raises `SchemeError` for what isn't there."""
        self.replace(kinds, ())

    def replace(self, old: Iterable[Kind | KindEntry], new: Iterable[Kind | KindEntry], known: Iterable[Kind | KindEntry] = ()) -> None:
        """Withdraw some kinds and serve others in one step; one that is among both goes on as it was.

        Raises `SchemeError`, and changes nothing, where a kind isn't there to be withdrawn or is served already, where its plural or its
        name is taken in its version of the group, or where versions of one kind would be stored in different forms.
        """
        leaving = {id(kind): kind for kind in old}
        joining = {id(kind): kind for kind in new}
        for identity, kind in leaving.items():
            if identity not in self._known:
                raise SchemeError(f"{self._group_version(kind)} {kind.name} isn't served")
        for identity, kind in joining.items():
            if identity in self._served and identity not in leaving:
                raise SchemeError(f"{self._group_version(kind)} {kind.name} is served already")
        staying = {id(kind): kind for kind in known} | joining
        forgotten = [self._known[identity] for identity in leaving if identity not in staying]
        bound = self._bind(staying, forgotten)
        gone = [resource for identity in leaving if identity not in joining and (resource := self._served.get(identity)) is not None]
        come = {identity: bound[identity] for identity in joining if identity not in self._served}
        change = self._put_in_place(forgotten, bound, gone, come)
        for listener in self._listeners:
            listener(change)

    def on_change(self, listener: Callable[[Change], None]) -> None:
        """Have a function called after every change, before anything else happens. It must not raise."""
        self._listeners.append(listener)

    def find(self, group_version: GroupVersion, plural: str) -> Resource | None:
        """By what a URL names."""
        return self._by_path.get((*group_version, plural))

    def find_kind(self, group_version: GroupVersion, kind: str) -> Resource | None:
        """By what an object says it is."""
        return self._by_kind.get((*group_version, kind))

    def has(self, group: str, plural: str) -> bool:
        """Whether any version of a group has such a resource."""
        return any(self.find(GroupVersion(group, version), plural) is not None for version in self._group_versions.get(group, ()))

    def serves(self, resource: Resource) -> bool:
        """Whether this very resource is served, not withdrawn or replaced by another."""
        return self.find(resource.group_version, resource.plural) is resource

    def version(self, resource: Resource, api_version: str) -> Resource | None:
        """The same kind in another of its versions."""
        return self._by_store_version.get((resource.store_name, api_version))

    def served_with(self, resource: Resource) -> tuple[Resource, ...]:
        """All served versions of a kind, under whatever group and name: each shows the same objects."""
        return tuple(one for one in self._stored_together.get(resource.store_name, ()) if self.serves(one))

    @property
    def known(self) -> tuple[Resource, ...]:
        """All there are, in the order of `resources`: those that are served, and what was declared beside them."""
        return tuple(sorted(self._known.values(), key=lambda resource: self._rank(resource.group_version)))

    def group_versions(self) -> Mapping[str, tuple[str, ...]]:
        """Versions by group, in the order of `resources`: the core group first, the preferred version first. The same while these are."""
        return self._group_versions

    def resources_of(self, group_version: GroupVersion) -> tuple[Resource, ...]:
        """What one version of a group serves, in order of declaration."""
        return self._by_group_version.get(group_version, ())

    def _group_version(self, kind: Kind | KindEntry) -> GroupVersion:
        return GroupVersion(kind.group.name(self.dialect), kind.group.version)

    def _bind(self, kinds: Mapping[int, Kind | KindEntry], forgotten: Iterable[Resource]) -> dict[int, Resource]:
        """Kinds in this dialect; versions that are converted know the one they are converted to. What is bound already stays so."""
        leaving = {id(resource.entry) for resource in forgotten}
        bound = {identity: self._known.get(identity) or self._bound(kind, None) for identity, kind in kinds.items() if not _stored_as(kind)}
        for identity, kind in kinds.items():
            stored_as = _stored_as(kind)
            if stored_as is not None:
                stored = bound.get(id(stored_as)) or (None if id(stored_as) in leaving else self._known.get(id(stored_as)))
                if stored is None:
                    raise SchemeError(_not_there(self._group_version(kind), kind.name, self._group_version(stored_as)))
                bound[identity] = self._known.get(identity) or self._bound(kind, stored)
        return {identity: bound[identity] for identity in kinds}

    def _bound(self, kind: Kind | KindEntry, stored: Resource | None) -> Resource:
        return Resource(kind, self._group_version(kind), self.dialect, stored)

    def _put_in_place(
        self, forgotten: Iterable[Resource], bound: dict[int, Resource], gone: Sequence[Resource], come: dict[int, Resource]
    ) -> Change:
        """The new state, all of it or, where it contradicts itself, nothing."""
        by_path, by_kind = _by_path(self._by_path, gone, come.values()), _by_kind(self._by_kind, gone, come.values())
        stored_together = _stored_together(self._stored_together, forgotten, [one for key, one in bound.items() if key not in self._known])
        self._by_path, self._by_kind, self._stored_together = by_path, by_kind, stored_together

        self._known = _without(self._known, (id(one.entry) for one in forgotten)) | bound
        self._served = _without(self._served, (id(one.entry) for one in gone)) | come
        versions = _without(self._by_store_version, ((one.store_name, one.api_version) for one in forgotten))
        self._by_store_version = versions | {(one.store_name, one.api_version): one for one in bound.values()}
        change = Change(tuple(dict.fromkeys(resource.group_version for resource in (*gone, *come.values()))), tuple(gone))
        self._follow_group_versions(change, come.values())
        self.generation += 1
        return change

    def _follow_group_versions(self, change: Change, come: Iterable[Resource]) -> None:
        """Keep the resources of versions of groups, and from them all resources, in their order."""
        left = dict.fromkeys(change.gone)
        by_group_version = dict(self._by_group_version)
        found = {one: [resource for resource in self.resources_of(one) if resource not in left] for one in change.group_versions}
        for resource in come:
            found[resource.group_version].append(resource)
        for group_version, resources in found.items():
            by_group_version[group_version] = tuple(resources)
            if not resources:
                del by_group_version[group_version]
        if by_group_version.keys() != self._by_group_version.keys():
            by_group_version = {one: by_group_version[one] for one in sorted(by_group_version, key=self._rank)}
            self._group_versions = {
                group: tuple(group_version.version for group_version in found)
                for group, found in groupby(by_group_version, key=lambda group_version: group_version.group)
            }
        self._by_group_version = by_group_version
        self.resources = tuple(chain.from_iterable(by_group_version.values()))

    def _rank(self, group_version: GroupVersion) -> tuple[int, str, tuple[int, int, int, str]]:
        group, version = group_version
        return self._first_groups.get(group, len(self._first_groups)), group, version_priority(version)


_K = TypeVar("_K")
_V = TypeVar("_V")


def _without(table: dict[_K, _V], keys: Iterable[_K]) -> dict[_K, _V]:
    """A copy of a table in which these keys aren't."""
    left = dict(table)
    for key in keys:
        left.pop(key, None)
    return left


def _stored_as(kind: Kind | KindEntry) -> Kind | KindEntry | None:
    """The version its objects are stored in, where that is another."""
    if isinstance(kind, Kind):
        return kind.conversion and kind.conversion.stored_as
    return kind.stored_as


def _by_path(before: _Table, gone: Iterable[Resource], come: Iterable[Resource]) -> _Table:
    found = _without(before, ((*resource.group_version, resource.plural) for resource in gone))
    for resource in come:
        other = found.setdefault((*resource.group_version, resource.plural), resource)
        if other is not resource:
            taken = f'the plural "{resource.plural}" belongs to {other.name} already'
            raise SchemeError(f"{resource.group_version} {resource.name}: {taken}")
    return found


def _by_kind(before: _Table, gone: Iterable[Resource], come: Iterable[Resource]) -> _Table:
    found = _without(before, ((*resource.group_version, resource.name) for resource in gone))
    for resource in come:
        other = found.setdefault((*resource.group_version, resource.name), resource)
        if other is not resource:
            raise SchemeError(f'{resource.group_version} {resource.name}: this is the kind of "{other.plural}" already')
    return found


def _stored_together(
    before: dict[str, tuple[Resource, ...]], forgotten: Iterable[Resource], new: Iterable[Resource]
) -> dict[str, tuple[Resource, ...]]:
    """The versions of each kind. All are stored as one of them, which is there."""
    left = dict.fromkeys(forgotten)
    added: dict[str, list[Resource]] = {resource.store_name: [] for resource in (*left, *new)}
    for resource in new:
        added[resource.store_name].append(resource)
    found = dict(before)
    for name, more in added.items():
        versions = (*(one for one in found.pop(name, ()) if one not in left), *more)
        for one in versions:
            first, stored = versions[0].storage_version, one.storage_version
            if stored is not first:
                raise SchemeError(f"{name} can't be stored both as {first.api_version} and as {stored.api_version}")
            if stored not in versions:
                raise SchemeError(_not_there(one.group_version, one.name, stored.group_version))
        if versions:
            found[name] = versions
    return found


def _not_there(group_version: GroupVersion, name: str, stored: GroupVersion) -> str:
    return f"{group_version} {name} is stored as {stored}, which isn't there"
