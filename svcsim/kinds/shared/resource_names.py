"""Names of resources, where something is said of them for a namespace: what may be limited, counted and restricted there."""

from collections.abc import Iterator
from typing import Final

from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.extended_resources import is_extended, is_native
from svcsim.meta.names import qualified_name

_NODE: Final = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES: Final = "hugepages-"
_OBJECTS: Final = (
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
)
"""Resources whose objects a quota counts."""
_QUOTA: Final = (*_NODE, *(f"{part}.{name}" for part in ("requests", "limits") for name in _NODE), "requests.storage", *_OBJECTS)
_STANDARD: Final = (*_QUOTA, "storage")


def is_quota_resource(name: str) -> bool:
    """Whether it is one of those a quota knows without a domain."""
    return name in _QUOTA or name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}"))


def is_overcommitted(name: str, dialect: Dialect) -> bool:
    """Whether a limit may be more than the request: so for the node's own resources, not for huge pages and devices."""
    return is_native(name, dialect) and not name.startswith(_HUGE_PAGES)


def is_whole(name: str, dialect: Dialect) -> bool:
    """Whether there are only whole ones: objects and devices."""
    return name in _OBJECTS or is_extended(name, dialect)


def resource_name(name: str, path: str) -> Iterator[FieldError]:
    """The name of any resource."""
    if findings := qualified_name(name):
        yield from (invalid_value(path, name, finding) for finding in findings)
    elif "/" not in name and name not in _STANDARD and not is_quota_resource(name):
        yield invalid_value(path, name, "must be a standard resource type or fully qualified")


def container_resource_name(name: str, path: str, dialect: Dialect) -> Iterator[FieldError]:
    """The name of a resource that containers ask for."""
    yield from resource_name(name, path)
    if "/" not in name:
        if name not in _NODE and not name.startswith(_HUGE_PAGES):
            yield invalid_value(path, name, "must be a standard resource for containers")
    elif not is_native(name, dialect) and not is_extended(name, dialect):
        yield invalid_value(path, name, "doesn't follow extended resource name standard")


def quota_resource_name(name: str, path: str) -> Iterator[FieldError]:
    """The name of a resource that a quota limits."""
    yield from resource_name(name, path)
    if "/" not in name and not is_quota_resource(name):
        yield invalid_value(path, name, "must be a standard resource for quota")
