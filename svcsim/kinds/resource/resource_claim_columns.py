"""What a table shows of a ResourceClaim."""

from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def state(obj: Object, context: Context) -> Json:
    status, deleted = obj.get("status") or {}, bool(metadata_of(obj).get("deletionTimestamp"))
    states = ["deleted"] if deleted else []
    if status.get("allocation") is not None:
        states += ["allocated", *(["reserved"] if status.get("reservedFor") else [])]
    elif not deleted:
        states.append("pending")
    return ",".join(states)
