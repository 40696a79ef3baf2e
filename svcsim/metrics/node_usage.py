"""What one node and its containers use, as the agent of the node measures it: now, and of processor time in all.

It is the same that the metrics API tells; see `svcsim.metrics.resource_metrics`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.curves import noise
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.metrics.amounts import machine_usage
from svcsim.metrics.cpu_times import CpuTimes
from svcsim.metrics.crowds import Crowds
from svcsim.metrics.resource_metrics import in_turns
from svcsim.metrics.sharing import Moment
from svcsim.metrics.usage import pod_usage


class Used(NamedTuple):
    """What is used by something that is there since then."""

    name: str
    since: float
    cores: float
    cpu_s: float
    memory_bytes: float


class PodUsed(NamedTuple):
    """A pod, and what each of its running containers uses."""

    pod: Object
    containers: tuple[Used, ...]


class NodeUsed(NamedTuple):
    """A node, and the pods on it that use something."""

    at: float
    node: Used
    pods: tuple[PodUsed, ...]


class NodeUsages:
    """Works it out."""

    def __init__(self, client: Client, served_types: ServedTypes, clock: Clock, seed: str, dialect: Dialect) -> None:
        self._clock = clock
        self._seed = seed
        self._pods = client.resource("v1", "pods")
        self._crowds = Crowds(client, served_types, dialect)
        self._times = CpuTimes()

    async def of(self, node: Object) -> NodeUsed:
        """A node's, now."""
        moment = Moment(float(int(self._clock.now())), self._seed)
        shares = self._crowds.shares()
        found: list[PodUsed] = []
        sums: dict[str, float] = {}
        async for page in self._pods.pages(field_selector=f"spec.nodeName={name_of(node)}"):
            await shares.learn(page.items)
            async for pod in in_turns(page.items):
                used = pod_usage(pod, moment, shares.of(pod)) or ()
                for container in used:
                    for resource, amount in container.usage.items():
                        sums[resource] = sums.get(resource, 0.0) + amount
                if used:
                    told = (
                        self._used(f"{uid_of(pod)}/{one.name}/{one.started_at}", one.name, one.started_at, one.usage, moment.now)
                        for one in used
                    )
                    found.append(PodUsed(pod, tuple(told)))
        capacity = (node.get("status") or {}).get("capacity") or {}
        usage = machine_usage(capacity, sums, noise(moment.now, moment.seed, name_of(node)))
        since = parse_time(node["metadata"]["creationTimestamp"])
        return NodeUsed(moment.now, self._used(uid_of(node), name_of(node), since, usage, moment.now), tuple(found))

    def _used(self, whose: str, name: str, since: float, usage: Mapping[str, float], now: float) -> Used:
        cores = usage["cpu"]
        return Used(name, since, cores, self._times.used(whose, since, now, cores), usage["memory"])
