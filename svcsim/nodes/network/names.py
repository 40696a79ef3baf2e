"""What the DNS of a cluster tells: the addresses of services and of the pods behind them, as Kubernetes' specification of it has them."""

import ipaddress
from collections.abc import Iterable, Sequence

from svcsim import limits
from svcsim.client.cache import Cache
from svcsim.meta.endpoint_slices import endpoints_in, takes_requests
from svcsim.meta.ip_addresses import cluster_ips
from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.shell.network import outside_address
from svcsim.nodes.streams.naming import CLUSTER_DOMAIN
from svcsim.outbound.services import ReadSlices


class ClusterNames:
    """Looks them up. ``services`` has all services of the cluster."""

    def __init__(self, services: Cache, slices: ReadSlices) -> None:
        self._services = services
        self._slices = slices

    async def addresses(self, name: str, at: float) -> tuple[str, ...]:
        """Those of a full name at a moment, up to now; none for what isn't a name in the cluster."""
        for _ in range(limits.NETWORK_ALIASES):
            match _labels(name):
                case [address, _, "pod"]:
                    return _dashed(address)
                case [*host, service_name, namespace, "svc"] if len(host) <= 1:
                    service = self._service(namespace, service_name, at)
                case _:
                    return ()
            if service is None:
                return ()
            name = ((service.get("spec") or {}).get("externalName") or "").removesuffix(".")
            if not name:
                return await self._of_service(service, *host)
            if outside := outside_address(name):
                return (outside,)
        return ()

    def names(self, address: str) -> tuple[str, ...]:
        """The names of the services that have an address."""
        found = (one for one in self._services.all() if address in cluster_ips(one))
        return tuple(f"{name_of(one)}.{namespace_of(one)}.svc.{CLUSTER_DOMAIN}" for one in found)

    def _service(self, namespace: str, name: str, at: float) -> Object | None:
        found = self._services.get(name, namespace)
        return found if found is not None and parse_time(metadata_of(found)["creationTimestamp"]) <= at else None

    async def _of_service(self, service: Object, host: str = "") -> tuple[str, ...]:
        own = cluster_ips(service)
        if own:
            return () if host else tuple(own)
        return tuple(dict.fromkeys(_of_endpoints(await self._slices(namespace_of(service), name_of(service)), host)))


def _labels(name: str) -> list[str]:
    """Those of a name in the cluster, without its domain."""
    within = name.lower().removesuffix(f".{CLUSTER_DOMAIN}")
    return within.split(".") if within != name.lower() else []


def _of_endpoints(slices: Sequence[Object], host: str) -> Iterable[str]:
    """The addresses of the endpoints that are ready, or of the one that is called so: by its host's name, or by its address with dashes."""
    for endpoint in filter(takes_requests, endpoints_in(slices)):
        for address in endpoint.get("addresses") or ():
            if not host or host == (endpoint.get("hostname") or "").lower() or address in _dashed(host):
                yield address


def _dashed(text: str) -> tuple[str, ...]:
    """The address that is written with dashes in the place of its dots or colons."""
    for separator in ".:":
        try:
            return (str(ipaddress.ip_address(text.replace("-", separator))),)
        except ValueError:
            continue
    return ()
