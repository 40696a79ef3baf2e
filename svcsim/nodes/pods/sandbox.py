"""The sandbox of a pod: when it is made, with which address, and what it has to wait for."""

from svcsim import limits
from svcsim.nodes.containers.pod_events import PodEvents

SANDBOX_S = (0.2, 0.6)
"""How long it takes to make one."""
_NO_ADDRESS = "rpc error: code = Unknown desc = failed to setup network for sandbox: no IP addresses left"


class Sandbox:
    """What the containers of a pod run in. Times are seconds since the epoch."""

    __slots__ = ("_events", "due_at", "mount_failures", "pod_ip")

    def __init__(self, events: PodEvents) -> None:
        self._events = events
        self.due_at: float | None = None
        """When there is a sandbox; None once there is one, or if there never will be."""
        self.pod_ip = ""
        self.mount_failures = 0

    def lacks_address(self, now: float) -> bool:
        """Whether it is there, or about to be made, and has no address."""
        return not self.pod_ip and (self.due_at is None or self.due_at <= now)

    def take_address(self, address: str, now: float) -> None:
        """What its node gives it; empty if it has none left: then the sandbox can't be made, and is tried again."""
        self.pod_ip = address
        if not address:
            self.fail(_NO_ADDRESS, now)

    def fail(self, why: str, now: float) -> None:
        """It can't be made, and is tried again."""
        if self.due_at is not None:
            self.due_at = now + limits.SANDBOX_RETRY_S
            self._events.warn("FailedCreatePodSandBox", f"Failed to create pod sandbox: {why}")

    def postpone(self, until: float, *troubles: str, reason: str = "FailedMount") -> None:
        """It has to wait: volumes can't be mounted, or what ``reason`` says; or only can't yet, if there is nothing to tell."""
        self.due_at = until
        if troubles:
            self.mount_failures += 1
            for why in troubles:
                self._events.warn(reason, why)
