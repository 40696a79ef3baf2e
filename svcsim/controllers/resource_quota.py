"""The resource quota controller: the status of quotas tells what is enforced, and what is taken now.

Admission writes down what a request takes before it is let in. Everything else is this one's: what is given back, what was let in and
failed, new quotas and new amounts.
"""

from collections.abc import Awaitable, Callable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.pod_amounts import Quantities
from svcsim.meta.quota_usage import with_usage
from svcsim.meta.types import Object

Used = Callable[[Object], Awaitable[Quantities]]
"""What the objects of a quota's namespace take of it, stored ones and those under way."""
OnChange = Callable[[Callable[[str], None]], None]
"""Has a function called with each namespace in which that may have changed; with an empty one where it may be any."""


class ResourceQuotaController(Controller):
    """Writes it down as soon as something has changed. While a quota waits for that, whatever else changes is written down with it."""

    def __init__(self, context: ControllerContext, *, used: Used, on_change: OnChange) -> None:
        self._used = used
        self._api = context.client.resource("v1", "resourcequotas")
        self._quotas = context.informers.cache("v1", "resourcequotas")
        super().__init__("resource quota controller", context.clock, (Source(self._quotas, itself),))
        on_change(self._look_again)

    def _look_again(self, namespace: str) -> None:
        for quota in self._quotas.all(namespace):
            self.queue.add(object_key(quota))

    async def reconcile(self, key: ObjectKey) -> None:
        quota = self._quotas.get(key.name, key.namespace)
        if quota is None:
            return
        told = with_usage(quota, await self._used(quota))
        if told is not quota:
            await self._api.within(key.namespace).update(told, "status")
