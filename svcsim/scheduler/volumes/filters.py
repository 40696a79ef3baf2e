"""The filters that ask where the volumes of a pod are to be had. A pod without claims gives them nothing to ask."""

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.cycle import Cycle, Known
from svcsim.scheduler.node import NodeInfo
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Check, Filter, Rejection

IN_USE = Rejection(
    ("node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",), preemption_may_help=True
)
TOO_MANY = Rejection(("node(s) exceed max volume count",), preemption_may_help=True)
NO_ZONE = Rejection(("node(s) had no available volume zone",), preemption_may_help=False)


def _restrictions(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """No other pod uses a claim that only one pod may use at a time."""
    storage = cycle.storage
    if storage is None or not storage.once_pod_users:
        return None
    return lambda node: IN_USE if storage.in_use(node) else None


def _limits(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The node can have so many volumes of each driver."""
    storage = cycle.storage
    if storage is None or not storage.is_counted:
        return None
    return lambda node: TOO_MANY if storage.is_full(node) else None


def _binding(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The volumes are to be had on the node, or can be made there; and there is nothing wrong with the claims wherever the pod goes."""
    storage, trouble = cycle.storage, cycle.storage_trouble
    if trouble:
        everywhere = Rejection((trouble,), preemption_may_help=False)
        return lambda _node: everywhere
    if storage is None:
        return None

    def check(node: NodeInfo) -> Rejection | None:
        reasons = storage.conflicts(node)
        return Rejection(reasons, preemption_may_help=False) if reasons else None

    return check


def _zone(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The node is where the labels of the volumes say that they are."""
    storage = cycle.storage
    if storage is None:
        return None
    return lambda node: NO_ZONE if storage.wrong_zone(node) else None


def _any(_pod: PodInfo, _change: Change, _known: Known) -> bool:
    return True


VOLUME_RESTRICTIONS = Filter("VolumeRestrictions", _restrictions, (Kind.POD_GONE, Kind.STORAGE), _any, of_node_alone=False)
NODE_VOLUME_LIMITS = Filter("NodeVolumeLimits", _limits, (Kind.NODE_ADDED, Kind.POD_GONE, Kind.STORAGE), _any, of_node_alone=False)
VOLUME_BINDING = Filter("VolumeBinding", _binding, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.STORAGE), _any, of_node_alone=False)
VOLUME_ZONE = Filter("VolumeZone", _zone, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.STORAGE), _any, of_node_alone=False)
