"""What a Node is unless it says: all of its capacity, and its networks in both forms."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill_status(status: Object) -> None:
    """Pods can have all of the capacity, unless the node says otherwise."""
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])


def fill_pod_networks(obj: Object, context: Context) -> None:
    """The single network and the list of networks are filled in from each other. Where they differ, the single one counts."""
    spec = obj.get("spec") or {}
    one, several = spec.get("podCIDR"), spec.get("podCIDRs")
    if one and not (several and several[0] == one):
        spec["podCIDRs"] = [one]
    elif several and not one:
        spec["podCIDR"] = several[0]
