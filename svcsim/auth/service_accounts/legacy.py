"""Tokens that stand in Secrets. They have no end of their own: one is good for as long as its Secret holds that very token.

That is why they are old-fashioned: when one was last used stands on its Secret, so that those nobody uses can be found, marked as no longer
valid, and deleted at last.
"""

import base64
import hmac
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from svcsim.auth.service_accounts.claims import LegacyClaims
from svcsim.auth.service_accounts.objects import AccountObjects
from svcsim.auth.service_accounts.outcome import InvalidTokenError, Judged
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import labels_of, metadata_of
from svcsim.meta.times import format_day
from svcsim.meta.types import Object

_LOG = logging.getLogger("svcsim.auth")

MarkUsed: TypeAlias = Callable[[str, str, str, str], Awaitable[object]]
"""Gives a Secret (by namespace and name) a label (its key and value)."""

_AUTO_GENERATED = (
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."
)


class LegacyTokens:
    """Judges them by their Secrets."""

    def __init__(self, objects: AccountObjects, words: AccountWords, clock: Clock, mark_used: MarkUsed, *, lookup: bool) -> None:
        """``lookup`` False takes a token's word for everything it says."""
        self._objects = objects
        self._words = words
        self._clock = clock
        self._mark_used = mark_used
        self._lookup = lookup

    async def check(self, claims: LegacyClaims, token: str) -> Judged:
        """The warnings about the token. Raises `InvalidTokenError`."""
        if not self._lookup:
            return Judged()
        secret = self._objects.secret(claims.namespace, claims.secret)
        if secret is None or "deletionTimestamp" in metadata_of(secret):
            raise InvalidTokenError("service account token has been invalidated")
        held = base64.b64decode((secret.get("data") or {}).get("token") or "")
        if not hmac.compare_digest(held, token.encode(errors="surrogateescape")):
            raise InvalidTokenError("service account token does not match server's copy")
        account = self._objects.account(claims.namespace, claims.account, self._clock.now())
        labels = labels_of(secret)
        if labels.get(self._words.invalid_since):
            raise InvalidTokenError(self._invalidated(claims))
        listed = any(one.get("name") == claims.secret for one in account.get("secrets") or ())
        await self._note_use(claims, labels)
        return Judged(warnings=(_AUTO_GENERATED,) if listed else ())

    def _invalidated(self, claims: LegacyClaims) -> str:
        return (
            f"the token in secret {claims.namespace}/{claims.secret} for service account {claims.namespace}/{claims.account.name} has been "
            "marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the "
            f"'{self._words.invalid_since}' label from the secret to temporarily allow use of this token"
        )

    async def _note_use(self, claims: LegacyClaims, labels: Object) -> None:
        """Once a day. Where it can't be noted, the token is good all the same."""
        today = format_day(self._clock.now())
        if labels.get(self._words.last_used) == today:
            return
        try:
            await self._mark_used(claims.namespace, claims.secret, self._words.last_used, today)
        except StatusError as error:
            _LOG.warning("the use of the token in secret %s/%s could not be noted: %s", claims.namespace, claims.secret, error.message)
