"""The resource quota controller: the status of quotas tells what is enforced, and what is taken now.

It is for those who read it. Whoever decides about requests goes by what is stored, and by what is about to be (admission).
"""

from collections.abc import Awaitable, Callable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.pod_amounts import Quantities, quantities
from svcsim.meta.types import Object

Used = Callable[[Object], Awaitable[Quantities]]
"""What the stored objects of a quota's namespace take of it."""
OnChange = Callable[[Callable[[str], None]], None]
"""Has a function called with each namespace in which that may have changed."""


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
        hard = (quota.get("spec") or {}).get("hard") or {}
        used = {name: str(amount) for name, amount in (await self._used(quota)).items()}
        status = quota.get("status") or {}
        if status.get("hard") != hard or quantities(status.get("used")) != quantities(used) or set(status.get("used") or {}) != set(used):
            await self._api.within(key.namespace).update({**quota, "status": {"hard": hard, "used": used}}, "status")
