"""Discovery: which groups, versions and resource types there are, in the plain form.

Everything follows from the scheme. The aggregated form, one request instead of one a group, is in `svcsim.server.discovery.aggregated`.
"""

import base64
import hashlib
from collections.abc import Sequence
from operator import itemgetter

from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Subresource
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Change, Scheme
from svcsim.server.discovery.published import Published

_HASH_BYTES = 8


def api_versions() -> Object:
    """``/api``: the versions of the core group."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    }


def api_group_list(published: Published) -> Object:
    """``/apis``: all named groups."""
    groups = [_group(name, versions) for name, versions in published.groups.items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def api_group(name: str, versions: Sequence[str]) -> Object:
    """``/apis/GROUP``."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}


def _group(name: str, versions: Sequence[str]) -> Object:
    spelled = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": spelled, "preferredVersion": spelled[0]}


class Entries:
    """What lists say of resource types and of their subresources, made once for each as long as it is served. Not to be changed."""

    def __init__(self, scheme: Scheme) -> None:
        self._known: dict[Resource, list[Object]] = {}
        scheme.on_change(self._follow)

    def _follow(self, change: Change) -> None:
        for resource in change.gone:
            self._known.pop(resource, None)

    def of(self, resource: Resource) -> list[Object]:
        entries = self._known.get(resource)
        if entries is None:
            below = (_api_subresource(resource, subresource) for subresource in resource.kind.subresources)
            entries = self._known[resource] = [_api_resource(resource), *below]
        return entries


def api_resource_list(scheme: Scheme, entries: Entries, group_version: GroupVersion) -> Object:
    """``/api/v1`` or ``/apis/GROUP/VERSION``: the resource types and their subresources, by name."""
    resources = [entry for resource in scheme.resources_of(group_version) for entry in entries.of(resource)]
    resources.sort(key=itemgetter("name"))
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": str(group_version), "resources": resources}


def singular(resource: Resource) -> str:
    """What one object of the type is called."""
    return resource.kind.singular or resource.name.lower()


def _api_resource(resource: Resource) -> Object:
    kind = resource.kind
    entry: Object = {
        "name": kind.plural,
        "singularName": singular(resource),
        "namespaced": kind.namespaced,
        "kind": kind.name,
        "verbs": sorted(kind.verbs),
    }
    if kind.short:
        entry["shortNames"] = list(kind.short)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    if not (kind.answered or kind.worked_out):
        entry["storageVersionHash"] = _storage_version_hash(resource.storage_version)
    return entry


def _storage_version_hash(stored: Resource) -> str:
    """Tells clients when objects of a kind begin to be stored in another version; it says nothing else."""
    group, version = stored.group_version
    digest = hashlib.sha256(f"{group}/{version}/{stored.name}".encode()).digest()
    return base64.b64encode(digest[:_HASH_BYTES]).decode()


def _api_subresource(resource: Resource, subresource: Subresource) -> Object:
    entry: Object = {"name": f"{resource.plural}/{subresource.name}", "singularName": "", "namespaced": resource.namespaced}
    group_version = resource.windows[subresource.name].gvk.group_version
    if group_version != resource.group_version:
        entry["group"], entry["version"] = group_version
    entry["kind"] = subresource.kind or resource.name
    entry["verbs"] = sorted(subresource.verbs)
    return entry
