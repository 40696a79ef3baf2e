"""What OpenAPI documents call things: the packages of types, and groups as a part of an operation's name.

Clients know built-in types by names made of the first label of their group (``io.k8s.api.rbac.v1.Role``). Only kinds declared in the
dialect's own groups are named so. Any other group is a domain of somebody's, and its types are named by that domain, reversed
(``io.acme.apps.v1.Widget``): ``apps.acme.io`` has nothing to do with ``apps``.
"""

from collections.abc import Iterable

from svcsim.clock import turn
from svcsim.dialect import Dialect
from svcsim.registry.kind import Group
from svcsim.registry.scheme import Resource
from svcsim.schema.common import object_struct
from svcsim.schema.type_names import TypeNames


def library_package(dialect: Dialect) -> str:
    """Package of the packages whose types all groups use: ``io.k8s.apimachinery.pkg``."""
    return f"{_reversed(dialect.group_suffix)}.apimachinery.pkg"


async def names_of_types(dialect: Dialect, resources: Iterable[Resource]) -> TypeNames:
    """What the types of these resource types, in their order, are called in every document. Others have their turn in between."""
    names = TypeNames(library_package(dialect))
    for resource in resources:
        package = package_of(dialect, resource.kind.group)
        names.add(object_struct(resource.kind.schema), package)
        for subresource in resource.kind.subresources:
            if subresource.body is not None:
                names.add(object_struct(subresource.body), package_of(dialect, subresource.group or resource.kind.group))
        await turn()
    return names


def package_of(dialect: Dialect, group: Group) -> str:
    """Package of one version of a group."""
    if group.suffixed or "." not in group.base:
        label = group.base.partition(".")[0] or "core"
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
