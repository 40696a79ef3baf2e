"""What the scheduler hears of the cluster: nodes and pods as they change go into the snapshot and the queue.

No objects are kept, only what `PodInfo` and `NodeInfo` hold: with tens of thousands of pods a second copy of every object would be most of
the process's memory.
"""

from collections.abc import Callable

from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating
from svcsim.meta.types import Object
from svcsim.scheduler.changes import Change
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.queue import SchedulingQueue
from svcsim.scheduler.snapshot import Snapshot

SCHEDULER_NAME = "default-scheduler"


class NodeFeed:
    """Takes in the followed nodes. ``stirred`` is called after whatever may have brought a pod back into the queue."""

    def __init__(self, snapshot: Snapshot, queue: SchedulingQueue, clock: Clock, stirred: Callable[[], None]) -> None:
        self._snapshot = snapshot
        self._queue = queue
        self._clock = clock
        self._stirred = stirred

    def seen(self, _key: ObjectKey, node: Object) -> None:
        """A node came or changed."""
        self._wake(self._snapshot.set_node(node))

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """A node went."""
        self._snapshot.remove_node(key.name)

    def _wake(self, changes: list[Change]) -> None:
        for change in changes:
            self._queue.wake(change, self._clock.now())
        if changes:
            self._stirred()


class PodFeed:
    """Takes in the followed pods."""

    def __init__(self, snapshot: Snapshot, queue: SchedulingQueue, clock: Clock, stirred: Callable[[], None]) -> None:
        self._snapshot = snapshot
        self._queue = queue
        self._clock = clock
        self._stirred = stirred

    def seen(self, _key: ObjectKey, obj: Object) -> None:
        """A pod came or changed."""
        pod = read_pod(obj)
        if pod.node_name:
            self._queue.remove(pod.key)
            self._wake(self._snapshot.set_pod(pod))
        elif self._wants_a_node(obj, pod):
            if not self._snapshot.is_assumed(pod.key):
                self._queue.add(pod, self._clock.now())
                self._stirred()
        else:
            self._queue.remove(pod.key)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """A pod went."""
        pod_key = f"{key.namespace}/{key.name}"
        self._queue.remove(pod_key)
        self._wake(self._snapshot.remove_pod(pod_key))

    def _wants_a_node(self, obj: Object, pod: PodInfo) -> bool:
        ours = ((obj.get("spec") or {}).get("schedulerName") or SCHEDULER_NAME) == SCHEDULER_NAME
        return ours and not pod.needs.gated and not pod.finished and not is_terminating(obj)

    def _wake(self, changes: list[Change]) -> None:
        for change in changes:
            self._queue.wake(change, self._clock.now())
        if changes:
            self._stirred()
