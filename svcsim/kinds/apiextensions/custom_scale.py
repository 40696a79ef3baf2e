"""The size of custom resources, as a Scale: where its numbers stand in an object is said by the definition."""

from dataclasses import replace
from typing import Final

from svcsim.kinds.autoscaling.scale import SCALE
from svcsim.kinds.autoscaling.scale_strategy import scale_of, wanted_replicas
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.objects import copy_json, get_path, set_path
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.registry.kind import Context, Subresource

_NOT_SAID: Final = -(2**31)
"""What stands in the place of a size that isn't there, so that a patch that says nothing of it doesn't make it zero. Nobody reads it."""


def custom_scale(declared: Object) -> Subresource:
    """The subresource, with the paths that a version of a definition declares."""
    wanted, counted = declared["specReplicasPath"].lstrip("."), declared["statusReplicasPath"].lstrip(".")
    selector = (declared.get("labelSelectorPath") or "").lstrip(".")

    def view(obj: Object, _context: Context) -> Object:
        replicas = get_path(obj, wanted)
        shown = _NOT_SAID if replicas is None else replicas
        return scale_of(obj, shown, get_path(obj, counted) or 0, (get_path(obj, selector) or "") if selector else "")

    def check_shown(obj: Object) -> None:
        if get_path(obj, wanted) is None:
            why = f"the spec replicas field {quoted(declared['specReplicasPath'])} does not exist"
            raise StatusError(500, "InternalError", f"Internal error occurred: {why}")

    def merge(stored: Object, sent: Object, _context: Context) -> Object:
        if (sent.get("spec") or {}).get("replicas") == _NOT_SAID:
            raise bad_request(f"the spec replicas field {quoted(declared['specReplicasPath'])} cannot be empty")
        whole: Object = copy_json(stored)
        set_path(whole, wanted, wanted_replicas(stored, sent))
        return whole

    def applied(sent: Object) -> Object:
        replicas = (sent.get("spec") or {}).get("replicas")
        owned: Object = {}
        if replicas is not None:
            set_path(owned, wanted, replicas)
        return owned

    return replace(SCALE, view=view, check_shown=check_shown, merge=merge, applied=applied)
