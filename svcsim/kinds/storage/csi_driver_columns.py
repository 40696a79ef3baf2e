"""What a table shows of a CSIDriver."""

from svcsim.kinds.shared.columns import NONE, UNSET, joined
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Context


def flag(field: str, *, usual: bool = False) -> Cell:
    """A truth value of the spec."""
    return lambda obj, context: bool(get_path(obj, f"spec.{field}", usual))


def token_requests(obj: Object, context: Context) -> Json:
    requests = get_path(obj, "spec.tokenRequests")
    return ",".join(request.get("audience") or "" for request in requests) if requests else UNSET


def modes(obj: Object, context: Context) -> Json:
    return joined(get_path(obj, "spec.volumeLifecycleModes") or (), NONE)
