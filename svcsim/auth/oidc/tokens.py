"""Identity tokens: bearer tokens that a provider of OpenID Connect has signed.

The provider isn't asked about a token; what it publishes is enough to tell its tokens from others. Those that were good are remembered by
their digests until they expire, so that a client that asks often has its signature looked at once.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.oidc.claims import user_of, wrong_claims
from svcsim.auth.oidc.compact import Compact, read_compact
from svcsim.auth.oidc.keys import ProviderKey, is_signed
from svcsim.auth.oidc.provider import IdentityProvider
from svcsim.auth.oidc.settings import OidcSettings
from svcsim.meta.types import Object


class _Known(NamedTuple):
    """A token that was good, and what has to be looked at again: the time."""

    identity: Identity
    times: Object


class OidcTokens:
    """Knows the tokens of one provider."""

    def __init__(self, settings: OidcSettings, provider: IdentityProvider, now: Callable[[], float], credential_key: str) -> None:
        """``now`` is the cluster's time."""
        self._settings = settings
        self._provider = provider
        self._now = now
        self._credential_key = credential_key
        self._known: dict[bytes, _Known] = {}

    async def authenticate_token(self, token: str, _audiences: tuple[str, ...]) -> Answer:
        """No opinion on what isn't a token of the provider's, by its own word."""
        if len(token) > limits.OIDC_TOKEN_CHARS or token.count(".") != 2:
            return None
        digest = hashlib.sha256(token.encode(errors="surrogateescape")).digest()
        known = self._known.get(digest)
        if known is not None:
            if not (flaw := wrong_claims(known.times, self._settings, self._now())):
                return known.identity
            del self._known[digest]
            return Rejected(flaw)
        read = read_compact(token)
        if read is None or read.claims.get("iss") != self._settings.issuer:
            return None
        answer = await self._judged(read)
        if isinstance(answer, Identity):
            self._remember(digest, answer, read.claims)
        return answer

    async def _judged(self, token: Compact) -> Identity | Rejected:
        algorithm = token.header.get("alg")
        if algorithm not in self._settings.algorithms:
            return Rejected("the token is signed by an algorithm that is not allowed")
        if "crit" in token.header:
            return Rejected("the token asks for more to be looked at than is known here")
        if not await self._is_signed(token, algorithm):
            return Rejected("the token is signed with no key of the provider's")
        if flaw := wrong_claims(token.claims, self._settings, self._now()):
            return Rejected(flaw)
        user = user_of(token.claims, self._settings, self._credential_key)
        return user if isinstance(user, Rejected) else Identity(user, method="OpenID Connect token")

    async def _is_signed(self, token: Compact, algorithm: str) -> bool:
        if self._has_key(token, algorithm):
            return True
        # A key that was published since is asked for; one that is known and hasn't signed this will not have done so then either.
        key_id = token.header.get("kid")
        if key_id and any(key.key_id == key_id for key in self._provider.keys):
            return False
        await self._provider.renew()
        return self._has_key(token, algorithm)

    def _has_key(self, token: Compact, algorithm: str) -> bool:
        return any(is_signed(token, algorithm, key) for key in self._provider.keys if _may_be(key, token))

    def _remember(self, digest: bytes, identity: Identity, claims: Object) -> None:
        required = dict(self._settings.required_claims)
        times = {name: value for name, value in claims.items() if name in ("exp", "nbf", "iat", "azp") or name in required}
        self._known[digest] = _Known(identity, {**times, "aud": self._settings.client_id})
        if len(self._known) > limits.OIDC_TOKENS:
            del self._known[next(iter(self._known))]


def _may_be(key: ProviderKey, token: Compact) -> bool:
    key_id = token.header.get("kid")
    return not key_id or key.key_id == key_id
