"""Authentication by tokens of service accounts.

A token is checked in two parts. Its signature is verified once and cached by the token's digest: it can't change, and verifying it costs
more than the rest of authentication. Its claims are checked against the cluster each time: the time, the account, and the object it is
bound to, which have to be the very ones that existed when it was issued. So a token is invalid from the moment one of them is deleted, and
stays so when another of the same name is created.

A token of another issuer is left to others.
"""

import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple

from svcsim import limits
from svcsim.auth import jws
from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.known_user import known_user
from svcsim.auth.premise import Premise
from svcsim.auth.service_account_names import groups_of_account, user_of_account
from svcsim.auth.service_accounts.bound import GoodStill, check_bound
from svcsim.auth.service_accounts.claims import BoundClaims, LegacyClaims, read_bound, read_legacy
from svcsim.auth.service_accounts.keys import AccountKeys
from svcsim.auth.service_accounts.legacy import LegacyTokens
from svcsim.auth.service_accounts.objects import AccountObjects
from svcsim.auth.service_accounts.outcome import InvalidTokenError
from svcsim.auth.service_accounts.words import AccountWords
from svcsim.clock import Clock
from svcsim.meta.types import User

_METHOD = "service account token"


class Trusted(NamedTuple):
    """Whose tokens count, and whom they have to be for."""

    issuers: tuple[str, ...]
    audiences: tuple[str, ...]
    """The API server's own names: a token that says nothing is for them."""


class Verified(NamedTuple):
    """The claims of a token, and the identity that it gives as long as it is valid."""

    claims: BoundClaims | LegacyClaims
    identity: Identity
    """For the API server, where there is nothing to be noted."""


class ServiceAccountTokens:
    """Knows the tokens that were requested, and those that stand in Secrets."""

    def __init__(
        self, keys: AccountKeys, trusted: Trusted, objects: AccountObjects, legacy: LegacyTokens, words: AccountWords, clock: Clock
    ) -> None:
        self._keys = keys
        self._trusted = trusted
        self._objects = objects
        self._legacy = legacy
        self._words = words
        self._clock = clock
        self._verified: OrderedDict[bytes, Verified] = OrderedDict()
        """By the digest of the token; the one that was used last is last."""

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Answer:
        """No opinion on tokens of other issuers."""
        if not jws.may_be(token):
            return None
        digest = hashlib.sha256(token.encode(errors="surrogateescape")).digest()
        verified = self._verified.get(digest)
        try:
            if verified is None:
                verified = self._verify(token)
                if verified is None:
                    return None
                self._remember(digest, verified)
            else:
                self._verified.move_to_end(digest)
            return await self._identity(verified, token, audiences)
        except InvalidTokenError as error:
            return Rejected(str(error))

    def _verify(self, token: str) -> Verified | None:
        """What a token says that one of the keys has signed. Raises `InvalidTokenError`."""
        found = jws.read(token)
        if found is None:
            return None
        issuer = found.claims.get("iss")
        is_legacy = issuer == self._words.legacy_issuer
        if not is_legacy and issuer not in self._trusted.issuers:
            return None
        if not self._keys.have_signed(found):
            raise InvalidTokenError("invalid signature")
        try:
            claims = (read_legacy if is_legacy else read_bound)(found.claims, self._words)
        except ValueError as error:
            raise InvalidTokenError(str(error)) from error
        shared, premise = self._shared(claims, self._trusted.audiences), self._premise(claims)
        return Verified(claims, Identity(_user(claims, self._words), shared, _METHOD, premise=premise))

    def _premise(self, claims: BoundClaims | LegacyClaims) -> Premise | None:
        """None for tokens of which something has to be noted each time."""
        if isinstance(claims, LegacyClaims) or not claims.audiences:
            return None
        return GoodStill(claims, self._objects, self._words, self._clock)

    def _remember(self, digest: bytes, verified: Verified) -> None:
        if len(self._verified) >= limits.VERIFIED_TOKENS:
            self._verified.popitem(last=False)
        self._verified[digest] = verified

    async def _identity(self, verified: Verified, token: str, audiences: tuple[str, ...]) -> Identity:
        claims, identity = verified
        if audiences is not self._trusted.audiences:
            identity = replace(identity, audiences=self._shared(claims, audiences), premise=None)
        if not identity.audiences:
            raise InvalidTokenError(f"token audiences {_list(claims.audiences)} is invalid for the target audiences {_list(audiences)}")
        if isinstance(claims, BoundClaims):
            judged = check_bound(claims, self._objects, self._words, self._clock.now())
        else:
            judged = await self._legacy.check(claims, token)
        if not claims.audiences:
            judged = judged._replace(notes={**judged.notes, self._words.audit_legacy: claims.subject})
        if not judged.notes and not judged.warnings:
            return identity
        return replace(identity, annotations=tuple(judged.notes.items()), warnings=judged.warnings, premise=None)

    def _shared(self, claims: BoundClaims | LegacyClaims, audiences: tuple[str, ...]) -> tuple[str, ...]:
        """For whom of these the token is."""
        return tuple(audience for audience in claims.audiences or self._trusted.audiences if audience in audiences)


def _user(claims: BoundClaims | LegacyClaims, words: AccountWords) -> User:
    namespace, account = claims.namespace, claims.account
    extra = _extra(claims, words) if isinstance(claims, BoundClaims) else {}
    return known_user(user_of_account(namespace, account.name), groups_of_account(namespace), account.uid, extra)


def _extra(claims: BoundClaims, words: AccountWords) -> dict[str, tuple[str, ...]]:
    """What the token tells beside the account."""
    told: dict[str, tuple[str, ...]] = {}
    if claims.token_id:
        told[words.credential_id] = (f"JTI={claims.token_id}",)
    if claims.pod is not None:
        told |= {words.pod_name: (claims.pod.name,), words.pod_uid: (claims.pod.uid,)}
    if claims.node is not None:
        told[words.node_name] = (claims.node.name,)
        if claims.node.uid:
            told[words.node_uid] = (claims.node.uid,)
    return told


def _list(names: tuple[str, ...]) -> str:
    return "[" + " ".join(f'"{name}"' for name in names) + "]"
