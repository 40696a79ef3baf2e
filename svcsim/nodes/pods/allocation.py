"""What is allocated to the containers of a pod, and a resize of that: what is asked for, whether it is granted, and when it is in force."""

from svcsim.nodes.containers.interventions import restart_resized
from svcsim.nodes.pods.pod_surroundings import PodSurroundings
from svcsim.nodes.pods.resizing import DEFERRED, RESIZE_S, Granted, Resize, changed, completed


class Allocation:
    """The resources of a pod's containers on its node. Times are seconds since the epoch."""

    __slots__ = ("_around", "granted", "resize", "wanted")

    def __init__(self, around: PodSurroundings) -> None:
        self._around = around
        self.granted: Granted = ()
        """What the containers have, in their order."""
        self.wanted: Granted = ()
        """What they are to have."""
        self.resize: Resize | None = None

    def ask(self, wanted: Granted, now: float) -> None:
        """The pod wants this; containers that have just been put into it have what they want."""
        self.wanted = wanted
        self.granted += wanted[len(self.granted) :]
        if wanted == self.granted:
            self.resize = None
        elif self.resize is None or self.resize.wanted != wanted:
            self.resize = Resize(wanted, now, DEFERRED)

    def settle(self, refusal: tuple[str, str] | None, retry_at: float, now: float) -> None:
        """Whether the node has what the pod wants: if not, that is told, and asked again where that may change."""
        if self.resize is None:
            return
        if refusal is None:
            self.resize = Resize(self.resize.wanted, now + self._around.chance.uniform(*RESIZE_S))
            return
        reason, message = refusal
        if (reason, message) != (self.resize.pending, self.resize.message):
            self._around.events.warn(f"Resize{reason}", f"Pod resize {reason}: {message}")
        self.resize = Resize(self.resize.wanted, retry_at if reason == DEFERRED else None, reason, message)

    @property
    def deferred(self) -> bool:
        """Whether the pod waits until others need less."""
        return self.resize is not None and self.resize.pending == DEFERRED

    def ask_again(self, now: float) -> bool:
        """Others may need less by now; whether the pod waits for that."""
        if self.resize is None or not self.deferred:
            return False
        self.resize = self.resize._replace(due_at=now)
        return True

    def enforce(self, resize: Resize, now: float) -> None:
        """What was granted is in force once the containers have ended that have to be started anew for it."""
        if resize.pending or (resize.due_at is not None and resize.due_at > now):
            return
        containers = self._around.containers.all
        if resize.due_at is not None:
            for container, had, has in zip(containers, self.granted, resize.wanted, strict=True):
                if container.running and any(name in container.spec.restarts_for for name in changed(had, has)):
                    restart_resized(container, self._around, now)
            self.resize = resize._replace(due_at=None)
        if any(container.replaced_by is not None and not container.spec.is_waited_for for container in containers):
            return
        self.granted, self.resize = resize.wanted, None
        done = completed([(one.spec, has) for one, has in zip(containers, self.granted, strict=True)])
        self._around.events.normal("ResizeCompleted", done)
