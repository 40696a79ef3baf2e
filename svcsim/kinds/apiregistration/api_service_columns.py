"""What a table shows of an APIService: the service that answers, and whether it is available."""

from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def service(obj: Object, context: Context) -> Json:
    behind = get_path(obj, "spec.service")
    return "Local" if behind is None else f"{behind.get('namespace', '')}/{behind.get('name', '')}"


def available(obj: Object, context: Context) -> Json:
    found = next((one for one in get_path(obj, "status.conditions") or () if one["type"] == "Available"), None)
    if found is None:
        return "Unknown"
    status, reason = found["status"], found.get("reason")
    return f"{status} ({reason})" if status != "True" and reason else status
