"""What a table shows of a ControllerRevision."""

from svcsim.kinds.shared.columns import NONE
from svcsim.meta.objects import controller_of
from svcsim.meta.types import GroupVersion, Json, Object
from svcsim.registry.kind import Context


def controller(revision: Object, context: Context) -> Json:
    """``daemonset.apps/web``."""
    owner = controller_of(revision)
    if owner is None:
        return NONE
    group = GroupVersion.parse(owner.get("apiVersion") or "").group
    kind = f"{owner.get('kind') or ''}.{group}" if group else owner.get("kind") or ""
    return f"{kind.lower()}/{owner.get('name') or ''}"
