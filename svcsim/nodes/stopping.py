"""How the processes of a pod end that are all asked to: it is deleted, its work is done, or it has run for as long as it may.

All hooks are called at once, and a process gets SIGTERM when its hook is done. Sidecars get it only when the containers that they are
beside have ended, the last one first, each when the one after it has ended. When the grace period is over nobody waits for hooks or for
others any more. Whoever is asked as late as then still has two seconds, as with a kubelet, and none takes longer here (`STOP_S`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.nodes.container import Container
from svcsim.nodes.stages import STOP_S, Surroundings, call_pre_stop, stopped_with


class Stop(NamedTuple):
    """The end that a process comes to that is asked to."""

    container: Container
    asked_at: float
    takes_s: float
    exit_code: int

    @property
    def at(self) -> float:
        """The moment at which it has ended."""
        return self.asked_at + self.takes_s


def ask_all(containers: Sequence[Container], around: Surroundings, grace_s: float, now: float) -> list[Stop]:
    """Ask all processes there are to end within so many seconds."""
    alive = [container for container in containers if container.running]
    for container in alive:
        around.say(container, "Normal", "Killing", f"Stopping container {container.spec.name}")
        call_pre_stop(container, around, grace_s, now)
    sidecars = [container for container in alive if container.spec.sidecar]
    others = [container for container in alive if not container.spec.sidecar]
    takes_s = around.chance.uniform(*STOP_S) if others else 0.0
    stops = [_stop(one, now + min(one.spec.pre_stop.takes_s, grace_s), takes_s) for one in others]
    turn_at = max((stop.at for stop in stops if not (stop.container.spec.init or stop.container.spec.ephemeral)), default=now)
    for sidecar in reversed(sidecars):
        asked_at = min(max(turn_at, now + sidecar.spec.pre_stop.takes_s), now + grace_s)
        stops.append(_stop(sidecar, asked_at, around.chance.uniform(*STOP_S)))
        turn_at = stops[-1].at
    return stops


def _stop(container: Container, asked_at: float, takes_s: float) -> Stop:
    return Stop(container, asked_at, takes_s, stopped_with(container))


def shortened(stops: Sequence[Stop], until: float) -> list[Stop]:
    """The same ends, where all that aren't asked before are asked then."""
    return [stop._replace(asked_at=min(stop.asked_at, until)) for stop in stops]


def ended_before(stops: Sequence[Stop], container: Container, exit_code: int, now: float) -> list[Stop]:
    """The same ends, but for a process that has come to another before."""
    return [Stop(container, now, 0.0, exit_code) if stop.container is container else stop for stop in stops]
