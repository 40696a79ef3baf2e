"""Aggregated discovery: everything about all groups in one answer, as kubectl asks for it, in versions v2 and v2beta1."""

from collections.abc import Sequence

from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Subresource
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Scheme
from svcsim.server.discovery.documents import singular
from svcsim.server.discovery.published import Published

VERSIONS = ("v2", "v2beta1")
KIND = "APIGroupDiscoveryList"


def aggregated(scheme: Scheme, published: Published, version: str, *, core: bool) -> Object:
    """The core group (``/api``), or all named ones (``/apis``)."""
    groups = [
        {
            "metadata": {"name": name} if name else {},
            "versions": [_version(scheme, published, GroupVersion(name, version)) for version in versions],
        }
        for name, versions in published.groups.items()
        if (name == "") is core
    ]
    return {"kind": KIND, "apiVersion": f"{scheme.dialect.group('apidiscovery')}/{version}", "metadata": {}, "items": groups}


def _version(scheme: Scheme, published: Published, group_version: GroupVersion) -> Object:
    remote = published.remote.get(group_version)
    if remote is None:
        resources, current = [_resource(scheme, resource) for resource in scheme.resources_of(group_version)], True
    else:
        resources, current = of_list(group_version, remote.entries), remote.current
    return {"version": group_version.version, "resources": resources, "freshness": "Current" if current else "Stale"}


def of_list(group_version: GroupVersion, entries: Sequence[Object]) -> list[Object]:
    """The entries of an ``APIResourceList`` in this form: subresources stand within what they belong to."""
    found: dict[str, Object] = {}
    for entry in entries:
        name, _, subresource = str(entry["name"]).partition("/")
        kind = _kind(
            GroupVersion(entry.get("group") or group_version.group, entry.get("version") or group_version.version), entry.get("kind") or ""
        )
        one = found.setdefault(name, {"resource": name})
        if subresource:
            below = {"subresource": subresource, "responseKind": kind, "verbs": entry.get("verbs") or []}
            one.setdefault("subresources", []).append(below)
            one.setdefault("scope", "Namespaced" if entry.get("namespaced") else "Cluster")
            continue
        one |= {
            "responseKind": kind,
            "scope": "Namespaced" if entry.get("namespaced") else "Cluster",
            "singularResource": entry.get("singularName") or "",
            "verbs": entry.get("verbs") or [],
        }
        one |= {key: entry[key] for key in ("shortNames", "categories") if entry.get(key)}
    return list(found.values())


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
        "responseKind": _kind(group_version, subresource.kind or resource.name),
        "verbs": sorted(subresource.verbs),
    }


def _kind(group_version: GroupVersion, kind: str) -> Object:
    return {"group": group_version.group, "version": group_version.version, "kind": kind}
