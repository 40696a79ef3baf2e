"""How the API server reaches the agents of simulated nodes, for logs and for connections into containers, and where it doesn't."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol

from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.networks import host_port
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.node import KUBELET_PORT
from svcsim.nodes.machines.own_pods import pod_now
from svcsim.nodes.pods.pods import PodFollowers
from svcsim.nodes.processes.probed import found_by_probes
from svcsim.nodes.streams.running import Running, running, running_in
from svcsim.nodes.streams.world import Inside, Insides


class LivingPods(Protocol):
    """The nodes' side of pods. A pod is named by its key and UID."""

    def end(self, key: ObjectKey, uid: str, container: str, exit_code: int) -> None:
        """Have a container's process end."""
        ...

    def hooked_since(self, key: ObjectKey, uid: str, container: str) -> float | None:
        """When a container was started whose hook is at work; None for any other."""
        ...

    def found_by_probes(self, key: ObjectKey, uid: str, container: str, wrong: Mapping[str, str | None]) -> None:
        """What probes of a container find from now on."""
        ...


class Reach:
    """The agents, as the API server sees them."""

    def __init__(
        self,
        machines: Mapping[str, Machine],
        faults: Faults,
        followers: PodFollowers,
        insides: Insides,
        pods: LivingPods,
        is_running: Callable[[], bool],
    ) -> None:
        self.lives, self.processes = followers.lives, followers.processes
        self._insides = insides
        self._machines = machines
        self._faults = faults
        self._pods = pods
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

    @asynccontextmanager
    async def probed(self, one: Running, inside: Inside) -> AsyncIterator[None]:
        """While this lasts, a client's command is at work in a container: what it changes for probes, they find from then on.

        Those of the pod's other containers do, too, which may look into the same volumes.
        """
        others = [other for other in running_in(one.pod) if other.spec.probes and other.spec.name != one.spec.name]
        before = await self._found_in_all(one, inside, others)
        yield
        pod = await self._pod_now(one.pod) if others else None
        after = await self._found_in_all(one, inside, [other for other in others if other.goes_on_in(pod)])
        for container, found in after.items():
            changed = {kind: wrong for kind, wrong in found.items() if wrong != before[container].get(kind)}
            if changed:
                self._pods.found_by_probes(object_key(one.pod), uid_of(one.pod), container, changed)

    async def _pod_now(self, pod: Object) -> Object | None:
        return await pod_now(self.machine_of(pod), pod)

    async def _found_in_all(self, one: Running, inside: Inside, others: list[Running]) -> dict[str, Mapping[str, str | None]]:
        """By the name of the container."""
        found = {one.spec.name: await self._found_by_probes(one, inside)}
        for other in others:
            found[other.spec.name] = await self.processes.found_by_probes(other)
        return found

    async def _found_by_probes(self, one: Running, inside: Inside) -> Mapping[str, str | None]:
        if not one.spec.probes:
            return {}
        return await found_by_probes(one, inside, partial(self._insides.of, one, self.machine_of(one.pod)), inside.world.now())

    def running(self, pod: Object, spec: ContainerSpec) -> Running:
        """The run of a container that is under way, as its node knows it. Raises `StatusError`."""
        return running(pod, spec, self._pods.hooked_since(object_key(pod), uid_of(pod), spec.name))

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
            return f"dial tcp {host_port(machine.place.ip, KUBELET_PORT)}: i/o timeout"
        return "" if self._is_running() else f"dial tcp {host_port(machine.place.ip, KUBELET_PORT)}: connect: connection refused"

    def end(self, pod: Object, container: str, exit_code: int) -> None:
        """Have the process of a container end by itself."""
        self._pods.end(object_key(pod), uid_of(pod), container, exit_code)


def _unreachable(why: str) -> StatusError:
    """What the API server says where it can't reach a node."""
    return StatusError(500, "", f"error dialing backend: {why}")
