"""The filters that ask where the volumes of a pod are to be had. A pod without claims gives them nothing to ask."""

from svcsim.scheduler.changes import Kind
from svcsim.scheduler.cycle import Cycle
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.rules import Check, Filter, Rejection, any_change, refused_everywhere, refused_where

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
    if cycle.storage_trouble:
        return refused_everywhere(cycle.storage_trouble)
    return None if cycle.storage is None else refused_where(cycle.storage.conflicts)


def _zone(_pod: PodInfo, cycle: Cycle) -> Check | None:
    """The node is where the labels of the volumes say that they are."""
    storage = cycle.storage
    if storage is None:
        return None
    return lambda node: NO_ZONE if storage.wrong_zone(node) else None


VOLUME_RESTRICTIONS = Filter("VolumeRestrictions", _restrictions, (Kind.POD_GONE, Kind.STORAGE), any_change, of_node_alone=False)
NODE_VOLUME_LIMITS = Filter("NodeVolumeLimits", _limits, (Kind.NODE_ADDED, Kind.POD_GONE, Kind.STORAGE), any_change, of_node_alone=False)
VOLUME_BINDING = Filter("VolumeBinding", _binding, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.STORAGE), any_change, of_node_alone=False)
VOLUME_ZONE = Filter("VolumeZone", _zone, (Kind.NODE_ADDED, Kind.NODE_LABELS, Kind.STORAGE), any_change, of_node_alone=False)
