"""The metrics API: the usage of pods and nodes, computed at each request from their current state.

Nothing is sampled and nothing is kept: in a quiet cluster this costs nothing. A node that isn't ready reports no metrics, and so neither
do its pods.
"""

from collections.abc import AsyncIterator, Mapping, Sequence

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes
from svcsim.clock import Clock, turn
from svcsim.dialect import Dialect
from svcsim.meta.curves import noise
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.objects import condition_is, labels_of, name_of, namespace_of
from svcsim.meta.pods import node_of
from svcsim.meta.times import format_time
from svcsim.meta.types import Object
from svcsim.metrics.amounts import as_quantities, machine_usage
from svcsim.metrics.crowds import Crowds, Shares
from svcsim.metrics.ready_nodes import ReadyNodes
from svcsim.metrics.sharing import Moment
from svcsim.metrics.usage import pod_usage

WINDOW = "15s"
"""Over which time a value is an average, as the API tells it."""


class ResourceMetrics:
    """Answers for the metrics API."""

    def __init__(self, client: Client, served_types: ServedTypes, clock: Clock, seed: str, dialect: Dialect) -> None:
        self._clock = clock
        self._seed = seed
        self._pods = client.resource("v1", "pods")
        self._nodes = client.resource("v1", "nodes")
        self._crowds = Crowds(client, served_types, dialect)

    def _moment(self) -> Moment:
        return Moment(float(int(self._clock.now())), self._seed)

    async def of_pods(self, namespace: str, name: str, labels: LabelSelector | None) -> list[Object]:
        """PodMetrics of a namespace or of all, by name."""
        pods = self._pods.within(namespace)
        fields = f"metadata.name={name}" if name else ""
        found: list[Object] = []
        ready, shares = ReadyNodes(self._nodes), self._crowds.shares()
        async for page in pods.pages(label_selector="" if labels is None else str(labels), field_selector=fields):
            await ready.learn(map(node_of, page.items))
            await shares.learn(page.items)
            moment = self._moment()
            async for pod in in_turns(page.items):
                if ready.has(node_of(pod)):
                    found += _pod_metrics(pod, moment, shares)
        return found

    async def of_nodes(self, name: str, labels: LabelSelector | None) -> list[Object]:
        """NodeMetrics, by name."""
        selector = "" if labels is None else str(labels)
        nodes = await self._nodes.list_all(label_selector=selector, field_selector=f"metadata.name={name}" if name else "")
        used: dict[str, dict[str, float]] = {}
        shares = self._crowds.shares()
        async for page in self._pods.pages(field_selector=f"spec.nodeName={name}" if name else ""):
            await shares.learn(page.items)
            moment = self._moment()
            async for pod in in_turns(page.items):
                sums = used.setdefault(node_of(pod), {})
                for container in pod_usage(pod, moment, shares.of(pod)) or ():
                    for resource, amount in container.usage.items():
                        sums[resource] = sums.get(resource, 0.0) + amount
        moment = self._moment()
        return [_node_metrics(node, used.get(name_of(node), {}), moment) for node in nodes if condition_is(node, "Ready")]


async def in_turns(pods: Sequence[Object]) -> AsyncIterator[Object]:
    """One after the other, and others have their turns in between."""
    for number, pod in enumerate(pods):
        if number % limits.METRICS_A_TURN == 0:
            await turn()
        yield pod


def _pod_metrics(pod: Object, moment: Moment, shares: Shares) -> list[Object]:
    """The PodMetrics of a pod; none of one of which nothing is known."""
    usage = pod_usage(pod, moment, shares.of(pod))
    if usage is None:
        return []
    containers = [{"name": one.name, "usage": as_quantities(one.usage)} for one in usage]
    metadata = {"name": name_of(pod), "namespace": namespace_of(pod)}
    return [{**_measured(metadata, labels_of(pod), moment), "containers": containers}]


def _node_metrics(node: Object, pods: Mapping[str, float], moment: Moment) -> Object:
    capacity = (node.get("status") or {}).get("capacity") or {}
    usage = machine_usage(capacity, pods, noise(moment.now, moment.seed, name_of(node)))
    return {**_measured({"name": name_of(node)}, labels_of(node), moment), "usage": as_quantities(usage)}


def _measured(metadata: Object, labels: Mapping[str, str], moment: Moment) -> Object:
    timestamp = format_time(moment.now)
    given = {**metadata, "creationTimestamp": timestamp, **({"labels": dict(labels)} if labels else {})}
    return {"metadata": given, "timestamp": timestamp, "window": WINDOW}
