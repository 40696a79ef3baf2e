"""From what is asked to who answers: the target of a request, checked against its kind, and the verb's handler."""

from collections.abc import Iterable

from svcsim import limits
from svcsim.meta.errors import StatusError, definition_terminating, method_not_allowed, path_not_found
from svcsim.meta.types import GroupVersion
from svcsim.registry.options import Target
from svcsim.registry.resource import Resource, Window
from svcsim.registry.scheme import Scheme
from svcsim.server.requests.call import Verb
from svcsim.server.requests.request_info import RequestInfo, RequestLine
from svcsim.server.verbs.create import create
from svcsim.server.verbs.delete import delete, delete_collection
from svcsim.server.verbs.handle import handle
from svcsim.server.verbs.patch import patch
from svcsim.server.verbs.reads import get, list_, watch
from svcsim.server.verbs.update import update
from svcsim.server.verbs.worked_out import WORKED_OUT_VERBS

VERBS: dict[str, Verb] = {
    "get": get,
    "list": list_,
    "watch": watch,
    "create": create,
    "update": update,
    "patch": patch,
    "delete": delete,
    "deletecollection": delete_collection,
}
_OF_OBJECTS = ("get", "watch", "update", "patch", "delete")
_OF_COLLECTIONS = ("list", "watch", "create", "deletecollection")
_METHODS = {
    "get": ("GET", "HEAD"),
    "list": ("GET", "HEAD"),
    "watch": ("GET", "HEAD"),
    "create": ("POST",),
    "update": ("PUT",),
    "patch": ("PATCH",),
    "delete": ("DELETE",),
    "deletecollection": ("DELETE",),
}
_IN_A_NAMESPACE = ("create", "deletecollection")
"""What, for a namespaced kind, is done in one namespace only."""


class UnknownGroupError(Exception):
    """A path names a group that isn't served at all: nobody here knows what such a path means."""


def find_resource(scheme: Scheme, info: RequestInfo) -> Resource:
    """The resource type a path names, if its scope fits the path. Raises 404, and `UnknownGroupError`."""
    resource = scheme.find(GroupVersion(info.group, info.version), info.resource)
    if resource is None:
        if info.group not in scheme.group_versions():
            raise UnknownGroupError
        raise path_not_found()
    if resource.namespaced:
        if not info.namespace and (info.name or info.subresource):
            raise path_not_found()
    elif info.namespace and (info.resource, info.name) != ("namespaces", info.namespace):
        raise path_not_found()
    return resource


def route(scheme: Scheme, info: RequestInfo) -> tuple[Target, Verb]:
    """Where a request goes and what answers it there. Raises 404 and 405."""
    resource = find_resource(scheme, info)
    namespace = info.namespace if resource.namespaced else ""
    if info.subresource:
        window = resource.windows.get(info.subresource)
        if window is None or (info.rest.strip("/") and not window.declared.below):
            raise path_not_found()
        return Target(resource, namespace, info.name, window), _window_verb(window, info.verb)
    verb = info.verb
    fits = _OF_OBJECTS if info.name else _OF_COLLECTIONS
    if verb not in fits or verb not in resource.kind.verbs or (verb in _IN_A_NAMESPACE and resource.namespaced and not namespace):
        if verb == "create" and resource.kind.custom and verb in fits and verb not in resource.kind.verbs:
            raise definition_terminating(resource.group_resource, verb)
        anywhere = not info.name and resource.namespaced and not namespace
        raise _not_allowed(one for one in fits if one in resource.kind.verbs and not (anywhere and one in _IN_A_NAMESPACE))
    return Target(resource, namespace, info.name), (WORKED_OUT_VERBS if resource.kind.worked_out else VERBS)[verb]


class Routes:
    """Remembers where some requests go, for as long as what is served stays as it is."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._known: dict[RequestLine, tuple[Target, Verb]] = {}
        scheme.on_change(lambda _: self._known.clear())

    def find(self, info: RequestInfo) -> tuple[Target, Verb]:
        """As `route` does it."""
        if info.line is None:
            return route(self._scheme, info)
        found = self._known.get(info.line)
        if found is None:
            if len(self._known) >= limits.REQUEST_LINES:
                self._known.clear()
            found = self._known[info.line] = route(self._scheme, info)
        return found

    def hands_on(self, info: RequestInfo) -> bool:
        """Whether a request, with all it holds, goes on to what an object stands for."""
        resource = self._scheme.find(GroupVersion(info.group, info.version), info.resource) if info.subresource else None
        window = None if resource is None else resource.windows.get(info.subresource)
        return window is not None and bool(window.declared.below)


def _window_verb(window: Window, verb: str) -> Verb:
    if verb not in window.declared.verbs and (verb or not window.declared.below):  # below it methods go on that are no verb of the API
        raise _not_allowed(window.declared.verbs)
    return handle if window.declared.handler else VERBS[verb]


def _not_allowed(verbs: Iterable[str]) -> StatusError:
    """The 405 of a path on which there are these verbs."""
    return method_not_allowed(tuple(dict.fromkeys(method for verb in verbs for method in _METHODS[verb])))
