"""The filter that asks where the devices of a pod's claims are to be had. A pod without such claims gives it nothing to ask."""

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Check, Filter, Rejection


def _allocatable(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The devices that the claims have can be used on the node, and what they lack is to be had there."""
    devices, trouble = cycle.devices, cycle.devices_trouble
    if trouble:
        everywhere = Rejection((trouble,), preemption_may_help=False)
        return lambda _node: everywhere
    if devices is None:
        return None
    cycle.begin(devices.select(cycle.turn))

    def check(node: NodeInfo) -> Rejection | None:
        why = devices.conflict(node)
        return Rejection((why,), preemption_may_help=False) if why else None

    return check


def _any(_pod: PodInfo, _change: Change, _known: Known) -> bool:
    return True


DYNAMIC_RESOURCES = Filter("DynamicResources", _allocatable, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.DEVICES), _any, of_node_alone=False)
