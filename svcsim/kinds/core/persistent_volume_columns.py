"""What a table shows of a PersistentVolume alone."""

from svcsim.meta.claims import short_access_modes
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def access_modes(obj: Object, context: Context) -> Json:
    return short_access_modes(get_path(obj, "spec.accessModes"))


def claim(obj: Object, context: Context) -> Json:
    claim = get_path(obj, "spec.claimRef")
    return f"{claim.get('namespace') or ''}/{claim.get('name') or ''}" if claim else ""
