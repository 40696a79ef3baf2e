"""From a method and a path to what is asked: verb, resource type, namespace, name, subresource.

All the URI shapes of the API are taken apart here and nowhere else. What is no resource path (health, version, discovery) keeps its
path and gets the HTTP method as its verb. Nothing is looked up: whether such a resource exists is decided later, after authorization.
"""

from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import unquote

from svcsim import limits
from svcsim.server.requests.query import Query, flag, parse_query

_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_OF_NAMESPACES = ("status", "finalize")
"""Subresources of a Namespace itself: ``namespaces/NAME/status`` is no collection in a namespace."""
READING = ("get", "list", "watch")
"""Verbs that change nothing."""
RequestLine: TypeAlias = tuple[str, str, str]
"""Method, path and query as they came."""


@dataclass(slots=True)
class RequestInfo:
    """What a request asks; shared by requests that ask the same. ``verb`` is empty for a method the API doesn't have."""

    verb: str
    path: str
    """Percent-decoded."""
    query: Query
    is_resource: bool = False
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows the subresource, with the slash before it, for those that have paths of their own."""
    line: RequestLine | None = field(default=None, compare=False)
    """By what something may be remembered of requests that ask the same; only short lines are."""


def read_request_info(method: str, path: str, raw_query: str) -> RequestInfo:
    """Take a request's line apart. ``path`` may be percent-encoded."""
    if "%" in path:
        path = unquote(path)
    query = parse_query(raw_query)
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) > 2:
        info = RequestInfo(_VERBS.get(method, ""), path, query, True, "", parts[1])
        _read_resource(info, parts[2:])
    elif parts[0] == "apis" and len(parts) > 3:
        info = RequestInfo(_VERBS.get(method, ""), path, query, True, parts[1], parts[2])
        _read_resource(info, parts[3:])
    else:
        return RequestInfo(method.lower(), path, query)
    if "//" in path.removesuffix(info.rest):  # a part of it is empty: nothing has such a path
        return RequestInfo(method.lower(), path, query)
    return info


class RequestInfos:
    """Takes request lines apart, and remembers some: clients ask the same again and again."""

    def __init__(self) -> None:
        self._known: dict[RequestLine, RequestInfo] = {}

    def read(self, method: str, path: str, raw_query: str) -> RequestInfo:
        """As `read_request_info` does it."""
        line: RequestLine = (method, path, raw_query)
        found = self._known.get(line)
        if found is None:
            found = read_request_info(method, path, raw_query)
            if len(path) + len(raw_query) <= limits.REQUEST_LINE_CHARS:
                if len(self._known) >= limits.REQUEST_LINES:
                    self._known.clear()
                self._known[line] = found
                found.line = line
        return found


def _read_resource(info: RequestInfo, parts: list[str]) -> None:
    """``namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE`` or ``RESOURCE/NAME/SUBRESOURCE``, each of them open at its end.

    ``watch/`` before it is the older way of asking for a watch.
    """
    watching = parts[0] == "watch" and len(parts) > 1 and info.verb == "get"
    if watching:
        parts = parts[1:]
    if parts[0] == "namespaces" and len(parts) > 1:
        info.namespace = parts[1]
        if len(parts) > 2 and parts[2] not in _OF_NAMESPACES:
            parts = parts[2:]
    count = len(parts)
    info.resource = parts[0]
    if count > 1:
        info.name = parts[1]
        if count > 2:
            info.subresource = parts[2]
            if count > 3 or info.path.endswith("/"):
                info.rest = "".join(f"/{part}" for part in parts[3:]) + info.path[len(info.path.rstrip("/")) :]
    if info.verb == "get":
        if (watching or (info.query and flag(info.query, "watch"))) and not info.subresource:
            info.verb = "watch"
        elif not info.name:
            info.verb = "list"
    elif info.verb == "delete" and not info.name:
        info.verb = "deletecollection"
