"""A request as those who decide about it outside of this program are told of it: webhooks, and expressions of policies."""

from svcsim.meta.types import GroupVersionKind, Object
from svcsim.meta.user_info import user_info
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.resource import Resource


def described(request: AdmissionRequest, matched: Resource) -> Object:
    """All but the objects, which are shown in the version ``matched``."""
    window = None if request.target.window is None else matched.windows[request.subresource]
    found: Object = {
        "kind": _kind(matched.gvk if window is None else window.gvk),
        "resource": _resource(matched),
        "requestKind": _kind(request.kind),
        "requestResource": _resource(request.resource),
        "operation": request.operation,
        "userInfo": user_info(request.user),
        "dryRun": request.dry_run,
        "options": request.options,
    }
    if request.subresource:
        found["subResource"] = found["requestSubResource"] = request.subresource
    if request.name:
        found["name"] = request.name
    if request.namespace:
        found["namespace"] = request.namespace
    return found


def _kind(gvk: GroupVersionKind) -> Object:
    return {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}


def _resource(resource: Resource) -> Object:
    group, version = resource.group_version
    return {"group": group, "version": version, "resource": resource.plural}
