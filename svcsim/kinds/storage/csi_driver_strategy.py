"""What an update of a CSIDriver does beside what it says: a driver's generation counts what a node has to learn of."""

from svcsim.meta.codec import same_json
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_LEARNED = ("tokenRequests", "requiresRepublish", "seLinuxMount", "nodeAllocatableUpdatePeriodSeconds")


def count_changes(new: Object, old: Object, context: Context) -> None:
    if any(not same_json(get_path(new, f"spec.{name}"), get_path(old, f"spec.{name}")) for name in _LEARNED):
        new["metadata"]["generation"] = (get_path(old, "metadata.generation") or 0) + 1
