"""Who listens at an address and a port: a pod, the API server, nobody, or a host outside of the cluster, which is believed to answer."""

from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import NamedTuple

import orjson

from svcsim import limits
from svcsim.client.api import Client
from svcsim.client.cache import Cache
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.nodes import internal_addresses
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.pods import addresses_of, is_finished, node_of
from svcsim.meta.types import Object
from svcsim.nodes.network.names import ClusterNames, Slices, cluster_addresses
from svcsim.nodes.shell.network import OUTSIDE, REFUSED, RESET, TIMED_OUT, NoAnswerError
from svcsim.nodes.streams.pod_files import AllFiles
from svcsim.nodes.streams.port_answers import Enter, PortAnswers
from svcsim.nodes.streams.responder import listening
from svcsim.outbound.services import Endpoint, ready_endpoints

CatchUp = Callable[[Object], Awaitable[None]]
"""Has what runs in a pod be run up to now. Raises `StatusError`."""


class NetworkParts(NamedTuple):
    """What the network of a cluster is made of."""

    services: Cache
    """All of them."""
    client: Client
    """Asks for pods and nodes."""
    slices: Slices
    api: Handler
    """The API server."""
    api_service: str
    """The name of its service."""
    silence: Callable[[str], str]
    """Why nobody answers on a node, by its name; empty where somebody does."""
    enter: Enter
    files: AllFiles


class PortOwner(NamedTuple):
    """Who is at the end of a connection. Without a pod that is the API server, or a host outside of the cluster."""

    pod: Object | None = None
    container: str = ""
    port: int = 0
    is_api: bool = False


class ClusterPorts:
    """Finds who listens, and asks them."""

    def __init__(self, around: NetworkParts) -> None:
        self.names = ClusterNames(around.services, around.slices)
        self._around = around
        self._answers = PortAnswers(around.enter, around.files)
        self._turns = count()
        """Whose turn it is, of several that a service leads to."""

    async def listener(self, address: str, port: int) -> PortOwner:
        """Who listens there. Raises `NoAnswerError`."""
        if address.startswith(OUTSIDE):
            return PortOwner()
        for service in self._around.services.all():
            if address in cluster_addresses(service) or address in _outer_addresses(service):
                return await self._behind(service, lambda one: one.get("port") == port)
        pods = await self._around.client.resource("v1", "pods").list(field_selector=f"status.podIP={address}")
        for pod in pods.items:
            if not is_finished(pod) and not (pod["spec"].get("hostNetwork")):
                return self.of_pod(pod, port)
        return await self._at_node(address, port)

    async def as_it_is(self, pod: Object) -> Object:
        """A pod in its newest state; in the one that is known, where it has gone."""
        found = await self._around.client.resource("v1", "pods", namespace_of(pod)).find(name_of(pod))
        return found if found is not None and uid_of(found) == uid_of(pod) else pod

    def of_pod(self, pod: Object, port: int) -> PortOwner:
        """Who listens at a port of a pod. Raises `NoAnswerError`."""
        if self._around.silence(node_of(pod)) or is_finished(pod):
            raise NoAnswerError(TIMED_OUT)
        container = listening(pod).get(port)
        if container is None:
            raise NoAnswerError(REFUSED)
        return PortOwner(pod, container, port)

    async def ask(self, listener: PortOwner, request: Request, catch_up: CatchUp | None) -> Response:
        """What they answer. Raises `NoAnswerError`."""
        target = f"{request.path}?{request.query}" if request.query else request.path
        if listener.is_api:
            return await self._asked_api(request)
        if listener.pod is None:
            told = {"host": request.headers.get("host", ""), "method": request.method, "path": target, "simulated": True}
            return Response(200, orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))
        try:
            if catch_up is not None:
                await catch_up(listener.pod)
            return await self._answers.answer(listener.pod, listener.container, listener.port, request.method, target)
        except StatusError:  # it has ended meanwhile
            raise NoAnswerError(REFUSED) from None

    async def _asked_api(self, request: Request) -> Response:
        if "watch=" in request.query or "follow=" in request.query or "upgrade" in request.headers:
            raise NoAnswerError(TIMED_OUT)  # an answer without an end isn't simulated
        response = await self._around.api(request)
        if response.stream is not None:
            response.body, response.stream = await _whole(response.stream), None
        return response

    async def _behind(self, service: Object, is_meant: Callable[[Object], bool]) -> PortOwner:
        """One of those that a port of a service leads to. Raises `NoAnswerError`."""
        port = next((one for one in (service.get("spec") or {}).get("ports") or () if is_meant(one)), None)
        if port is None or port.get("protocol", "TCP") != "TCP":
            raise NoAnswerError(REFUSED)
        if (name_of(service), namespace_of(service)) == (self._around.api_service, "default"):
            return PortOwner(is_api=True)
        found = ready_endpoints(service, await self._around.slices(namespace_of(service), name_of(service)), port.get("name") or "")
        if not found:
            raise NoAnswerError(REFUSED)
        chosen = found[next(self._turns) % len(found)]
        pod = await self._at_endpoint(namespace_of(service), chosen)
        if pod is None:
            raise NoAnswerError(TIMED_OUT)
        return self.of_pod(pod, chosen.port)

    async def _at_endpoint(self, namespace: str, endpoint: Endpoint) -> Object | None:
        """The pod that has its address still."""
        pod = await self._around.client.resource("v1", "pods", namespace).find(endpoint.pod) if endpoint.pod else None
        return pod if pod is not None and endpoint.address in addresses_of(pod) else None

    async def _at_node(self, address: str, port: int) -> PortOwner:
        """Who listens at a port of a machine: a service, or a pod in its network. Raises `NoAnswerError`."""
        nodes = await self._around.client.resource("v1", "nodes").list_all()
        node = next((one for one in nodes if address in internal_addresses(one)), None)
        if node is None or self._around.silence(name_of(node)):
            raise NoAnswerError(TIMED_OUT)
        for service in self._around.services.all():
            if any(one.get("nodePort") == port for one in (service.get("spec") or {}).get("ports") or ()):
                return await self._behind(service, lambda one: one.get("nodePort") == port)
        pods = await self._around.client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={name_of(node)}")
        for pod in pods:
            if pod["spec"].get("hostNetwork") and port in listening(pod):
                return self.of_pod(pod, port)
        raise NoAnswerError(REFUSED)


async def _whole(stream: AsyncIterator[bytes]) -> bytes:
    """All of an answer. Raises `NoAnswerError` where that is more than a container has room for."""
    pieces: list[bytes] = []
    left = limits.SIMULATED_DISK_BYTES
    async for piece in stream:
        left -= len(piece)
        if left < 0:
            raise NoAnswerError(RESET)
        pieces.append(piece)
    return b"".join(pieces)


def _outer_addresses(service: Object) -> tuple[str, ...]:
    """Those by which a service is reached from outside of the cluster."""
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    return (*((service.get("spec") or {}).get("externalIPs") or ()), *(one["ip"] for one in ingress if one.get("ip")))
