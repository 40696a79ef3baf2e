"""The size of custom resources, as a Scale: where its numbers stand in an object is said by the definition."""

from dataclasses import replace

from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.autoscaling.scale_strategy import scale_of, wanted_replicas
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import get_path, set_path
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Subresource


def custom_scale(declared: Object) -> Subresource:
    """The subresource, with the paths that a version of a definition declares."""
    wanted, counted = declared["specReplicasPath"].lstrip("."), declared["statusReplicasPath"].lstrip(".")
    selector = (declared.get("labelSelectorPath") or "").lstrip(".")

    def view(obj: Object, _context: Context) -> Object:
        return scale_of(obj, get_path(obj, wanted) or 0, get_path(obj, counted) or 0, (get_path(obj, selector) or "") if selector else "")

    def check_shown(obj: Object) -> None:
        if get_path(obj, wanted) is None:
            why = f"the spec replicas field {quoted(declared['specReplicasPath'])} does not exist"
            raise StatusError(500, "InternalError", f"Internal error occurred: {why}")

    def merge(stored: Object, sent: Object, _context: Context) -> Object:
        set_path(stored, wanted, wanted_replicas(stored, sent))
        return stored

    def applied(sent: Object) -> Object:
        replicas = (sent.get("spec") or {}).get("replicas")
        owned: Object = {}
        if replicas is not None:
            set_path(owned, wanted, replicas)
        return owned

    return replace(SCALE, view=view, check_shown=check_shown, merge=merge, applied=applied)
