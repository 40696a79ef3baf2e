"""Who answers a request below the ``proxy`` path of a pod, a service or a node. Found anew for each request, as the API server does it."""

from collections.abc import Sequence

from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.meta.go_integers import read_decimal
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.networks import host_port
from svcsim.meta.nodes import internal_address
from svcsim.meta.pods import addresses_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.nodes.connecting.place import AskedPlace, port_number, read_place, unavailable, unreached
from svcsim.nodes.connecting.reach import Reach
from svcsim.nodes.proxied.agent import AgentAnswers
from svcsim.nodes.proxied.pod_ports import PodPorts
from svcsim.nodes.streams.port_answers import PortAnswers
from svcsim.nodes.streams.responder import listening
from svcsim.outbound.services import Endpoint, ReadSlices, ready_endpoints


class Proxies:
    """Finds them."""

    def __init__(self, client: Client, reach: Reach, slices: ReadSlices, agent: AgentAnswers, ports: PortAnswers, chance: Chance) -> None:
        self._client = client
        self._reach = reach
        self._slices = slices
        self._agent = agent
        self._chance = chance
        self._ports = PodPorts(reach, ports)

    async def pod(self, namespace: str, named: str) -> Handler:
        """At a port of a pod. Raises `StatusError`."""
        place = read_place(named, "pod")
        return self._ports.of(await self._client.resource("v1", "pods", namespace).get(place.name), place)

    async def service(self, namespace: str, named: str) -> Handler:
        """At a port of one of the pods that are ready behind a service. Raises `StatusError`."""
        place = read_place(named, "service")
        service = await self._client.resource("v1", "services", namespace).get(place.name)
        slices = await self._slices(namespace, place.name)
        if not any(one.get("endpoints") for one in slices):
            raise unavailable(f"no endpoints available for service {quoted(place.name)}")
        found = ready_endpoints(service, slices, _port_name(service, place))
        chosen = await self._chosen(namespace, found)
        if chosen is None:
            raise unavailable(f"no endpoints available for service {quoted(named)}")
        pod, port = chosen
        return self._ports.of(pod, AskedPlace(place.scheme, place.name, str(port)))

    async def _chosen(self, namespace: str, found: Sequence[Endpoint]) -> tuple[Object, int] | None:
        """A pod that is at its endpoint, any of them alike likely, and the port there."""
        first = self._chance.integer(0, len(found) - 1) if found else 0
        for endpoint in (*found[first:], *found[:first]):
            pod = await self._client.resource("v1", "pods", namespace).find(endpoint.pod) if endpoint.pod else None
            if pod is not None and endpoint.address in addresses_of(pod):
                return pod, endpoint.port
        return None

    async def node(self, named: str) -> Handler:
        """The agent of a node, or whoever listens at another port of the machine. Raises `StatusError`."""
        place = read_place(named, "node")
        node = await self._client.resource("v1", "nodes").get(place.name)
        status = node.get("status") or {}
        own = str(((status.get("daemonEndpoints") or {}).get("kubeletEndpoint") or {}).get("Port") or "")

        async def ask(request: Request) -> Response:
            silence = self._reach.silence(place.name)
            if silence:
                raise unreached(silence)
            if place.port in ("", own):
                return await self._agent.answer(node, request)
            return await self._at_machine(node, port_number(place.port), request)

        return ask

    async def _at_machine(self, node: Object, port: int, request: Request) -> Response:
        """What a pod answers that listens at a port of its node."""
        address = internal_address(node)
        async for page in self._client.resource("v1", "pods").pages(field_selector=f"spec.nodeName={node['metadata']['name']}"):
            for pod in page.items:
                if pod["spec"].get("hostNetwork") and port in listening(pod):
                    return await self._ports.asked(pod, address, port, request)
        raise unreached(f"dial tcp {host_port(address, port)}: connect: connection refused")


def _port_name(service: Object, place: AskedPlace) -> str:
    """The name of a service's port that is named by its name or its number. Raises 503."""
    try:
        number = read_decimal(place.port, 64, "ParseInt")
    except ValueError:
        return place.port
    ports = (service.get("spec") or {}).get("ports") or ()
    port = next((one for one in ports if one["port"] == number), None)
    if port is None:
        raise unavailable(f"no service port {number} found for service {quoted(place.name)}")
    name: str = port.get("name") or ""
    return name
