"""What OpenAPI documents call things: the packages of types, and groups as a part of an operation's name.

Clients know built-in types by names made of the first label of their group (``io.k8s.api.rbac.v1.Role``). Only kinds declared in the
dialect's own groups are named so. Any other group is a domain of somebody's, and its types are named by that domain, reversed
(``io.acme.apps.v1.Widget``): ``apps.acme.io`` has nothing to do with ``apps``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from svcsim.clock import turn
from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersionKind
from svcsim.registry.kind import Group
from svcsim.registry.resource import Resource
from svcsim.schema.common import (
    API_GROUP_LIST,
    API_RESOURCE_LIST,
    API_VERSIONS,
    DELETE_OPTIONS,
    PATCH,
    STATUS,
    WATCH_EVENT,
    list_struct,
    object_struct,
)
from svcsim.schema.type_names import TypeNames
from svcsim.schema.types import Struct
from svcsim.server.openapi.version_info import VERSION_INFO


def library_package(dialect: Dialect) -> str:
    """Package of the packages whose types all groups use: ``io.k8s.apimachinery.pkg``."""
    return f"{_reversed(dialect.group_suffix)}.apimachinery.pkg"


class Naming(NamedTuple):
    """What everything is called in all documents, as long as the same resource types are served."""

    served: tuple[Resource, ...]
    types: TypeNames
    kinds: Mapping[str, GroupVersionKind]
    """The kind of the objects that a type describes, by the type's name."""
    selectable: Mapping[str, tuple[str, ...]]
    """Fields that field selectors may name, by the name of the type of a definition's objects."""


async def naming(dialect: Dialect, known: Iterable[Resource], served: tuple[Resource, ...]) -> Naming:
    """``known`` are all resource types there are, in their order. Others have their turn in between."""
    types = TypeNames(library_package(dialect))
    lists: list[tuple[Struct, str]] = []
    for resource in known:
        package = package_of(dialect, resource.kind.group)
        types.add(object_struct(resource.kind.schema), package)
        for subresource in resource.kind.subresources:
            if subresource.body is not None:
                types.add(object_struct(subresource.body), package_of(dialect, subresource.group or resource.kind.group))
        if "list" in resource.kind.verbs:
            lists.append((list_struct(resource.kind.schema, resource.kind.list_name), package))
        await turn()
    for struct, package in lists:
        types.add(struct, package)
        await turn()
    for struct in (STATUS, DELETE_OPTIONS, WATCH_EVENT, PATCH, API_RESOURCE_LIST, API_VERSIONS, API_GROUP_LIST):
        types.add(struct, types.shared_package)
    types.add(VERSION_INFO, f"{types.library}.version")
    kinds: dict[str, GroupVersionKind] = {}
    selectable: dict[str, tuple[str, ...]] = {}
    for resource in served:
        if resource.kind.custom and resource.kind.selectable:
            selectable[types.name(object_struct(resource.kind.schema))] = tuple(field.path for field in resource.kind.selectable)
        kinds |= {types.name(struct): kind for struct, kind in _kinds(dialect, resource)}
        await turn()
    return Naming(served, types, kinds, selectable)


def _kinds(dialect: Dialect, resource: Resource) -> Iterator[tuple[Struct, GroupVersionKind]]:
    """The types that describe objects of a kind, as far as one resource type has to do with them."""
    schema = resource.kind.schema
    yield object_struct(schema), resource.gvk
    if "list" in resource.kind.verbs:
        yield list_struct(schema, resource.kind.list_name), resource.gvk._replace(kind=resource.kind.list_name)
    for subresource in resource.kind.subresources:
        if subresource.body is not None:
            group = subresource.group or resource.kind.group
            yield object_struct(subresource.body), GroupVersionKind(group.name(dialect), group.version, subresource.kind or resource.name)


def package_of(dialect: Dialect, group: Group) -> str:
    """Package of one version of a group."""
    if group.suffixed or "." not in group.base:
        label = group.base.partition(".")[0] or "core"
        server = {"apiextensions": "apiextensions-apiserver", "apiregistration": dialect.aggregator}.get(label)
        if server is not None:  # these came with servers of their own
            return f"{_reversed(dialect.group_suffix)}.{server}.pkg.apis.{label}.{group.version}"
        return f"{_reversed(dialect.group_suffix)}.api.{label}.{group.version}"
    return f"{_reversed(group.base)}.{group.version}"


def group_words(dialect: Dialect, group: str) -> str:
    """A group as a part of a name: ``RbacAuthorization``, ``AcmeIo``."""
    base = group.removesuffix(f".{dialect.group_suffix}") or "core"
    return "".join(camel(part) for part in base.split("."))


def camel(word: str) -> str:
    """The word with a capital."""
    return word[:1].upper() + word[1:]


def _reversed(domain: str) -> str:
    return ".".join(reversed(domain.split(".")))
