"""The port of a pod as the API server dials it: whoever answers there, and what is said where nobody does."""

from svcsim.meta.errors import bad_request
from svcsim.meta.http import Handler, Request, Response, take_in
from svcsim.meta.networks import host_port
from svcsim.meta.pods import addresses_of, is_finished, node_of
from svcsim.meta.types import Object
from svcsim.nodes.connecting.place import AskedPlace, port_number, unreached
from svcsim.nodes.connecting.reach import Reach
from svcsim.nodes.streams.port_answers import PortAnswers
from svcsim.nodes.streams.responder import listening

_DEFAULT_PORTS = {"https": "443"}


class PodPorts:
    """Those of simulated pods."""

    def __init__(self, reach: Reach, answers: PortAnswers) -> None:
        self._reach = reach
        self._answers = answers

    def of(self, pod: Object, place: AskedPlace) -> Handler:
        """Who answers at a place of a pod: at the first port that it declares where none is named. Raises 400 if it has no address."""
        address = next(iter(addresses_of(pod)), "")
        if not address:
            raise bad_request("address not allowed")
        declared = next((str(one["ports"][0]["containerPort"]) for one in pod["spec"]["containers"] if one.get("ports")), "")
        port = place.port or declared or _DEFAULT_PORTS.get(place.scheme, "80")

        async def ask(request: Request) -> Response:
            return await self.asked(pod, address, port_number(port), request)

        return ask

    async def asked(self, pod: Object, address: str, port: int, request: Request) -> Response:
        """What is answered at a port. Raises 503 where nobody answers."""
        where = f"dial tcp {host_port(address, port)}"
        if self._reach.silence(node_of(pod)):
            raise unreached(f"{where}: i/o timeout")
        if is_finished(pod):
            raise unreached(f"{where}: connect: no route to host")
        container = listening(pod).get(port)
        if container is None:
            raise unreached(f"{where}: connect: connection refused")
        await take_in(request)
        target = f"{request.path}?{request.query}" if request.query else request.path
        return await self._answers.answer(pod, container, port, request.method, target)
