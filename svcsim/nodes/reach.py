"""How the API server reaches the agents of simulated nodes, for logs and for connections into containers, and where it doesn't."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.container import ContainerSpec
from svcsim.nodes.faults import Faults
from svcsim.nodes.machine import Machine
from svcsim.nodes.node import KUBELET_PORT
from svcsim.nodes.pods import PodFollowers
from svcsim.nodes.proxied.place import host_and_port
from svcsim.nodes.streams.running import Running, running
from svcsim.nodes.streams.world import Inside, Insides

HookedSince = Callable[[ObjectKey, str, str], float | None]
"""When a container of a pod, by its key and UID, was started whose hook is at work; None for any other."""
End = Callable[[ObjectKey, str, str, int], None]
"""Has a container's process end: of a pod by its key and UID, with an exit code."""


class Reach:
    """The agents, as the API server sees them."""

    def __init__(
        self,
        machines: Mapping[str, Machine],
        faults: Faults,
        followers: PodFollowers,
        insides: Insides,
        end: End,
        hooked_since: HookedSince,
        is_running: Callable[[], bool],
    ) -> None:
        self.lives, self.processes = followers
        self._insides = insides
        self._machines = machines
        self._faults = faults
        self._end = end
        self._hooked_since = hooked_since
        self._is_running = is_running

    def machine_of(self, pod: Object) -> Machine:
        """Of a pod on a node that is known to answer."""
        return self._machines[node_of(pod)]

    @asynccontextmanager
    async def inside(self, one: Running, machine: Machine) -> AsyncIterator[Inside]:
        """The inside of a container that runs, as its own processes have left it by now. Raises `StatusError`."""
        await self.processes.catch_up(one.pod)
        async with self._insides.of(one, machine) as inside:
            inside.world.catch_up = lambda: self.processes.catch_up_anew(one.pod)
            yield inside

    def running(self, pod: Object, spec: ContainerSpec) -> Running:
        """The run of a container that is under way, as its node knows it. Raises `StatusError`."""
        return running(pod, spec, self._hooked_since(object_key(pod), uid_of(pod), spec.name))

    def simulates(self, name: str) -> bool:
        """Whether a node is one of ours."""
        return name in self._machines

    def check_answers(self, name: str) -> None:
        """Raises `StatusError` where nobody on a node answers, because it isn't simulated or is down."""
        silence = self.silence(name)
        if silence:
            raise _unreachable(silence)

    def silence(self, name: str) -> str:
        """What one learns who dials a node where nobody answers; empty where somebody does."""
        machine = self._machines.get(name)
        if machine is None:
            return f"dial tcp: lookup {name}: no such host"
        if self._faults.node_down(name):
            return f"dial tcp {host_and_port(machine.place.ip, KUBELET_PORT)}: i/o timeout"
        return "" if self._is_running() else f"dial tcp {host_and_port(machine.place.ip, KUBELET_PORT)}: connect: connection refused"

    def end(self, pod: Object, container: str, exit_code: int) -> None:
        """Have the process of a container end by itself."""
        self._end(object_key(pod), uid_of(pod), container, exit_code)


def _unreachable(why: str) -> StatusError:
    """What the API server says where it can't reach a node."""
    return StatusError(500, "", f"error dialing backend: {why}")
