"""All kinds that one cluster serves, found by what requests name them; they come and go while it serves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import NamedTuple, TypeAlias, TypeVar

from svcsim.dialect import Dialect
from svcsim.meta.api_versions import version_priority
from svcsim.meta.types import GroupVersion
from svcsim.registry.kind import Kind
from svcsim.registry.kind_entry import KindEntry
from svcsim.registry.resource import Resource
from svcsim.registry.runtime_config import RuntimeConfig

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
