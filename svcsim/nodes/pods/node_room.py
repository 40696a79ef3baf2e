"""Which pods a node takes: whether there is room for them, which others go for a critical one, and how pods grow."""

from collections.abc import Iterable, Mapping

from svcsim.client.cache import Cache
from svcsim.client.queue import WorkQueue
from svcsim.clock import Clock
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.occupancy import Occupancy, asks_of
from svcsim.nodes.machines.room import WholeAmounts, allocatable_of
from svcsim.nodes.pods.critical_pods import Preemptable, gives_way, is_critical, not_enough, to_be_ended, without
from svcsim.nodes.pods.rejection import lacking, rejection
from svcsim.nodes.pods.resizing import DEFERRED_RETRY_S, Resize, refusal
from svcsim.nodes.pods.tracked_pod import TrackedPod


class NodeRoom:
    """Asks nodes whether they take pods, and has those looked at again that wait for room."""

    def __init__(
        self, clock: Clock, queue: WorkQueue[ObjectKey], nodes: Cache, os_label: str, tracked: Mapping[ObjectKey, TrackedPod]
    ) -> None:
        self._clock = clock
        self._queue = queue
        self._nodes = nodes
        self._os_label = os_label
        self._tracked = tracked
        self._deferred: dict[str, dict[ObjectKey, None]] = {}
        """Pods that wait until there is room on their machine, by its name, for them to grow."""
        self._wanting: dict[str, dict[ObjectKey, None]] = {}
        """Critical pods that wait until others are gone that make room for them."""

    async def ask(self, key: ObjectKey, tracked: TrackedPod, pod: Object) -> None:
        """Have the node take a pod that has come to it, or reject it. One that hasn't told yet what it has takes all."""
        occupancy, node, asks = tracked.machine.occupancy, self._nodes.get(tracked.machine.name), asks_of(pod)
        label = self._os_label
        rejected = rejection(pod, asks, occupancy, node, label) if node is not None and allocatable_of(node) else None
        if rejected is not None and node is not None and is_critical(pod) and rejection(pod, asks, Occupancy(), node, label) is None:
            short = lacking(asks, occupancy, node)
            if short and await self._make_room(key, tracked, pod, short):
                return
            rejected = not_enough(short) if short else rejected
        tracked.unasked = False
        if rejected is None:
            occupancy.take(tracked.run.identity.uid, asks)
        else:
            tracked.run.reject(*rejected)

    async def _make_room(self, key: ObjectKey, tracked: TrackedPod, pod: Object, short: WholeAmounts) -> bool:
        """End pods for a critical one, which is asked again when one of them is gone; False if that wouldn't do."""
        machine = tracked.machine
        here = {one.run.identity.uid: (other, one) for other, one in self._tracked.items() if one.run.identity.uid in machine.occupancy}
        listed = await machine.agent.client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={machine.name}")
        known = {uid_of(one): one for one in listed}
        may_go = [
            Preemptable(uid, (known[uid].get("status") or {}).get("qosClass") or "", machine.occupancy.of(uid))
            for uid in here
            if uid in known and (gives_way(known[uid], pod) or here[uid][1].run.ending)
        ]
        going = [one for one in may_go if here[one.uid][1].run.ending]
        chosen = to_be_ended(without(short, going), [one for one in may_go if one not in going])
        if chosen is None:
            return False
        self._wanting.setdefault(machine.name, {})[key] = None
        for one in chosen:
            other, victim = here[one.uid]
            victim.run.preempt(self._clock.now())
            self._queue.add(other)
        return True

    def resize(self, tracked: TrackedPod, pod: Object, resize: Resize, now: float) -> None:
        """Settle a resize that is due, as far as there is room."""
        run, machine = tracked.run, tracked.machine
        tracked.resized = True
        if resize.pending and resize.due_at is not None and resize.due_at <= now:
            node = self._nodes.get(machine.name)
            refused = None if node is None else refusal(pod, machine.occupancy, allocatable_of(node))
            run.allocation.settle(refused, now + DEFERRED_RETRY_S, now)
        self.take(tracked, pod)
        if run.allocation.deferred:
            self._deferred.setdefault(machine.name, {})[object_key(pod)] = None

    def take(self, tracked: TrackedPod, pod: Object) -> None:
        """A pod takes other room than before: where that is less, those whose resize is deferred may fit by now."""
        run, machine = tracked.run, tracked.machine
        asks = asks_of(pod, granted=run.allocation.resize is None or not run.allocation.resize.pending)
        if machine.occupancy.take(run.identity.uid, asks):
            self._ask_deferred(machine)

    def has_become_free(self, machine: Machine) -> None:
        """A pod of the machine has gone: those that waited for room are looked at again."""
        self._ask_deferred(machine)
        for key in self._wanting.pop(machine.name, ()):
            self._queue.add(key)

    def forget(self, names: Iterable[str]) -> None:
        """Machines are gone."""
        for name in names:
            self._deferred.pop(name, None)

    def _ask_deferred(self, machine: Machine) -> None:
        for key in self._deferred.pop(machine.name, ()):
            tracked = self._tracked.get(key)
            if tracked is not None and tracked.run.allocation.ask_again(self._clock.now()):
                self._queue.add(key)
