"""What a table shows of a FlowSchema beside its spec."""

from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def missing_level(obj: Object, context: Context) -> Json:
    """Whether the priority level is missing; ``?`` while nobody has looked."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((item.get("status") or "" for item in conditions if item.get("type") == "Dangling"), "?")
