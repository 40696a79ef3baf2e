"""What a table shows of a VolumeAttachment alone."""

from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def attached(obj: Object, context: Context) -> Json:
    return bool(get_path(obj, "status.attached"))
