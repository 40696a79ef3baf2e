"""The cleaner: requests are deleted an hour after they were decided, a day after they were made, and once their certificate has ended.

All of it in the cluster's time, by which the server records when a condition was added. The time of its last update may come from the clock
of the client that decided: it counts only if it is plausible by the cluster's clock.
"""

import base64

from svcsim import limits
from svcsim.auth.signing import expires_at
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.aside import aside
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import get_path, revision_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object

_DECIDED = ("Approved", "Denied", "Failed")


class CertificateCleaning(Controller):
    def __init__(self, context: ControllerContext) -> None:
        version = f"{context.dialect.group('certificates')}/v1"
        self._api = context.client.resource(version, "certificatesigningrequests")
        self._requests = context.informers.cache(version, "certificatesigningrequests")
        super().__init__("certificate cleaning", context.clock, (Source(self._requests, itself),), workers=1)

    async def reconcile(self, key: ObjectKey) -> None:
        csr = self._requests.get(key.name)
        if csr is None:
            return
        now = self.clock.now()
        left_s = await _due(csr, now) - now
        if left_s > 0:
            self.queue.add_after(key, left_s)
            return
        await self._api.delete(key.name, uid=uid_of(csr), resource_version=str(revision_of(csr)))


async def _due(csr: Object, now: float) -> float:
    """When it is to go."""
    decided = [one for one in get_path(csr, "status.conditions") or () if one["type"] in _DECIDED]
    if decided:
        due = max(_decided_at(one, now) for one in decided) + limits.DECIDED_REQUEST_S
    else:
        due = parse_time(csr["metadata"]["creationTimestamp"]) + limits.PENDING_REQUEST_S
    if issued := get_path(csr, "status.certificate"):
        due = min(due, await aside(limits.ASIDE_BYTES + 1, expires_at, base64.b64decode(issued)))
    return due


def _decided_at(condition: Object, now: float) -> float:
    came, updated = (parse_time(at) if (at := condition.get(name)) else None for name in ("lastTransitionTime", "lastUpdateTime"))
    if came is None:
        return updated or now
    return updated if updated is not None and came <= updated <= now else came
