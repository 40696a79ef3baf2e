"""What a quota says of itself is written before what takes it is stored: who has an answer in hand finds it there.

Where many write at once, one write tells of all who have been let in by then.
"""

import asyncio
from weakref import WeakValueDictionary

from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.quota_usage import with_usage
from svcsim.meta.types import Object
from svcsim.registry.status_patch import PatchStatus

_QUOTAS = ("v1", "resourcequotas")


class _Turns:
    """The requests that wait for one quota's status to be written."""

    def __init__(self) -> None:
        self.asked = 0
        self.told = 0
        """How many of them what is written tells of."""
        self.writing = asyncio.Lock()


class QuotaStatuses:
    """Writes them."""

    def __init__(self, ledger: QuotaLedger, patch_status: PatchStatus) -> None:
        self._ledger = ledger
        self._patch_status = patch_status
        self._turns: WeakValueDictionary[str, _Turns] = WeakValueDictionary()
        """By the quota's uid, as long as requests wait."""

    async def tell(self, quota: Object) -> None:
        """Return once a quota's status tells what is reserved now. Raises `StatusError` if it can't be written."""
        turns = self._turns.setdefault(uid_of(quota), _Turns())
        turns.asked += 1
        turn = turns.asked
        async with turns.writing:
            if turns.told < turn:
                asked = turns.asked
                await self._write(quota)
                turns.told = asked

    async def _write(self, quota: Object) -> None:
        try:
            await self._patch_status(*_QUOTAS, namespace_of(quota), name_of(quota), lambda now: self._telling(now, quota))
        except StatusError as error:
            if error.reason != "NotFound":  # a quota that is gone binds nobody
                raise

    def _telling(self, now: Object, quota: Object) -> Object:
        """The quota as it is now, with what is taken. Where its amounts are others by now, it's for the controller to open their books."""
        return now if now.get("spec") != quota.get("spec") else with_usage(now, self._ledger.told(quota))
