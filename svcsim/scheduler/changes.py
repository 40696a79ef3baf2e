"""What can happen in a cluster that may make room for a pod that found none.

Each filter says which changes could make it think better of a node (`rules.Filter.hint`); a parked pod waits for those of the filters that
turned it away.
"""

from enum import Enum
from typing import NamedTuple

from svcsim.meta.taints import Taint
from svcsim.scheduler.pod import PodInfo
from svcsim.scheduler.resources import Amounts


class Kind(Enum):
    """Sorts of changes."""

    NODE_ADDED = "a node came"
    NODE_TAINTS = "a node's taints changed, or it may be scheduled to again"
    NODE_LABELS = "a node's labels changed"
    NODE_CAPACITY = "a node has more to give"
    NODE_GONE = "a node went"
    POD_GONE = "a pod left its node"
    POD_SHRUNK = "a pod takes less on its node"
    POD_PLACED = "a pod came to a node"
    POD_LABELS = "the labels of a pod on a node changed"
    DEVICES = "there are other devices or classes of them, or devices were given back"
    STORAGE = "there is another volume, class of storage, or room for volumes"


class NodeFacts(NamedTuple):
    """What a Node object says that matters for placing pods. It is never changed, only replaced."""

    name: str
    labels: dict[str, str]
    taints: tuple[Taint, ...]
    unschedulable: bool
    allocatable: Amounts
    images: dict[str, int]
    """Sizes in bytes by image name."""


class Change(NamedTuple):
    """One change: of a node, or of a pod that has one, with what was before."""

    kind: Kind
    node: NodeFacts | None = None
    node_before: NodeFacts | None = None
    pod: PodInfo | None = None
    pod_before: PodInfo | None = None
    barriers: tuple[str, ...] = ()
    """Labels used by anti-affinity of pods that the node no longer has, or has with another value."""
