"""The filter that asks for devices (``spec.resourceClaims``). Nobody here allocates any, so pods that want some wait."""

from svcsim.scheduler.changes import Change
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Check, Filter, Rejection

NO_DEVICES = Rejection(("cannot allocate all claims (devices are not simulated)",), preemption_may_help=False)


def _allocated(pod: PodInfo, _cycle: Cycle) -> Check | None:
    return (lambda _node: NO_DEVICES) if pod.needs.claims_devices else None


def _never(_pod: PodInfo, _change: Change, _known: Known) -> bool:
    return False


DYNAMIC_RESOURCES = Filter("DynamicResources", _allocated, (), _never)
