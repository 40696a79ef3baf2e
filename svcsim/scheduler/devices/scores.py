"""Which node a pod can have the better devices on, by the order of the alternatives in its claims' requests."""

from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.node_rules import most_best
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Score, Scorer


def _alternatives(_pod: PodInfo, cycle: Cycle) -> Scorer | None:
    """The earlier an alternative stands in its request, the better."""
    devices = cycle.devices
    if devices is None or not devices.has_alternatives:
        return None
    return Scorer.of_number(devices.preference)


DEVICE_SCORE = Score("DynamicResources", 2, _alternatives, most_best)
