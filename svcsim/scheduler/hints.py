"""Which changes could help a pod that was turned away: the only ones for which it is worth trying again."""

from svcsim.scheduler.changes import Change
from svcsim.scheduler.cycle import Known
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Filter


def could_help(pod: PodInfo, refused_by: tuple[Filter, ...], change: Change, known: Known) -> bool:
    """Whether one of the filters that rejected the pod may accept a node now. A pod without such filters found no nodes at all."""
    if not refused_by:
        return change.node is not None
    return any(change.kind in rule.kinds and rule.hint(pod, change, known) for rule in refused_by)
