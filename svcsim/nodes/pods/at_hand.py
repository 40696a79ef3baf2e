"""Which of the pods that wait for what comes next in their lives stay decoded meanwhile: as many as a limit allows.

Their objects stand with what their nodes know of them (`svcsim.nodes.pods.tracked_pod`); here it is only counted. Most that are being
started are seen to again after a few tenths of a second. All others are JSON while they wait, because ten thousand may wait for their
images at once, or run and be probed every now and then.
"""

from svcsim import limits
from svcsim.meta.indexed import ObjectKey
from svcsim.nodes.pods.tracked_pod import TrackedPod


class PodsAtHand:
    """Says which pods are kept as they are."""

    def __init__(self) -> None:
        self._waiting: set[ObjectKey] = set()

    def keep(self, key: ObjectKey, tracked: TrackedPod, wait_s: float) -> None:
        """Nothing happens to a pod for so long, unless something comes between."""
        if wait_s <= limits.POD_AT_HAND_S and len(self._waiting) < limits.PODS_AT_HAND:
            self._waiting.add(key)
        else:
            tracked.put_away()

    def leave(self, key: ObjectKey) -> None:
        """It waits no more, or is gone."""
        self._waiting.discard(key)
