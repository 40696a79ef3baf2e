"""What tables show of several workloads."""

from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def ready(obj: Object, context: Context) -> Json:
    return f"{get_path(obj, 'status.readyReplicas') or 0}/{get_path(obj, 'spec.replicas') or 0}"
