"""What the spec of a pod says of a container, as far as it matters here."""

from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.nodes.containers.hooks import NO_HOOK, Hook
from svcsim.nodes.containers.probes import Probe
from svcsim.nodes.containers.programs import Program
from svcsim.nodes.shell.signals import TERM


class RestartRule(NamedTuple):
    """Whether a container is started again that ended with one of these exit codes, or with none of them."""

    within: bool
    codes: tuple[int, ...]
    everything: bool = False
    """Whether the whole pod is started again with it, from its first init container on."""

    def applies(self, exit_code: int) -> bool:
        return (exit_code in self.codes) is self.within


class ContainerSpec(NamedTuple):
    """What the pod's spec says of a container, as far as it matters here. Equal ones are shared between pods."""

    name: str
    image: str
    pull_policy: str
    program: Program
    restart_policy: str
    """Always, OnFailure or Never; of an init container that goes on running, Always."""
    init: bool
    sidecar: bool
    """An init container that isn't waited for to end."""
    probes: tuple[Probe, ...]
    """Its probes, the one that the others wait for first."""
    grace_s: float
    """How long it has to end when it is asked to."""
    ephemeral: bool = False
    """Whether it was put into the pod while that ran, for a look at it."""
    restart_rules: tuple[RestartRule, ...] = ()
    """Exit codes after which it is started again whatever its policy is."""
    post_start: Hook | None = None
    """What is done once its process has been started, and before it counts as running."""
    pre_stop: Hook = NO_HOOK
    """What is done before its process is asked to end."""
    pull_failure: str = ""
    """What an annotation says of pulling its image: a failure's name, or in words of its own."""
    image_volumes: tuple[tuple[str, str], ...] = ()
    """The images that it mounts, each with the policy by which it is pulled."""
    message_path: str = ""
    """The file into which it writes why it ended."""
    logs_on_error: bool = False
    """Whether its log says that where it has written nothing, and ended with an error."""
    restarts_for: tuple[str, ...] = ()
    """Resources for which it has to be started anew to have more or less of them."""
    runs: tuple[str, ...] = ()
    """The command line that a simulated shell can run as it is meant; empty where that can't be."""
    start_error: str = ""
    """Why the runtime can't start its process; empty if it can."""
    surprises: bool = False
    """Whether only running it tells how it ends, and what it leaves behind."""
    heeds: tuple[str, ...] = ()
    """Signals, by their names, of which only running it tells what it does about them."""
    pre_stop_runs: tuple[str, ...] = ()
    """What its hook runs before that, where that leaves something behind."""
    stop_signal: str = ""
    """The signal that asks it to end, by its name; empty for that of its image, which is taken for TERM."""

    @property
    def traps(self) -> bool:
        """Whether only running it tells what it does when it is asked to end."""
        return self.asked_by in self.heeds

    @property
    def asked_by(self) -> str:
        """The signal that asks it to end."""
        return self.stop_signal or TERM

    @property
    def field_path(self) -> str:
        return _field_path("ephemeralContainers" if self.ephemeral else "initContainers" if self.init else "containers", self.name)

    @property
    def stands_alone(self) -> bool:
        """Whether what annotations say of all containers isn't meant for it."""
        return self.init or self.ephemeral

    @property
    def is_waited_for(self) -> bool:
        """Whether its pod goes on when it has ended."""
        return self.init and not self.sidecar

    @property
    def serves(self) -> bool:
        """Whether it counts for the pod's readiness."""
        return (self.sidecar or not self.init) and not self.ephemeral


@lru_cache(maxsize=limits.SHARED_CONTAINER_SPECS)
def _field_path(field: str, name: str) -> str:
    """Where a container stands in its pod. Equal ones are shared: every event that is remembered has one."""
    return f"spec.{field}{{{name}}}"
