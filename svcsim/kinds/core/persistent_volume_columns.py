"""What a table shows of a PersistentVolume alone."""

from svcsim.kinds.core.volume_columns import access_modes_text
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def access_modes(obj: Object, context: Context) -> Json:
    return access_modes_text(get_path(obj, "spec.accessModes"))


def claim(obj: Object, context: Context) -> Json:
    claim = get_path(obj, "spec.claimRef")
    return f"{claim.get('namespace') or ''}/{claim.get('name') or ''}" if claim else ""
