"""Who listens at an address and a port: a pod, the API server, nobody, or a host outside of the cluster, which is believed to answer."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable
from itertools import count
from typing import NamedTuple

import orjson

from svcsim.client.api import Client
from svcsim.client.cache import Cache
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.ip_addresses import cluster_ips
from svcsim.meta.nodes import internal_addresses
from svcsim.meta.objects import labels_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import addresses_of, is_finished, node_of
from svcsim.meta.types import Object
from svcsim.nodes.network.api_server import ask_api
from svcsim.nodes.network.names import ClusterNames
from svcsim.nodes.network.traffic import chosen, is_hinted, led_to
from svcsim.nodes.shell.network import OUTSIDE, REFUSED, TIMED_OUT, NoAnswerError
from svcsim.nodes.streams.pod_files import AllFiles
from svcsim.nodes.streams.port_answers import Enter, PortAnswers
from svcsim.nodes.streams.responder import listening
from svcsim.outbound.services import ReadSlices, ready_endpoints

CatchUp = Callable[[Object], Awaitable[None]]
"""Has what runs in a pod be run up to now. Raises `StatusError`."""


class NetworkParts(NamedTuple):
    """What the network of a cluster is made of."""

    services: Cache
    """All of them."""
    client: Client
    """Asks for pods and nodes."""
    slices: ReadSlices
    api: Handler
    """The API server."""
    api_service: str
    """The name of its service."""
    zone_label: str
    """By which nodes tell their zone."""
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

    async def listener(self, address: str, port: int, asker: Object) -> PortOwner:
        """Who listens there, for a pod that asks. Raises `NoAnswerError`."""
        for service in self._around.services.all():
            if address in cluster_ips(service) or address in _outer_addresses(service):
                return await self._behind(service, asker, lambda one: one.get("port") == port)
        return await self._at_host(address, port, asker)

    async def _at_host(self, address: str, port: int, asker: Object) -> PortOwner:
        """Who listens at an address that is no service's. Raises `NoAnswerError`."""
        if address.startswith(OUTSIDE):
            return PortOwner()
        pods = await self._around.client.resource("v1", "pods").list(field_selector=f"status.podIP={address}")
        pod = _with_network_of_its_own(pods.items, address)
        return await self._at_node(address, port, asker) if pod is None else self.of_pod(pod, port)

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
            return await ask_api(self._around.api, request, by_itself=catch_up is None)
        if listener.pod is None:
            told = {"host": request.headers.get("host", ""), "method": request.method, "path": target, "simulated": True}
            return Response(200, orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))
        try:
            if catch_up is not None:
                await catch_up(listener.pod)
            return await self._answers.answer(listener.pod, listener.container, listener.port, request.method, target)
        except StatusError:  # it has ended meanwhile
            raise NoAnswerError(REFUSED) from None

    async def _behind(self, service: Object, asker: Object, is_meant: Callable[[Object], bool]) -> PortOwner:
        """One of those that a port of a service leads to. Raises `NoAnswerError`."""
        port = next((one for one in (service.get("spec") or {}).get("ports") or () if is_meant(one)), None)
        if port is None or port.get("protocol", "TCP") != "TCP":
            raise NoAnswerError(REFUSED)
        if (name_of(service), namespace_of(service)) == (self._around.api_service, "default"):
            return PortOwner(is_api=True)
        slices, node = await self._around.slices(namespace_of(service), name_of(service)), node_of(asker)
        zone = await self._zone_of(node) if is_hinted(slices) else ""
        found = ready_endpoints(service, led_to(service, slices, node, zone), port.get("name") or "")
        if not found:
            raise NoAnswerError(REFUSED)
        endpoint = chosen(service, found, next(iter(addresses_of(asker)), ""), next(self._turns))
        if endpoint.pod is None:
            return await self._at_host(endpoint.address, endpoint.port, asker)
        pod = await self._around.client.resource("v1", "pods", namespace_of(service)).find(endpoint.pod)
        if pod is None or endpoint.address not in addresses_of(pod):
            raise NoAnswerError(TIMED_OUT)
        return self.of_pod(pod, endpoint.port)

    async def _zone_of(self, node: str) -> str:
        found = await self._around.client.resource("v1", "nodes").find(node)
        return "" if found is None else labels_of(found).get(self._around.zone_label, "")

    async def _at_node(self, address: str, port: int, asker: Object) -> PortOwner:
        """Who listens at a port of a machine: a service, a pod in its network, or one that has an address of another family from it.

        Raises `NoAnswerError`.
        """
        nodes = await self._around.client.resource("v1", "nodes").list_all()
        node = next((one for one in nodes if address in internal_addresses(one) or _gives(one, address)), None)
        if node is None or self._around.silence(name_of(node)):
            raise NoAnswerError(TIMED_OUT)
        if address not in internal_addresses(node):
            pod = _with_network_of_its_own(await self._pods_on(node), address)
            if pod is None:
                raise NoAnswerError(TIMED_OUT)
            return self.of_pod(pod, port)
        for service in self._around.services.all():
            if any(one.get("nodePort") == port for one in (service.get("spec") or {}).get("ports") or ()):
                return await self._behind(service, asker, lambda one: one.get("nodePort") == port)
        for pod in await self._pods_on(node):
            if pod["spec"].get("hostNetwork") and port in listening(pod):
                return self.of_pod(pod, port)
        raise NoAnswerError(REFUSED)

    async def _pods_on(self, node: Object) -> list[Object]:
        return await self._around.client.resource("v1", "pods").list_all(field_selector=f"spec.nodeName={name_of(node)}")


def _with_network_of_its_own(pods: Iterable[Object], address: str) -> Object | None:
    """The pod that has an address, and isn't in its node's network."""
    found = (pod for pod in pods if address in addresses_of(pod) and not is_finished(pod) and not pod["spec"].get("hostNetwork"))
    return next(found, None)


def _gives(node: Object, address: str) -> bool:
    """Whether an address is one that the node gives to a pod."""
    found = ipaddress.ip_address(address)
    return any(found in ipaddress.ip_network(one) for one in (node.get("spec") or {}).get("podCIDRs") or ())


def _outer_addresses(service: Object) -> tuple[str, ...]:
    """Those by which a service is reached from outside of the cluster."""
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    return (*((service.get("spec") or {}).get("externalIPs") or ()), *(one["ip"] for one in ingress if one.get("ip")))
