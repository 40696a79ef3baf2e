"""What a table shows of an IPAddress: whose it is."""

from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def parent(obj: Object, context: Context) -> Json:
    """``services/default/web``, the group after the resource if there is one."""
    reference = get_path(obj, "spec.parentRef") or {}
    resource = ".".join(part for part in (reference.get("resource"), reference.get("group")) if part)
    return "/".join(part for part in (resource, reference.get("namespace"), reference.get("name")) if part)
