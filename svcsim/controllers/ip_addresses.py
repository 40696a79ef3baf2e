"""The IP-address controller: every address that a Service has is an IPAddress, which goes with it.

Services determine which addresses are in use; these objects follow them. One that was deleted is created again, one whose Service is gone,
or has another address, is deleted. Those made by others are left alone.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.ip_addresses import allotted, cluster_ips, is_allotted, parent_of
from svcsim.meta.objects import uid_of
from svcsim.meta.types import Object


class IpAddressController(Controller):
    """Keeps IPAddresses as the Services are; a key is an address."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        version = f"{context.dialect.group('networking')}/v1"
        self._api = context.client.resource(version, "ipaddresses")
        self._services = context.informers.cache("v1", "services", cluster_ips)
        self._addresses = context.informers.cache(version, "ipaddresses")
        sources = (Source(self._services, _addresses_of), Source(self._addresses, itself))
        super().__init__("IP-address controller", context.clock, sources)

    async def reconcile(self, key: ObjectKey) -> None:
        holders = self._services.find(cluster_ips, key.name)
        present = self._addresses.get(key.name)
        if present is None:
            if holders:
                await self._make(key.name, holders[0])
        elif is_allotted(present, self._dialect) and present["spec"]["parentRef"] not in [parent_of(service) for service in holders]:
            await self._api.delete(key.name, uid=uid_of(present))

    async def _make(self, address: str, service: Object) -> None:
        try:
            await self._api.create(allotted(address, service, self._dialect))
        except StatusError as error:
            if error.reason != "AlreadyExists":
                raise


def _addresses_of(_change: str, service: Object, before: Object | None) -> Iterable[ObjectKey]:
    seen = cluster_ips(service)
    known = cluster_ips(before) if before is not None else []
    return (
        ObjectKey("", address) for address in dict.fromkeys((*seen, *known)) if before is None or (address in seen) != (address in known)
    )
