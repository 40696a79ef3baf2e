"""The end of a pod on its node: all its processes are asked to end, within a grace period, because it is deleted, fails or is done."""

import math

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.container_status import reason_of
from svcsim.nodes.containers.interventions import stop
from svcsim.nodes.containers.probing import ask_only_for_readiness
from svcsim.nodes.pods.pod_surroundings import PodSurroundings
from svcsim.nodes.pods.stopping import Stop, ask_all, ended_before, hook_ended, shortened


class Termination:
    """The processes that have been asked to end, and the grace period of a pod that is deleted. Times are seconds since the epoch."""

    __slots__ = ("_around", "stops", "time_is_over_at")

    def __init__(self, around: PodSurroundings) -> None:
        self._around = around
        self.stops: tuple[Stop, ...] = ()
        """How its processes will end, once they have been asked to; those that have ended are no more among them."""
        self.time_is_over_at: float | None = None
        """When the grace period is over of one that is deleted: its node reckons it from when it heard of that."""

    @property
    def is_deleted(self) -> bool:
        return self.time_is_over_at is not None

    @property
    def is_done(self) -> bool:
        """Whether the pod is deleted, and nothing of it is left that has still to end."""
        return self.time_is_over_at is not None and not self.stops

    @property
    def is_under_way(self) -> bool:
        """Whether all processes have been asked to end; none of one that is deleted is ever started again."""
        return self.time_is_over_at is not None or bool(self.stops)

    @property
    def done_at(self) -> float | None:
        """When all processes will have ended that were asked to; None before that is known, and after."""
        return max((stop.over_at for stop in self.stops), default=None)

    def ask(self, grace_s: float, now: float) -> None:
        """Ask all that runs to end within the grace period; what doesn't run never will."""
        containers = self._around.containers.all
        self.stops = ask_all(containers, self._around, grace_s, now)
        for container in containers:
            container.next_stage, container.due = "", None
            ask_only_for_readiness(container)
            if not container.running:
                stop(container, self._around, 0, now)

    def delete(self, until: float) -> bool:
        """The pod is deleted, and its grace period over at a moment: whether its processes have been asked to end already."""
        was_under_way = self.is_under_way
        self.time_is_over_at = min(self.time_is_over_at or math.inf, until)
        self.stops = shortened(self.stops, until)
        return was_under_way

    def hook_ended(self, container: Container, at: float, now: float) -> None:
        """The hook of a container has ended, which is asked to end now."""
        self.stops = hook_ended(self.stops, container, at, now)

    def ended(self, container: Container, exit_code: int, at: float, now: float) -> None:
        """A process has come to another end than it was to, at a moment up to now."""
        self.stops = ended_before(self.stops, container, exit_code, at, now)

    def advance(self, now: float) -> None:
        """End the processes that come to their ends up to now."""
        for due in [due for due in self.stops if due.at <= now and due.container.running]:
            stop(due.container, self._around, due.exit_code, due.at, reason_of(due.exit_code))
        self.stops = tuple(due for due in self.stops if due.over_at > now)
        if not self.stops:
            self._around.events.come_due(math.inf)  # a hook that was still at work has been cut off
