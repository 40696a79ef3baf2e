"""The filter that asks where the devices of a pod's claims are to be had. A pod without such claims gives it nothing to ask."""

from svcsim.scheduler.changes import Kind
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Check, Filter, any_change, refused_everywhere, refused_where


def _allocatable(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The devices that the claims have can be used on the node, and what they lack is to be had there."""
    devices = cycle.devices
    if cycle.devices_trouble:
        return refused_everywhere(cycle.devices_trouble)
    if devices is None:
        return None
    cycle.begin(devices.select(cycle.turn))
    return refused_where(lambda node: (why,) if (why := devices.conflict(node)) else ())


DYNAMIC_RESOURCES = Filter(
    "DynamicResources", _allocatable, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.DEVICES), any_change, of_node_alone=False
)
