"""What a server fills into ResourceSlices: since when taints are there."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill(obj: Object, context: Context) -> None:
    for device in (obj.get("spec") or {}).get("devices") or ():
        for taint in device.get("taints") or ():
            taint.setdefault("timeAdded", context.timestamp)
