"""Aggregated discovery: everything about all groups in one answer, as kubectl asks for it, in versions v2 and v2beta1."""

from collections.abc import Sequence

from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Subresource
from svcsim.registry.scheme import Resource, Scheme
from svcsim.server.discovery.documents import singular

VERSIONS = ("v2", "v2beta1")
KIND = "APIGroupDiscoveryList"


def aggregated(scheme: Scheme, version: str, *, core: bool) -> Object:
    """The core group (``/api``), or all named ones (``/apis``)."""
    groups = [
        {
            "metadata": {"name": name} if name else {},
            "versions": _versions(scheme, name, versions),
        }
        for name, versions in scheme.group_versions().items()
        if (name == "") is core
    ]
    return {"kind": KIND, "apiVersion": f"{scheme.dialect.group('apidiscovery')}/{version}", "metadata": {}, "items": groups}


def _versions(scheme: Scheme, group: str, versions: Sequence[str]) -> list[Object]:
    return [
        {
            "version": version,
            "resources": [_resource(scheme, resource) for resource in scheme.resources_of(GroupVersion(group, version))],
            "freshness": "Current",
        }
        for version in versions
    ]


def _resource(scheme: Scheme, resource: Resource) -> Object:
    kind = resource.kind
    entry: Object = {
        "resource": kind.plural,
        "responseKind": _kind(resource.group_version, kind.name),
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": singular(resource),
        "verbs": sorted(kind.verbs),
    }
    if kind.short:
        entry["shortNames"] = list(kind.short)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    if kind.subresources:
        entry["subresources"] = [_subresource(scheme, resource, subresource) for subresource in kind.subresources]
    return entry


def _subresource(scheme: Scheme, resource: Resource, subresource: Subresource) -> Object:
    group_version = resource.group_version
    if subresource.group is not None:
        group_version = GroupVersion(subresource.group.name(scheme.dialect), subresource.group.version)
    return {
        "subresource": subresource.name,
        "responseKind": _kind(group_version, subresource.kind or resource.kind.name),
        "verbs": sorted(subresource.verbs),
    }


def _kind(group_version: GroupVersion, kind: str) -> Object:
    return {"group": group_version.group, "version": group_version.version, "kind": kind}
