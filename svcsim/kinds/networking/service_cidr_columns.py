"""What a table shows of a ServiceCIDR: its networks."""

from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def cidrs(obj: Object, context: Context) -> Json:
    return ",".join(get_path(obj, "spec.cidrs") or ())
