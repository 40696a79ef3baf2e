"""The network as one pod sees it: itself at ``localhost``, and the cluster around it."""

from dataclasses import dataclass

from svcsim.meta.http import Request, Response
from svcsim.meta.networks import canonical_address
from svcsim.meta.pods import addresses_of
from svcsim.meta.types import Object
from svcsim.nodes.network.ports import CatchUp, ClusterPorts, PortOwner
from svcsim.nodes.streams.world import Ticking

_LOCAL = ("127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - whom a program asks, not where anything listens


@dataclass(slots=True)
class PodNetwork:
    """See `svcsim.nodes.shell.network.Network`. Services are there for whoever looks from the time on at which they were made."""

    ports: ClusterPorts
    pod: Object
    time: Ticking
    dns: tuple[str, ...]
    """The addresses of the cluster's DNS."""
    catch_up: CatchUp | None = None
    """For who wants others' processes to have done by now what they do; the processes themselves never wait for one another."""

    async def addresses(self, server: str, name: str) -> tuple[str, ...]:
        return await self.ports.names.addresses(name, self.time.now()) if server in self.dns else ()

    async def names(self, server: str, address: str) -> tuple[str, ...]:
        return self.ports.names.names(address) if server in self.dns else ()

    async def connect(self, address: str, port: int) -> None:
        await self._listener(address, port)

    async def ask(self, address: str, port: int, request: Request) -> Response:
        request.address = next(iter(addresses_of(self.pod)), "")
        return await self.ports.ask(await self._listener(address, port), request, self.catch_up)

    async def _listener(self, address: str, port: int) -> PortOwner:
        address = canonical_address(address)  # it may be written in more than one way
        if address in _LOCAL or address in addresses_of(self.pod):
            return self.ports.of_pod(await self.ports.as_it_is(self.pod), port)
        return await self.ports.listener(address, port, self.pod)
