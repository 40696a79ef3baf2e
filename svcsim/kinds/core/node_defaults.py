"""What a Node is unless it says: all of its capacity, and its networks in both forms."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill_status(status: Object) -> None:
    """Pods can have all of the capacity, unless the node says otherwise."""
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])


def fill_pod_networks(obj: Object, context: Context) -> None:
    """The single network and the list of networks are filled in from each other."""
    spec = obj.get("spec") or {}
    if spec.get("podCIDR") and not spec.get("podCIDRs"):
        spec["podCIDRs"] = [spec["podCIDR"]]
    elif spec.get("podCIDRs") and not spec.get("podCIDR"):
        spec["podCIDR"] = spec["podCIDRs"][0]
