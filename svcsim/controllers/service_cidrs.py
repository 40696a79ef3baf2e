"""The service-CIDR controller: reports which ServiceCIDRs are ready, and keeps each while a Service has an address of it.

A terminating one allocates no further addresses. It is removed as soon as all its addresses in use are also in another one, but not before
a delay, so that the last allocations are known.
"""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.ip_addresses import is_allotted
from svcsim.meta.networks import Network, inside, parse_address, parse_networks
from svcsim.meta.objects import finalizers_of, is_terminating, name_of, set_condition
from svcsim.meta.times import format_time, parse_time
from svcsim.meta.types import Object

_GRACE_S = 10.0
_READY: Object = {"type": "Ready", "status": "True", "reason": "Ready", "message": "Kubernetes Service CIDR is ready"}
_STILL_IN_USE = "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"
_BLOCKED: Object = {"type": "Ready", "status": "False", "reason": "Terminating", "message": _STILL_IN_USE}


class ServiceCidrController(Controller):
    """Keeps the finalizer and the condition of every ServiceCIDR."""

    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._finalizer = f"{context.dialect.group('networking')}/service-cidr-finalizer"
        version = f"{context.dialect.group('networking')}/v1"
        self._api = context.client.resource(version, "servicecidrs")
        self._cidrs = context.informers.cache(version, "servicecidrs")
        self._addresses = context.informers.cache(version, "ipaddresses")
        sources = (Source(self._cidrs, itself), Source(self._cidrs, self._going), Source(self._addresses, self._going))
        super().__init__("service-CIDR controller", context.clock, sources)

    def _going(self, change: str, _obj: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """The terminating ServiceCIDRs: they may have waited for an object that was added or deleted."""
        return [object_key(one) for one in self._cidrs.all() if is_terminating(one)] if change != "MODIFIED" else ()

    async def reconcile(self, key: ObjectKey) -> None:
        service_cidr = self._cidrs.get(key.name)
        if service_cidr is None:
            return
        if not is_terminating(service_cidr):
            if self._finalizer not in finalizers_of(service_cidr):
                service_cidr = await self._put_finalizers(service_cidr, [*finalizers_of(service_cidr), self._finalizer])
            await self._tell(service_cidr, _READY)
        elif self._in_use(service_cidr):
            await self._tell(service_cidr, _BLOCKED)
        elif (rest_s := parse_time(service_cidr["metadata"]["deletionTimestamp"]) + _GRACE_S - self.clock.now()) > 0:
            self.queue.add_after(key, rest_s)
        elif self._finalizer in finalizers_of(service_cidr):
            await self._put_finalizers(service_cidr, [name for name in finalizers_of(service_cidr) if name != self._finalizer])

    def _in_use(self, service_cidr: Object) -> bool:
        """Whether an address of a Service would be in no network any more."""
        others = [network for one in self._cidrs.all() if name_of(one) != name_of(service_cidr) for network in _networks(one)]
        leaving = [network for network in _networks(service_cidr) if not any(inside(network, other) for other in others)]
        for ip_address in self._addresses.all() if leaving else ():
            address = parse_address(name_of(ip_address))
            if address is None or not is_allotted(ip_address, self._dialect):
                continue
            if any(address in network for network in leaving) and not any(address in network for network in others):
                return True
        return False

    async def _put_finalizers(self, service_cidr: Object, finalizers: list[str]) -> Object:
        metadata = {"finalizers": finalizers, "resourceVersion": service_cidr["metadata"]["resourceVersion"]}
        return await self._api.patch(name_of(service_cidr), {"metadata": metadata})

    async def _tell(self, service_cidr: Object, condition: Object) -> None:
        conditions = [dict(one) for one in (service_cidr.get("status") or {}).get("conditions") or ()]
        if set_condition(conditions, condition, format_time(self.clock.now())):
            await self._api.update({**service_cidr, "status": {"conditions": conditions}}, "status")


def _networks(service_cidr: Object) -> tuple[Network, ...]:
    return parse_networks((service_cidr.get("spec") or {}).get("cidrs") or ())
