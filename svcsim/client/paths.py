"""Where things are on an API server: paths and query strings from what is asked. Shared by the clients that wait and those that don't."""

import re
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import quote, unquote, urlencode

from svcsim.meta.go_values import query_text

Options: TypeAlias = Mapping[str, str | int | float | bool | None]
"""Query parameters by name."""

PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
"""Media types of patches, by the names kubectl gives them."""

AUDIT = "/svcsim/v1/audit"
CLOCK = "/svcsim/v1/clock"
FAULTS = "/svcsim/v1/faults"
JOURNAL = "/svcsim/v1/journal"
NODES = "/svcsim/v1/nodes"
SCHEDULE = "/svcsim/v1/schedule"
STATUS = "/svcsim/v1/status"
WHY = "/svcsim/v1/why"
"""What only a simulated cluster has."""
_OF_NAMESPACES = ("status", "finalize")
"""Subresources of namespaces, which no resource within them is called."""
_PLAIN = re.compile("[A-Za-z0-9._-]*").fullmatch
"""What stands in a path as it is; nearly all names do."""


def group_path(api_version: str) -> str:
    """``v1`` → ``/api/v1``, ``apps/v1`` → ``/apis/apps/v1``."""
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def resource_path(api_version: str, plural: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """The path of a collection, an object or a subresource."""
    path = group_path(api_version)
    if namespace:
        path = f"{path}/namespaces/{namespace if _PLAIN(namespace) else quote(namespace, safe='')}"
    return path_within(f"{path}/{plural}", name, subresource)


def path_within(collection: str, name: str, subresource: str) -> str:
    """The path of an object or a subresource, where that of the collection is known; without any name, the collection's own."""
    path = collection
    if name:
        path = f"{path}/{name if _PLAIN(name) else quote(name, safe=':')}"
    return f"{path}/{subresource}" if subresource else path


def asked(method: str, path: str) -> str:
    """What a request is about, as messages tell it: ``get deployments.apps web``. Empty for what is about no resource."""
    root, _, rest = path.strip("/").partition("/")
    parts = [unquote(part) for part in rest.split("/")]
    group = parts.pop(0) if root == "apis" else ""
    parts = parts[1:]  # the version
    if len(parts) > 2 and parts[0] == "namespaces" and parts[2] not in _OF_NAMESPACES:
        parts = parts[2:]
    if root not in ("api", "apis") or not parts:
        return ""
    return " ".join([method.lower(), f"{parts[0]}.{group}" if group else parts[0], *parts[1:2]])


def query_string(options: Options) -> str:
    """Options as a raw query string; empty, zero and false ones are left out, as the API's defaults are."""
    return urlencode([(name, query_text(value)) for name, value in options.items() if value])


def watch_options(resource_version: str, label_selector: str, field_selector: str, timeout_s: int, *, bookmarks: bool) -> Options:
    """The parameters of a watch from a revision."""
    return {
        "watch": True,
        "resourceVersion": resource_version,
        "labelSelector": label_selector,
        "fieldSelector": field_selector,
        "timeoutSeconds": timeout_s,
        "allowWatchBookmarks": bookmarks,
    }
