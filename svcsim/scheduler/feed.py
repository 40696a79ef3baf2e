"""What the scheduler hears of the cluster: nodes and pods as they change go into the snapshot and the queue.

No objects are kept, only what `PodInfo` and `NodeInfo` hold: with tens of thousands of pods a second copy of every object would be most of
the process's memory.
"""

from collections.abc import Callable

from svcsim.clock import Clock
from svcsim.meta.objects import is_terminating, name_of
from svcsim.meta.types import Object
from svcsim.scheduler.changes import Change
from svcsim.scheduler.pod import PodInfo, pod_key, read_pod
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

    def replace(self, items: list[Object]) -> None:
        """These are all nodes."""
        names = [name_of(node) for node in items]
        for info in list(self._snapshot.nodes):
            if info.name not in names:
                self._snapshot.remove_node(info.name)
        for node in items:
            self._wake(self._snapshot.set_node(node))

    def apply(self, change: str, obj: Object) -> None:
        """A node came, changed or went."""
        if change == "DELETED":
            self._snapshot.remove_node(name_of(obj))
        else:
            self._wake(self._snapshot.set_node(obj))

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

    def replace(self, items: list[Object]) -> None:
        """These are all pods."""
        present = dict.fromkeys(map(pod_key, items))
        for key in [*self._queue.keys(), *self._snapshot.keys()]:
            if key not in present:
                self._gone(key)
        for pod in items:
            self.apply("MODIFIED", pod)

    def apply(self, change: str, obj: Object) -> None:
        """A pod came, changed or went."""
        if change == "DELETED":
            self._gone(pod_key(obj))
            return
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

    def _wants_a_node(self, obj: Object, pod: PodInfo) -> bool:
        ours = ((obj.get("spec") or {}).get("schedulerName") or SCHEDULER_NAME) == SCHEDULER_NAME
        return ours and not pod.gated and not pod.finished and not is_terminating(obj)

    def _gone(self, key: str) -> None:
        self._queue.remove(key)
        self._wake(self._snapshot.remove_pod(key))

    def _wake(self, changes: list[Change]) -> None:
        for change in changes:
            self._queue.wake(change, self._clock.now())
        if changes:
            self._stirred()
