"""What the DNS of a cluster tells: the addresses of services and of the pods behind them, as Kubernetes' specification of it has them."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from svcsim.client.cache import Cache
from svcsim.meta.objects import metadata_of, name_of, namespace_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.shell.network import outside_address
from svcsim.nodes.streams.naming import CLUSTER_DOMAIN

Slices: TypeAlias = Callable[[str, str], Awaitable[list[Object]]]
"""The EndpointSlices of a service, by its namespace and name."""
_HEADLESS = "None"
_ALIASES = 8
"""How many names, each of which stands for another, are followed."""


class ClusterNames:
    """Looks them up. ``services`` has all services of the cluster."""

    def __init__(self, services: Cache, slices: Slices) -> None:
        self._services = services
        self._slices = slices

    async def addresses(self, name: str, at: float) -> tuple[str, ...]:
        """Those of a full name at a moment, up to now; none for what isn't a name in the cluster."""
        for _ in range(_ALIASES):
            labels = name.lower().removesuffix(f".{CLUSTER_DOMAIN}").split(".") if name.lower().endswith(f".{CLUSTER_DOMAIN}") else []
            match labels:
                case [address, _, "pod"]:
                    return _dashed(address)
                case [*host, service_name, namespace, "svc"] if len(host) <= 1:
                    service = self._service(namespace, service_name, at)
                    alias = "" if service is None else (service.get("spec") or {}).get("externalName") or ""
                    if service is None or not alias:
                        return () if service is None else await self._of_service(service, *host)
                    name = alias.removesuffix(".")
                    if outside := outside_address(name):
                        return (outside,)
                case _:
                    return ()
        return ()

    def names(self, address: str) -> tuple[str, ...]:
        """The names of the services that have an address."""
        found = (one for one in self._services.all() if address in cluster_addresses(one))
        return tuple(f"{name_of(one)}.{namespace_of(one)}.svc.{CLUSTER_DOMAIN}" for one in found)

    def _service(self, namespace: str, name: str, at: float) -> Object | None:
        found = self._services.get(name, namespace)
        return found if found is not None and parse_time(metadata_of(found)["creationTimestamp"]) <= at else None

    async def _of_service(self, service: Object, host: str = "") -> tuple[str, ...]:
        own = cluster_addresses(service)
        if own:
            return () if host else own
        return tuple(dict.fromkeys(_of_endpoints(await self._slices(namespace_of(service), name_of(service)), host)))


def cluster_addresses(service: Object) -> tuple[str, ...]:
    """Those at which a service is reached within the cluster; none for one that has none of its own."""
    spec = service.get("spec") or {}
    return tuple(one for one in spec.get("clusterIPs") or (spec.get("clusterIP"),) if one and one != _HEADLESS)


def _of_endpoints(slices: Sequence[Object], host: str) -> Iterable[str]:
    """The addresses of the endpoints that are ready, or of the one that is called so: by its host's name, or by its address with dashes."""
    for one in slices:
        for endpoint in one.get("endpoints") or ():
            if (endpoint.get("conditions") or {}).get("ready") is False:
                continue
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
