"""How the processes of a pod end that are all asked to: it is deleted, its work is done, or it has run for as long as it may.

All hooks are called at once, and a process gets SIGTERM when its hook is done. Sidecars get it only when the containers that they are
beside have ended, the last one first, each when the one after it has ended. When the grace period is over nobody waits for hooks or for
others any more. Whoever is asked as late as then still has two seconds, as with a kubelet, and none takes longer here (`STOP_S`), but for
what says itself what it makes of SIGTERM (`trap`): that has until the end, and is killed then.
"""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.ending import SHORTEST_GRACE_S, STOP_S, ask_to_end, call_pre_stop, hook_lasts_s, own_end, stopped_with
from svcsim.nodes.containers.surroundings import Surroundings
from svcsim.nodes.shell.exit_codes import KILLED


class Stop(NamedTuple):
    """The end that a process comes to that is asked to."""

    container: Container
    asked_at: float
    takes_s: float
    exit_code: int
    free_at: float = 0.0
    """When its own hook is done: a sidecar is asked then at the earliest."""
    killed_at: float | None = None
    """When it is killed, if only running it tells whether it ends before; None for one that ends in time."""

    @property
    def at(self) -> float:
        """The moment at which it has ended."""
        return self.asked_at + self.takes_s if self.killed_at is None else max(self.killed_at, self.asked_at + SHORTEST_GRACE_S)

    @property
    def over_at(self) -> float:
        """When its hook is done, too: one that only sleeps goes on when the process has ended by itself meanwhile."""
        return self.at if self.container.spec.pre_stop.command else max(self.at, self.free_at)


def ask_all(containers: Sequence[Container], around: Surroundings, grace_s: float, now: float) -> tuple[Stop, ...]:
    """Ask all processes there are to end within so many seconds."""
    alive = [container for container in containers if container.running]
    for container in alive:
        around.events.say(container, "Normal", "Killing", f"Stopping container {container.spec.name}")
        call_pre_stop(container, around, grace_s, now)
    sidecars = [container for container in alive if container.spec.sidecar]
    others = [container for container in alive if not container.spec.sidecar]
    takes_s = around.chance.uniform(*STOP_S) if others else 0.0
    stops = [_stop(one, around, now, grace_s, takes_s) for one in others]
    stops += [_stop(one, around, now, grace_s, around.chance.uniform(*STOP_S)) for one in reversed(sidecars)]
    return _in_turn(stops, now)


def _stop(container: Container, around: Surroundings, now: float, grace_s: float, takes_s: float) -> Stop:
    """How it ends: asked when its hook is done; or, for a sidecar, when its turn has come, and then at the latest when the time is over."""
    free_at = now + hook_lasts_s(container, grace_s)
    asked_at = now + grace_s if container.spec.sidecar else free_at
    traps = ask_to_end(container, around, asked_at)
    if own_end(container) <= free_at:
        return Stop(container, own_end(container), 0.0, container.ends_with, free_at)
    if traps:
        return Stop(container, asked_at, 0.0, KILLED, free_at, now + grace_s)
    return Stop(container, asked_at, takes_s, stopped_with(container), free_at)


def _in_turn(stops: Sequence[Stop], now: float) -> tuple[Stop, ...]:
    """The same ends, where each sidecar is asked as soon as those have ended that it is beside."""
    found: list[Stop] = []
    turn_at = max((stop.at for stop in stops if not (stop.container.spec.init or stop.container.spec.ephemeral)), default=now)
    for stop in stops:
        if stop.container.spec.sidecar:
            found.append(_asked(stop, min(stop.asked_at, max(turn_at, stop.free_at))))
            turn_at = found[-1].at
        else:
            found.append(stop)
    return tuple(found)


def _asked(stop: Stop, at: float) -> Stop:
    """The same end of one that is asked at another moment."""
    stop.container.asked_at = at
    return stop._replace(asked_at=at)


def shortened(stops: Sequence[Stop], until: float) -> tuple[Stop, ...]:
    """The same ends, where all that aren't asked before are asked then, and killed if that has to be."""
    asked = [_asked(stop, min(stop.asked_at, until)) for stop in stops]
    return tuple(
        stop._replace(free_at=min(stop.free_at, until), killed_at=None if stop.killed_at is None else min(stop.killed_at, until))
        for stop in asked
    )


def ended_before(stops: Sequence[Stop], container: Container, exit_code: int, at: float, now: float) -> tuple[Stop, ...]:
    """The same ends, but for a process that has come to another before, at a moment up to now."""
    return _in_turn([_ended(stop, exit_code, at) if stop.container is container else stop for stop in stops], now)


def hook_ended(stops: Sequence[Stop], container: Container, at: float, now: float) -> tuple[Stop, ...]:
    """The same ends, where a container's hook is done, for which it is asked to end."""
    return _in_turn([_freed(stop, at) if stop.container is container else stop for stop in stops], now)


def _freed(stop: Stop, at: float) -> Stop:
    freed = stop._replace(free_at=at)
    return freed if stop.container.spec.sidecar else _asked(freed, at)


def _ended(stop: Stop, exit_code: int, at: float) -> Stop:
    return stop._replace(asked_at=at, takes_s=0.0, exit_code=exit_code, killed_at=None)
