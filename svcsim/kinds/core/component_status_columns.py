"""What tables show of a ComponentStatus."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Cell, Context


def of_health(field: str) -> Cell:
    """A text of the condition that says whether the component is well."""
    return lambda obj, context: (_health(obj) or {}).get(field, "")


def status(obj: Object, _context: Context) -> str:
    """What that condition comes to, in a word."""
    found = _health(obj)
    if found is None:
        return "Unknown"
    return "Healthy" if found["status"] == "True" else "Unhealthy"


def _health(obj: Object) -> Object | None:
    return next((one for one in obj.get("conditions") or () if one["type"] == "Healthy"), None)
