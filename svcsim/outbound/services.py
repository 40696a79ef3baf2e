"""Where a service of the cluster leads, as seen from this process.

A program on the user's machine that was bound to the service comes first. Without one the call goes to the service's endpoints, as in a
real cluster; but not to those of simulated pods, whose addresses don't exist: a call would only time out, or reach an unrelated machine.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from svcsim.meta.endpoint_slices import takes_requests
from svcsim.meta.types import Object
from svcsim.outbound.binding import BindingError, bindings_of
from svcsim.outbound.remote import Address, ServiceReference, UnreachableServiceError
from svcsim.registry.lister import Lister

ReadSlices = Callable[[str, str], Awaitable[list[Object]]]
"""The EndpointSlices of a service, by its namespace and name."""


class Services:
    """Finds the address of a service's port."""

    def __init__(self, services: Lister, slices: ReadSlices) -> None:
        self._services = services
        self._slices = slices

    async def address(self, reference: ServiceReference) -> Address:
        """Where to connect. Raises `OutboundError`, which says what to do."""
        namespace, name, number = reference
        service = self._services.get(namespace, name)
        if service is None:
            raise UnreachableServiceError("ServiceNotFound", f'service "{name}" not found')
        try:
            bound = bindings_of(service).get(number)
        except BindingError as error:
            raise UnreachableServiceError("BindingError", f"service {namespace}/{name}: {error}") from error
        if bound is not None:
            return Address(bound.host, bound.port, reference.host)
        spec = service.get("spec") or {}
        if spec.get("type") == "ExternalName":
            return Address(spec.get("externalName", ""), number, reference.host)
        port = next((port for port in spec.get("ports") or () if port.get("port") == number), None)
        if port is None:
            raise UnreachableServiceError("ServicePortError", f'no service port {number} found for service "{name}"')
        return await self._endpoint(reference, service, port.get("name") or "")

    async def _endpoint(self, reference: ServiceReference, service: Object, port_name: str) -> Address:
        found = ready_endpoints(service, await self._slices(reference.namespace, reference.name), port_name)
        real = next((one for one in found if one.pod is None), None)
        if real is not None:
            return Address(real.address, real.port, reference.host)
        why = "all its endpoints are simulated pods, in which no program listens" if found else "no endpoints available"
        raise UnreachableServiceError("MissingEndpoints", f'{why} for service "{reference.name}"; {how_to_bind(reference)}')


def how_to_bind(reference: ServiceReference) -> str:
    """What to do to have a program of one's own answer."""
    port = "" if reference.port == ServiceReference("", "").port else f"{reference.port}:"
    return f"to have a program on this machine answer: svcsim bind service/{reference.name} {port}LOCALPORT -n {reference.namespace}"


class Endpoint(NamedTuple):
    """A server that answers for a service."""

    address: str
    port: int
    pod: str | None
    """Its name; None for what is none."""


def ready_endpoints(service: Object, slices: Sequence[Object], port_name: str) -> list[Endpoint]:
    """The endpoints that are ready and have a port of that name.

    If a service has two IP families, each pod is in slices of both: then those of the first are used, unless there are none.
    """
    first = next(iter((service.get("spec") or {}).get("ipFamilies") or ()), "")
    of_first = [one for one in slices if one.get("addressType") == first]
    return _ready(of_first, port_name) or _ready(slices, port_name)


def _ready(slices: Sequence[Object], port_name: str) -> list[Endpoint]:
    found: list[Endpoint] = []
    for one in slices:
        port = next((port["port"] for port in one.get("ports") or () if (port.get("name") or "") == port_name and port.get("port")), None)
        if port is None:
            continue
        for endpoint in one.get("endpoints") or ():
            if takes_requests(endpoint):
                target = endpoint.get("targetRef") or {}
                pod = (target.get("name") or "") if target.get("kind") == "Pod" else None
                found += [Endpoint(address, port, pod) for address in endpoint.get("addresses") or ()]
    return found
