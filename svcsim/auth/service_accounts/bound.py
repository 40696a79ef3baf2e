"""Tokens that were requested: whether what they are bound to is there, and their time isn't over."""

from svcsim.auth.service_accounts.claims import BoundClaims
from svcsim.auth.service_accounts.objects import AccountObjects
from svcsim.auth.service_accounts.outcome import GOOD, InvalidTokenError, Judged
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.clock import Clock

_LEEWAY_S = 60.0
"""Between the clocks of those who make, use and judge a token."""


def check_bound(claims: BoundClaims, objects: AccountObjects, words: AccountWords, now_s: float) -> Judged:
    """The identity of the token's bearer. Raises `InvalidTokenError`."""
    _check_times(claims, now_s)
    deleted_before_s = now_s - _LEEWAY_S
    objects.account(claims.namespace, claims.account, deleted_before_s)
    if claims.secret is not None:
        objects.check_bound("secret", claims.namespace, claims.secret, deleted_before_s)
    if claims.pod is not None:
        objects.check_bound("pod", claims.namespace, claims.pod, deleted_before_s)
    elif claims.node is not None:
        # A pod's token names the node as well, and isn't bound to it: the pod goes when the node does.
        objects.check_bound("node", "", claims.node, deleted_before_s)
    late_s = int(now_s) - int(claims.warn_after_s)
    if not claims.warn_after_s or late_s <= 0:
        return GOOD
    return Judged(notes={words.audit_stale: f"subject: {claims.subject}, seconds after warning threshold: {late_s}"})


class GoodStill:
    """The token is checked against the cluster again, and has no warnings."""

    __slots__ = ("_claims", "_clock", "_objects", "_words")

    def __init__(self, claims: BoundClaims, objects: AccountObjects, words: AccountWords, clock: Clock) -> None:
        self._claims = claims
        self._objects = objects
        self._words = words
        self._clock = clock

    def holds(self) -> bool:
        try:
            return check_bound(self._claims, self._objects, self._words, self._clock.now()) is GOOD
        except InvalidTokenError:
            return False


def _check_times(claims: BoundClaims, now_s: float) -> None:
    if now_s + _LEEWAY_S < claims.not_before_s:
        raise InvalidTokenError("service account token is not valid yet")
    if now_s - _LEEWAY_S > claims.expires_s:
        raise InvalidTokenError("service account token has expired")
    if now_s + _LEEWAY_S < claims.issued_s:
        raise InvalidTokenError("service account token is issued in the future")
