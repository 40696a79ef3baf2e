"""All metrics APIs of a cluster, put together. Nothing is made before the first request: first the server, then a client of it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.types import Object
from svcsim.metrics.node_summary import cadvisor_series, resource_series, summary
from svcsim.metrics.node_usage import NodeUsages
from svcsim.metrics.other_metrics import OtherMetrics, paths
from svcsim.metrics.resource_metrics import ResourceMetrics


class MetricSources(NamedTuple):
    """What metrics are worked out of."""

    client: Callable[[], Client]
    served_types: Callable[[], ServedTypes]
    clock: Clock
    seed: str
    dialect: Dialect


class SimulatedMetrics:
    """Answers for the resource metrics API, and for those of custom and external metrics."""

    def __init__(self, given: MetricSources) -> None:
        self._given = given

    @cached_property
    def _resources(self) -> ResourceMetrics:
        given = self._given
        return ResourceMetrics(given.client(), given.served_types(), given.clock, given.seed, given.dialect)

    @cached_property
    def _nodes(self) -> NodeUsages:
        given = self._given
        return NodeUsages(given.client(), given.served_types(), given.clock, given.seed, given.dialect)

    @cached_property
    def _others(self) -> OtherMetrics:
        given = self._given
        return OtherMetrics(given.client(), given.served_types(), given.clock, given.seed, given.dialect)

    async def of_pods(self, namespace: str, name: str, labels: LabelSelector | None) -> list[Object]:
        """PodMetrics, by name."""
        return await self._resources.of_pods(namespace, name, labels)

    async def of_nodes(self, _namespace: str, name: str, labels: LabelSelector | None) -> list[Object]:
        """NodeMetrics, by name."""
        return await self._resources.of_nodes(name, labels)

    async def summary(self, node: Object) -> Object:
        """What a node and the pods on it use, as the node's agent tells it."""
        return summary(await self._nodes.of(node), node)

    async def resource_series(self, node: Object) -> list[str]:
        """The usage of a node and its pods as Prometheus series."""
        return resource_series(await self._nodes.of(node))

    async def cadvisor_series(self, node: Object) -> list[str]:
        """The usage of a node and its pods as series with cAdvisor's names."""
        return cadvisor_series(await self._nodes.of(node), node)

    def routes(self) -> Mapping[str, Handler]:
        """Handlers of the other two."""
        custom, external = paths(self._given.dialect)
        return {custom: self._custom, external: self._external}

    async def _custom(self, request: Request) -> Response:
        return await self._others.of_objects(request)

    async def _external(self, request: Request) -> Response:
        return await self._others.of_outside(request)
