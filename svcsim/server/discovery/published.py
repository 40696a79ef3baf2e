"""What discovery publishes: the versions of groups that this server has, and those that servers behind it answer for.

Groups stand in the order in which clients prefer them, as their APIServices say, and so do the versions of each.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.meta.api_versions import version_priority
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.remotes import Remotes

_FIRST = (1 << 31, 1 << 31)
"""The priority of the group of APIServices, which has none itself."""
_LAST = (0, 0)
"""The priority of what has only just come, and will have its APIService in a moment."""


class RemoteResources(NamedTuple):
    """What a server behind this one has said it serves of a version."""

    entries: list[Object]
    """As an ``APIResourceList`` has them."""
    current: bool
    """Whether it can be reached now."""


class Published(NamedTuple):
    """Versions by group, in order, and what is known of those of others."""

    groups: Mapping[str, tuple[str, ...]]
    remote: Mapping[GroupVersion, RemoteResources] = MappingProxyType({})


def published(scheme: Scheme, remotes: Remotes | None) -> Published:
    """Everything, as it stands now."""
    if remotes is None or not remotes.priorities:
        return Published(scheme.group_versions())
    remote = {one: RemoteResources(remotes.resources_of(one), found.available) for one, found in remotes.versions.items()}
    own = (GroupVersion(group, version) for group, versions in scheme.group_versions().items() for version in versions)
    by_group: dict[str, list[GroupVersion]] = {}
    for one in dict.fromkeys((*own, *remote)):
        by_group.setdefault(one.group, []).append(one)

    priorities = {GroupVersion(scheme.dialect.group("apiregistration"), "v1"): _FIRST, **remotes.priorities}

    def group_rank(group: str) -> tuple[int, str]:
        return -max(priorities.get(one, _LAST)[0] for one in by_group[group]), group

    ordered = sorted(by_group, key=group_rank)
    return Published({group: _in_order(by_group[group], remotes) for group in ordered}, remote)


def published_versions(scheme: Scheme, remotes: Remotes | None, group: str) -> tuple[str, ...]:
    """The versions of one group, in order; none if there is no such group."""
    own = scheme.group_versions().get(group, ())
    if remotes is None:
        return own
    return _in_order(dict.fromkeys((*(GroupVersion(group, version) for version in own), *remotes.of_group(group))), remotes)


def _in_order(group_versions: Iterable[GroupVersion], remotes: Remotes) -> tuple[str, ...]:
    """The versions of one group, the preferred one first."""

    def rank(one: GroupVersion) -> tuple[int, tuple[int, int, int, str]]:
        return -remotes.priorities.get(one, _LAST)[1], version_priority(one.version)

    return tuple(one.version for one in sorted(group_versions, key=rank))
