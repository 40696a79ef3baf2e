"""The parts of OpenAPI documents of one form: what they say of each resource type, and of each type, encoded.

A part is built once and kept while its sources stay: the `Resource`, which is the same as long as its definition doesn't change, and the
names of types. So if one definition among hundreds changes, one resource type is described again.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import turn
from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersionKind, Object
from svcsim.registry.resource import Resource
from svcsim.schema.openapi import Schemas
from svcsim.schema.types import Type
from svcsim.server.openapi.discovery_paths import place
from svcsim.server.openapi.forms import Form
from svcsim.server.openapi.names import Naming
from svcsim.server.openapi.resource_paths import ResourcePaths


class Contents(NamedTuple):
    """What makes a document: entries by path, and by the name of a type."""

    paths: dict[str, bytes]
    types: dict[str, bytes]


class _Paths(NamedTuple):
    entries: dict[str, bytes]
    types: tuple[str, ...]
    """The names of the types that the paths speak of."""

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.entries.values()))


class _Type(NamedTuple):
    owner: Type | None
    kind: GroupVersionKind | None
    selectable: tuple[str, ...] | None
    entry: bytes
    refers_to: tuple[str, ...]


class Parts:
    """Describes what there is no part of yet, and keeps it."""

    def __init__(self, dialect: Dialect, form: Form, names: Naming) -> None:
        self._dialect = dialect
        self._form = form
        self._resources: dict[Resource, _Paths] = {}
        self._types: dict[str, _Type] = {}
        self._bytes = 0
        self._use(names)

    def _use(self, names: Naming) -> None:
        self._names = names
        self._schemas = Schemas(self._form.version, self._dialect.extension_prefix, names.types)

    def follow(self, names: Naming) -> None:
        """Forget what isn't as it was. Where types have got other names, that is everything."""
        if names is self._names:
            return
        stays = names.types.keeps(self._names.types)
        self._use(names)
        served = dict.fromkeys(names.served) if stays else {}
        self._resources = {resource: paths for resource, paths in self._resources.items() if resource in served}
        self._types = {name: one for name, one in self._types.items() if stays and self._is_current(name, one)}
        self._bytes = sum([paths.size_bytes for paths in self._resources.values()]) + sum([len(one.entry) for one in self._types.values()])

    def _is_current(self, name: str, one: _Type) -> bool:
        names = self._names
        same = names.types.owner(name) is one.owner and names.kinds.get(name) == one.kind
        return same and names.selectable.get(name) == one.selectable

    async def contents(self, resources: Iterable[Resource], places: Iterable[str] = ()) -> Contents:
        """All about some resource types, and paths of discovery. Others have their turn while parts are being described."""
        paths: dict[str, bytes] = {}
        waiting: list[str] = []
        for path in places:
            described = place(self._dialect, self._schemas, path)
            paths[path] = self._form.path(path, described.item)
            waiting += described.types
        for resource in resources:
            about = self._resources.get(resource)
            if about is None:
                about = self._describe(resource)
                await turn()
            paths |= about.entries
            waiting += about.types
        return Contents(paths, await self._all_of(waiting))

    async def _all_of(self, waiting: list[str]) -> dict[str, bytes]:
        """Types, and all they refer to."""
        found: dict[str, bytes] = {}
        described = 0
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            one = self._types.get(name)
            if one is None:
                one = self._describe_type(name)
                described += 1
                if described % limits.OPENAPI_SLICE == 0:
                    await turn()
            found[name] = one.entry
            waiting += one.refers_to
        return found

    def schema(self, name: str) -> Object:
        """A type as it stands in the document, before it is encoded."""
        return self._schemas.described(name, self._extensions(name)).schema

    def _extensions(self, name: str) -> Object:
        kind, selectable = self._names.kinds.get(name), self._names.selectable.get(name)
        found: Object = {}
        if kind is not None:
            found["group-version-kind"] = [{"group": kind.group, "kind": kind.kind, "version": kind.version}]
        if selectable is not None:
            found["selectable-fields"] = [{"fieldPath": path} for path in selectable]
        return found

    def _describe(self, resource: Resource) -> _Paths:
        about = ResourcePaths(self._dialect, self._schemas, resource)
        entries = {path: self._form.path(path, item) for path, item in about.by_path.items()}
        paths = _Paths(entries, tuple(about.types))
        if self._has_room(paths.size_bytes):
            self._resources[resource] = paths
        return paths

    def _describe_type(self, name: str) -> _Type:
        schema, refers_to = self._schemas.described(name, self._extensions(name))
        names = self._names
        one = _Type(names.types.owner(name), names.kinds.get(name), names.selectable.get(name), self._form.type(name, schema), refers_to)
        if self._has_room(len(one.entry)):
            self._types[name] = one
        return one

    def _has_room(self, size_bytes: int) -> bool:
        """Whether a part may be kept; those that may not are described anew for every document."""
        if self._bytes + size_bytes > limits.OPENAPI_PARTS_BYTES:
            return False
        self._bytes += size_bytes
        return True
