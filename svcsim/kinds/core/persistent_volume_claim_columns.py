"""What a table shows of a PersistentVolumeClaim alone."""

from svcsim.meta.claims import short_access_modes
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def access_modes(obj: Object, context: Context) -> Json:
    return short_access_modes(get_path(obj, "status.accessModes")) if get_path(obj, "spec.volumeName") else ""


def capacity(obj: Object, context: Context) -> Json:
    """Nothing as long as there is no volume; 0 while its size isn't told."""
    return get_path(obj, "status.capacity.storage") or "0" if get_path(obj, "spec.volumeName") else ""
