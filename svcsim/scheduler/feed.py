"""What the scheduler hears of the cluster: nodes and pods as they change go into the snapshot and the queue.

No objects are kept, only what `PodInfo` and `NodeInfo` hold: with tens of thousands of pods a second copy of every object would be most of
the process's memory.
"""

from collections.abc import Callable, Collection, Iterable

from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating
from svcsim.meta.types import Object
from svcsim.scheduler.changes import Change
from svcsim.scheduler.devices.claimants import Claimants
from svcsim.scheduler.pod import PodInfo, read_again, read_pod
from svcsim.scheduler.queue import SchedulingQueue
from svcsim.scheduler.snapshot import Snapshot


class Feed:
    """Where changes go."""

    def __init__(self, snapshot: Snapshot, queue: SchedulingQueue, clock: Clock, stirred: Callable[[], None]) -> None:
        """``stirred`` is called after whatever may have brought a pod back into the queue."""
        self.snapshot = snapshot
        self.queue = queue
        self.clock = clock
        self.stirred = stirred
        self.claimants = Claimants()

    def wake(self, changes: Iterable[Change]) -> None:
        """Bring back the pods that these may help."""
        for change in changes:
            self.queue.wake(change, self.clock.now())
            self.stirred()


class NodeFeed:
    """Takes in the followed nodes."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def seen(self, _key: ObjectKey, node: Object) -> None:
        """A node came or changed."""
        self._feed.wake(self._feed.snapshot.set_node(node))

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """A node went."""
        self._feed.wake(self._feed.snapshot.remove_node(key.name))


class PodFeed:
    """Takes in the followed pods. ``names`` are those of the schedulers that this is."""

    def __init__(self, feed: Feed, names: Collection[str]) -> None:
        self._feed = feed
        self._names = names

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """A pod came or changed."""
        feed = self._feed
        before = feed.snapshot.place_of(f"{key.namespace}/{key.name}")
        pod = read_pod(obj) if before is None else read_again(obj, before)
        if pod.node_name:
            if feed.claimants.pods:
                feed.claimants.forget(pod.key)
            feed.queue.remove(pod.key)
            feed.wake(feed.snapshot.set_pod(pod))
        elif self._wants_a_node(obj, pod):
            if not feed.snapshot.is_assumed(pod.key):
                self._nominate(pod)
                if pod.devices:
                    feed.claimants.note(pod)
                feed.queue.add(pod, feed.clock.now())
                feed.stirred()
        else:
            self._leave(pod.key)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """A pod went."""
        self._leave(f"{key.namespace}/{key.name}")

    def _leave(self, key: str) -> None:
        if self._feed.claimants.pods:
            self._feed.claimants.forget(key)
        self._feed.queue.remove(key)
        self._feed.wake(self._feed.snapshot.remove_pod(key))

    def _wants_a_node(self, obj: Object, pod: PodInfo) -> bool:
        return pod.scheduler in self._names and not pod.needs.gated and not pod.finished and not is_terminating(obj)

    def _nominate(self, pod: PodInfo) -> None:
        """Keep the place that its status tells of. One that was found a moment ago and isn't told of yet is kept too."""
        snapshot, before = self._feed.snapshot, self._feed.queue.get(pod.key)
        if pod.nominated:
            snapshot.nominate(pod, pod.nominated)
        elif before is not None and before.pod.nominated:
            snapshot.denominate(pod.key)
