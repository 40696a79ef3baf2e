"""The webhook backend: lists of events, sent to a server outside of this process."""

from http import HTTPStatus

from svcsim import limits
from svcsim.chance import Chance
from svcsim.clock import Clock
from svcsim.meta.http import Request
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import OutboundError, Remote
from svcsim.server.audit.delivery import BackendError
from svcsim.server.audit.event import AuditEvent

_GROWTH = 1.5
"""How much longer it is waited before each further try."""
_JITTER = 0.2


class WebhookBackend:
    """Sends batches, each again a few times where that fails, ever later: it hardly ever is a reason not to that the receiver was away."""

    name = "webhook"

    def __init__(self, remote: Remote, outbound: Outbound, api_version: str, initial_backoff_s: float, chance: Chance) -> None:
        self._remote = remote
        self._outbound = outbound
        self._head = b'{"kind":"EventList","apiVersion":"%s","metadata":{},"items":[' % api_version.encode()
        self._initial_backoff_s = initial_backoff_s
        self._chance = chance
        self._time = Clock()

    def form(self, event: AuditEvent) -> bytes:
        """As it stands in a list."""
        return event.body

    async def write(self, batch: list[bytes]) -> None:
        """Raises `BackendError` after the last try."""
        body = self._head + b",".join(batch) + b"]}"
        wait_s = self._initial_backoff_s
        for left in reversed(range(limits.AUDIT_WEBHOOK_TRIES)):
            try:
                await self._send(body)
            except OutboundError as error:
                if not left:
                    raise BackendError(str(error)) from error
                await self._time.sleep(wait_s * (1 + self._chance.uniform(0, _JITTER)))
                wait_s *= _GROWTH
            else:
                return

    async def _send(self, body: bytes) -> None:
        headers = {"content-type": "application/json", "accept": "application/json"}
        request = Request("POST", "", "timeout=30s", headers, body)
        answer = await self._outbound.call(self._remote, request, deadline_s=limits.AUDIT_WEBHOOK_S)
        if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            raise OutboundError(f"the server answered {answer.status}")
