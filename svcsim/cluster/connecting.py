"""Requests that aren't about objects but connect a client with a pod, a service or a node: who answers each."""

from collections.abc import Mapping
from functools import cached_property

from svcsim.cluster.later import Later
from svcsim.cluster.loopback import Loopback
from svcsim.cluster.surroundings import Surroundings
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.nodes.connecting.connections import Connections as PodConnections
from svcsim.nodes.proxied.agent import AgentAnswers, Measures
from svcsim.nodes.proxied.agent_logs import AgentLogs
from svcsim.nodes.proxied.proxies import Proxies
from svcsim.registry.options import Target
from svcsim.server.proxying.handing_on import handed_on
from svcsim.server.requests.call import ConnectHandler
from svcsim.server.streaming.port_forward import forward
from svcsim.server.streaming.remote_command import connect


class ConnectHandlers:
    """The handlers of one cluster."""

    def __init__(self, given: Surroundings, later: Later, loopback: Loopback, measures: Measures) -> None:
        self._given = given
        self._later = later
        self._loopback = loopback
        self._measures = measures

    def handlers(self) -> Mapping[tuple[str, str], ConnectHandler]:
        """By resource type and subresource."""
        return {
            ("pods", "log"): self._log,
            ("pods", "exec"): self._exec,
            ("pods", "attach"): self._attach,
            ("pods", "portforward"): self._port_forward,
            ("pods", "proxy"): self._pod_proxy,
            ("services", "proxy"): self._service_proxy,
            ("nodes", "proxy"): self._node_proxy,
        }

    @cached_property
    def _connections(self) -> PodConnections:
        return PodConnections(self._loopback.client(), self._given.clock, self._later.nodes.reach)

    @cached_property
    def _proxies(self) -> Proxies:
        """Made when somebody first asks below a ``proxy`` path, which nobody does in most clusters."""
        client, connections = self._loopback.client(), self._connections
        agent = AgentAnswers(client, AgentLogs(client, connections.logs), self._measures)
        chance = self._given.chance.fork("service proxies")
        return Proxies(client, self._later.nodes.reach, self._loopback.slices_of, agent, connections.ports, chance)

    async def _log(self, target: Target, _request: Request, options: Object) -> Response:
        return await self._connections.logs.serve_log(target.namespace, target.name, options)

    async def _exec(self, target: Target, request: Request, options: Object) -> Response:
        return connect(request, *await self._connections.exec(target.namespace, target.name, options), self._connections.begin)

    async def _attach(self, target: Target, request: Request, options: Object) -> Response:
        return connect(request, *await self._connections.attach(target.namespace, target.name, options), self._connections.begin)

    async def _port_forward(self, target: Target, request: Request, options: Object) -> Response:
        serve = await self._connections.port_forward(target.namespace, target.name)
        return forward(request, options.get("ports") or (), serve, self._connections.begin)

    async def _pod_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.pod(target.namespace, target.name))

    async def _service_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.service(target.namespace, target.name))

    async def _node_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.node(target.name))
