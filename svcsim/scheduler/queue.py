"""Pods that wait for a node: ready to be tried, waiting out a back-off, or parked until something changes that could help.

A pod that nothing can be done for costs nothing: it is parked under the changes that could make room for it, and only one of those (or
the occasional flush, in case a change was missed) brings it back. A back-off between two tries of one pod keeps a busy cluster from
trying the same hopeless pods over and over. The queue has no clock; its caller passes the time.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from svcsim import limits
from svcsim.client.backoff import backoff_s
from svcsim.scheduler.changes import Change
from svcsim.scheduler.pod import Group, PodInfo
from svcsim.scheduler.rules import Filter

BACKOFF_INITIAL_S = 1.0
BACKOFF_MAX_S = 10.0
PARKED_MAX_S = 300.0
"""A parked pod is tried again after this long, whatever happened."""


Helps: TypeAlias = Callable[[PodInfo, tuple[Filter, ...], Change], bool]
"""Whether a change could help a pod that these filters turned away."""


Place: TypeAlias = Literal["active", "backoff", "parked", "trying"]
"""Which part of the queue holds a pod; trying is where the scheduler has it."""

_Alike: TypeAlias = tuple[int, Group, int, int, tuple[Filter, ...]]
"""What parked pods have in common that the same changes can help. By identity, where equal parts of pods are one object and may be long."""


@dataclass(slots=True)
class Waiting:
    """A pod in the queue."""

    pod: PodInfo
    since: float
    """When it came into the queue, in seconds since the epoch."""
    attempts: int = 0
    ready_at: float = 0.0
    """When its back-off is over."""
    parked_at: float = 0.0
    outdated: bool = False
    """It has changed since it was taken to be tried."""
    refused_by: tuple[Filter, ...] = ()
    parked_with: _Alike | None = None
    parked_as: PodInfo | None = None
    """Keeps the parts alive whose `id` is in ``parked_with``: the id of a part that is freed may be given to another."""
    place: Place = "active"
    ticket: int = 0
    """The entry of the heaps that counts; older ones are passed over."""


class SchedulingQueue:
    """By priority, then first come, first served."""

    def __init__(self, helps: Helps) -> None:
        self._helps = helps
        self._waiting: dict[str, Waiting] = {}
        self._active: list[tuple[int, int, str]] = []
        self._backoff: list[tuple[float, int, str]] = []
        self._parked: dict[_Alike, dict[str, Waiting]] = {}
        self._tickets = 0
        self._news: list[Change] = []
        """What has changed since the last pod was taken to be tried."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: str) -> bool:
        return key in self._waiting

    def keys(self) -> list[str]:
        return list(self._waiting)

    def add(self, pod: PodInfo, now: float) -> None:
        """Take in a pod, or its new version. One that changed is tried again, after its back-off."""
        known = self._waiting.get(pod.key)
        if known is None or known.pod.uid != pod.uid:
            self.remove(pod.key)
            waiting = self._waiting[pod.key] = Waiting(pod, now)
            self._activate(waiting)
            return
        changed = known.pod.shape != pod.shape
        known.pod = pod
        if changed and known.place == "parked":
            self._unpark(known, now)
        elif changed and known.place == "trying":
            known.outdated = True

    def remove(self, key: str) -> None:
        """Forget a pod: it is gone, or has a node."""
        waiting = self._waiting.pop(key, None)
        if waiting is not None and waiting.place == "parked":
            self._leave_parking(waiting)

    def pop(self, now: float) -> Waiting | None:
        """The next pod to try; it stays known, as being tried, until `remove` or `park`. None if there is none now."""
        self._release(now)
        while self._active:
            _, ticket, key = heapq.heappop(self._active)
            waiting = self._waiting.get(key)
            if waiting is not None and waiting.place == "active" and waiting.ticket == ticket:
                waiting.place, waiting.outdated = "trying", False
                self._news.clear()
                waiting.attempts += 1
                return waiting
        return None

    def get(self, key: str) -> Waiting | None:
        """A pod that waits."""
        return self._waiting.get(key)

    def is_trying(self, waiting: Waiting) -> bool:
        """Whether the pod is still to be tried: it may have gone meanwhile."""
        return self._waiting.get(waiting.pod.key) is waiting and waiting.place == "trying"

    def park(self, waiting: Waiting, refused_by: tuple[Filter, ...], now: float) -> None:
        """Put away a pod that can't be placed until something helps it. What has happened meanwhile counts too."""
        if self._waiting.get(waiting.pod.key) is not waiting:
            return
        waiting.refused_by = refused_by
        if waiting.outdated or len(self._news) > limits.CHANGES_MEANWHILE or any(self._is_help(waiting, change) for change in self._news):
            self.retry(waiting, now)
            return
        waiting.place, waiting.parked_at = "parked", now
        waiting.ready_at = now + backoff_s(waiting.attempts, BACKOFF_INITIAL_S, BACKOFF_MAX_S)
        alike = waiting.parked_with = _alike(waiting.pod, refused_by)
        waiting.parked_as = waiting.pod
        self._parked.setdefault(alike, {})[waiting.pod.key] = waiting

    def hold(self, waiting: Waiting, refused_by: tuple[Filter, ...], now: float) -> None:
        """Put away a pod before it is tried: what it needs isn't there yet. Once it is, it doesn't wait any longer."""
        waiting.attempts -= 1
        if waiting.outdated:
            self._activate(waiting)
        else:
            self.park(waiting, refused_by, now)
            waiting.ready_at = now

    def retry(self, waiting: Waiting, now: float) -> None:
        """Try again after a back-off: what stood in the way was not the cluster's state."""
        if self._waiting.get(waiting.pod.key) is waiting:
            waiting.ready_at = now + backoff_s(waiting.attempts, BACKOFF_INITIAL_S, BACKOFF_MAX_S)
            self._back_off(waiting)

    def reclaim(self) -> list[str]:
        """Take back the pods that were being tried when that was broken off; gives their keys."""
        stranded = [waiting for waiting in self._waiting.values() if waiting.place == "trying"]
        for waiting in stranded:
            self._activate(waiting)
        return [waiting.pod.key for waiting in stranded]

    def wake(self, change: Change, now: float) -> None:
        """Bring back the parked pods that this change could help."""
        if len(self._news) <= limits.CHANGES_MEANWHILE:
            self._news.append(change)
        for group in list(self._parked.values()):
            if self._is_help(next(iter(group.values())), change):
                for waiting in list(group.values()):
                    self._unpark(waiting, now)

    def wake_pod(self, key: str, now: float) -> None:
        """Bring back a parked pod; one that is being tried is to be tried once more: something of its own has changed."""
        waiting = self._waiting.get(key)
        if waiting is not None and waiting.place == "parked":
            self._unpark(waiting, now)
        elif waiting is not None and waiting.place == "trying":
            waiting.outdated = True

    def flush(self, now: float) -> None:
        """Bring back what has been parked for too long."""
        for group in list(self._parked.values()):
            for waiting in list(group.values()):
                if now - waiting.parked_at >= PARKED_MAX_S:
                    self._unpark(waiting, now)

    def next_due(self) -> float | None:
        """When `pop` may have something that it hasn't now."""
        while self._backoff:
            due, ticket, key = self._backoff[0]
            waiting = self._waiting.get(key)
            if waiting is not None and waiting.place == "backoff" and waiting.ticket == ticket:
                return due
            heapq.heappop(self._backoff)
        return None

    def _release(self, now: float) -> None:
        while (due := self.next_due()) is not None and due <= now:
            self._activate(self._waiting[heapq.heappop(self._backoff)[2]])

    def _unpark(self, waiting: Waiting, now: float) -> None:
        self._leave_parking(waiting)
        if waiting.ready_at <= now:
            self._activate(waiting)
        else:
            self._back_off(waiting)

    def _leave_parking(self, waiting: Waiting) -> None:
        alike = waiting.parked_with
        assert alike is not None, "it is parked"
        group = self._parked[alike]
        del group[waiting.pod.key]
        if not group:
            del self._parked[alike]

    def _is_help(self, waiting: Waiting, change: Change) -> bool:
        return self._helps(waiting.pod, waiting.refused_by, change)

    def _activate(self, waiting: Waiting) -> None:
        waiting.place, waiting.ticket = "active", self._ticket()
        heapq.heappush(self._active, (-waiting.pod.needs.priority, waiting.ticket, waiting.pod.key))

    def _back_off(self, waiting: Waiting) -> None:
        waiting.place, waiting.ticket = "backoff", self._ticket()
        heapq.heappush(self._backoff, (waiting.ready_at, waiting.ticket, waiting.pod.key))

    def _ticket(self) -> int:
        self._tickets += 1
        return self._tickets


def _alike(pod: PodInfo, refused_by: tuple[Filter, ...]) -> _Alike:
    return (id(pod.needs), pod.group, id(pod.terms), id(pod.spreads), refused_by)
