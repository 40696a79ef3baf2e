"""What can happen in a cluster that may make room for a pod that found none.

Each filter names the changes that could make it think better of a node; a parked pod waits for those of the filters that turned it away.
"""

from enum import Enum
from typing import TypeAlias


class Change(Enum):
    NODE_ADDED = "a node came"
    NODE_TAINTS = "a node's taints changed, or it may be scheduled to again"
    NODE_LABELS = "a node's labels changed"
    NODE_CAPACITY = "a node has more to give"
    POD_GONE = "a pod left its node, or takes less there"
    POD_PLACED = "a pod came to a node, or its labels changed there"


Changes: TypeAlias = tuple[Change, ...]
