"""All kinds one cluster serves, bound to its dialect.

A `Kind` is written down once for all dialects; a `Resource` is that kind in one cluster: full group names, the compiled schema, the
bytes its encoded objects begin with. Everything generic is handed a `Resource` and never asks what kind it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from svcsim.apply.reset_fields import FieldFilter
from svcsim.apply.topology import Fields, topology
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode
from svcsim.meta.types import GroupKind, GroupResource, GroupVersion, GroupVersionKind, Object
from svcsim.registry.kind import Kind, Subresource
from svcsim.registry.runtime_config import RuntimeConfig
from svcsim.schema.common import object_struct
from svcsim.schema.compile import Compiled, compile_struct


@dataclass(frozen=True)
class Window:
    """A sub-resource as one cluster serves it."""

    name: str
    declared: Subresource
    gvk: GroupVersionKind
    """Of what is sent and answered."""
    compiled: Compiled | None
    """The schema of that, if it is not the object itself."""
    written: FieldFilter


@dataclass(frozen=True)
class Resource:
    """One kind as one cluster serves it."""

    kind: Kind
    group_version: GroupVersion
    dialect: Dialect
    stored: "Resource | None" = None
    """The version its objects are stored in, where that is another."""
    deprecated: str = ""
    """What users of it are warned of."""

    @cached_property
    def hub(self) -> "Resource":
        """The version its objects are stored in; mostly itself."""
        return self.stored or self

    @cached_property
    def group_kind(self) -> GroupKind:
        """For error messages about the object."""
        return GroupKind(self.group_version.group, self.kind.name)

    @cached_property
    def group_resource(self) -> GroupResource:
        """For error messages about the resource type."""
        return GroupResource(self.group_version.group, self.kind.plural)

    @cached_property
    def store_name(self) -> str:
        """What the store files it under: ``pods``, ``deployments.apps``; the same for all versions of a kind."""
        return str(self.hub.group_resource)

    @cached_property
    def api_version(self) -> str:
        """As objects carry it."""
        return str(self.group_version)

    @cached_property
    def compiled(self) -> Compiled:
        """The schema, ready to run. Compiled at first use."""
        return compile_struct(object_struct(self.kind.schema))

    @cached_property
    def topology(self) -> Fields:
        """How objects of this kind merge in server-side apply."""
        return topology(object_struct(self.kind.schema))

    @cached_property
    def prefix(self) -> bytes:
        """What each encoded object of this kind begins with; items of a list are served without it."""
        return encode({"kind": self.kind.name, "apiVersion": self.api_version})[:-1] + b","

    @cached_property
    def gvk(self) -> GroupVersionKind:
        """Of its objects."""
        return GroupVersionKind(*self.group_version, self.kind.name)

    @cached_property
    def windows(self) -> dict[str, Window]:
        """Its sub-resources by name."""
        return {declared.name: self._window(declared) for declared in self.kind.subresources}

    def _window(self, declared: Subresource) -> Window:
        group = declared.group
        group_version = self.group_version if group is None else GroupVersion(group.name(self.dialect), group.version)
        return Window(
            declared.name,
            declared,
            GroupVersionKind(*group_version, declared.kind or self.kind.name),
            None if declared.body is None else compile_struct(object_struct(declared.body)),
            FieldFilter.of(declared.writes, declared.resets),
        )

    @cached_property
    def has_status(self) -> bool:
        """Whether status is kept apart from the rest."""
        return "status" in self.windows

    @cached_property
    def written(self) -> FieldFilter:
        """The fields that are written through the object itself."""
        return FieldFilter.of(resets=("status",) if self.has_status else ())

    def stamp(self, obj: Object) -> None:
        """Make ``kind`` and ``apiVersion`` what they must be."""
        obj["kind"] = self.kind.name
        obj["apiVersion"] = self.api_version


def _bind(dialect: Dialect, kinds: tuple[Kind, ...]) -> tuple[Resource, ...]:
    """Every kind in this dialect; versions that are converted know the one they are converted to."""

    def bound(kind: Kind, stored: Resource | None) -> Resource:
        group_version = GroupVersion(kind.group.name(dialect), kind.group.version)
        deprecated = kind.deprecated.text(f"{group_version} {kind.name}", dialect) if kind.deprecated else ""
        return Resource(kind, group_version, dialect, stored, deprecated)

    hubs = {id(kind): bound(kind, None) for kind in kinds if kind.conversion is None}
    return tuple(hubs[id(kind)] if kind.conversion is None else bound(kind, hubs[id(kind.conversion.stored_as)]) for kind in kinds)


class Scheme:
    """The kinds of one cluster, found by what requests name them."""

    def __init__(self, dialect: Dialect, kinds: Iterable[Kind], runtime_config: Iterable[str] = ()) -> None:
        """``runtime_config`` switches versions and resources on and off; raises `RuntimeConfigError` for what it can't mean."""
        self.dialect = dialect
        known = _bind(dialect, tuple(kinds))
        config = RuntimeConfig.parse(runtime_config, ((r.group_version, r.kind.plural) for r in known))
        self.resources = tuple(r for r in known if config.serves(r.group_version, r.kind.plural))
        self._by_path = {(r.group_version.group, r.group_version.version, r.kind.plural): r for r in self.resources}
        self._by_kind = {(r.group_version.group, r.group_version.version, r.kind.name): r for r in self.resources}
        self._by_store_name: dict[str, Resource] = {}
        for resource in self.resources:
            self._by_store_name.setdefault(resource.store_name, resource.hub)
        # A version that is switched off may still own fields: what it knows is known, served or not.
        self._by_store_version = {(r.store_name, r.api_version): r for r in known}

    def find(self, group_version: GroupVersion, plural: str) -> Resource | None:
        """By what a URL names."""
        return self._by_path.get((*group_version, plural))

    def find_kind(self, group_version: GroupVersion, kind: str) -> Resource | None:
        """By what an object says it is."""
        return self._by_kind.get((*group_version, kind))

    def stored(self, store_name: str) -> Resource | None:
        """By what the store files it under: in the version its objects are stored in."""
        return self._by_store_name.get(store_name)

    def version(self, resource: Resource, api_version: str) -> Resource | None:
        """The same kind in another of its versions."""
        return self._by_store_version.get((resource.store_name, api_version))

    def group_versions(self) -> dict[str, list[str]]:
        """Versions by group, in order of declaration: the core group first, the preferred version first."""
        found: dict[str, list[str]] = {}
        for resource in self.resources:
            versions = found.setdefault(resource.group_version.group, [])
            if resource.group_version.version not in versions:
                versions.append(resource.group_version.version)
        return found
