"""An identity provider: where its keys are, and which they are now.

It is asked when a token comes whose key isn't known, and not before: a cluster starts without it, and finds it when it is there. Tokens of
nobody's can't make the cluster ask all the time, and requests that wait for the same answer share it.
"""

import asyncio
import logging
from math import inf

from svcsim import limits
from svcsim.auth.oidc.keys import ProviderKey, read_keys
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request
from svcsim.meta.types import Json
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import OutboundError, Remote, Trust
from svcsim.wall import stopwatch

_WELL_KNOWN = "/.well-known/openid-configuration"
_LOG = logging.getLogger("svcsim.auth")


class IdentityProvider:
    """The provider at an issuer's URL."""

    def __init__(self, issuer: str, ca_pem: bytes | None, outbound: Outbound) -> None:
        """Without ``ca_pem`` it is known by the authorities that the machine trusts."""
        self.keys: tuple[ProviderKey, ...] = ()
        self._issuer = issuer
        self._trust = Trust(ca_pem)
        self._outbound = outbound
        self._keys_url = ""
        self._asking = asyncio.Lock()
        self._asked = 0
        self._asked_at_s = -inf

    async def renew(self) -> bool:
        """Ask for the keys, unless that was done just now; whether they were asked for since this was called."""
        before = self._asked
        async with self._asking:
            if self._asked == before and stopwatch() - self._asked_at_s >= limits.OIDC_RENEWAL_S:
                self._asked += 1
                self._asked_at_s = stopwatch()
                try:
                    await self._ask()
                except (OutboundError, StatusError) as error:
                    self._keys_url = ""
                    _LOG.warning("the keys of the identity provider %s can't be had: %s", self._issuer, error)
        return self._asked != before

    async def _ask(self) -> None:
        if not self._keys_url:
            document = await self._document(self._issuer.rstrip("/") + _WELL_KNOWN)
            issuer, url = (document.get(name) if isinstance(document, dict) else None for name in ("issuer", "jwks_uri"))
            if issuer != self._issuer:
                raise OutboundError("its configuration is another issuer's")
            if not isinstance(url, str) or not url.startswith("https://"):
                raise OutboundError("its configuration has no https jwks_uri")
            self._keys_url = url
        keys = read_keys(await self._document(self._keys_url))
        if not keys:
            raise OutboundError("it publishes no key that can be used")
        self.keys = keys

    async def _document(self, url: str) -> Json:
        request = Request("GET", "", headers={"accept": "application/json"})
        remote = Remote("oidc", url, trust=self._trust)
        answer = await self._outbound.call(remote, request, deadline_s=limits.OIDC_PROVIDER_WAIT_S, limit_bytes=limits.OIDC_DOCUMENT_BYTES)
        if answer.status != 200:
            raise OutboundError(f"{url} answers {answer.status}")
        return decode_json(answer.body)
