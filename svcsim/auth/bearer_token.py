"""Bearer tokens: the header they come in, and the tokens that are fixed when the cluster is made.

The authenticator of a kind of token implements `TokenAuthenticator` and gets its place in `BearerToken`. It gets tokens separately from
requests, so that it can also check a token from the body of a review.
"""

import hashlib
from collections.abc import Mapping
from typing import Protocol

from svcsim.auth.authentication import Answer, Identity, Rejected, first_identity
from svcsim.auth.premise import ALWAYS
from svcsim.meta.http import Request
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import User

_INVALID = "invalid bearer token"


class TokenAuthenticator(Protocol):
    """One kind of token."""

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Answer:
        """None for a token that isn't of this kind. One that says whom it is for must be for one of the ``audiences``."""
        ...


class BearerToken:
    """Reads the token from the Authorization header, once, and asks all who know tokens, in order."""

    def __init__(self, *authenticators: TokenAuthenticator, incidents: Incidents, audiences: tuple[str, ...] = ()) -> None:
        """``audiences`` are those whom the token of a request has to be for: the API server's names."""
        self._incidents = incidents
        self._audiences = audiences
        self._ask = tuple(authenticator.authenticate_token for authenticator in authenticators)

    async def authenticate(self, request: Request) -> Answer:
        """No opinion on other schemes, and on a header without a token."""
        header = request.headers.get("authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            return None
        return await self.authenticate_token(token, self._audiences)

    async def authenticate_token(self, token: str, audiences: tuple[str, ...]) -> Identity | Rejected:
        """An identity, or why nobody gave one: a bearer token is a credential even if nobody knows its kind."""
        answer = await first_identity(self._ask, self._incidents, token, audiences)
        if answer is None:
            return Rejected(_INVALID)
        return Rejected(f"[{_INVALID}, {answer.reason}]", answer.told) if isinstance(answer, Rejected) else answer


class StaticTokens:
    """Tokens known by their digests, so that looking one up says nothing about the others."""

    def __init__(self, users: Mapping[str, User]) -> None:
        """Raises `ValueError` for an empty token, which would match requests without one."""
        if not all(users):
            raise ValueError("a token is empty")
        self._identities = {_digest(token): Identity(user, method="static token", premise=ALWAYS) for token, user in users.items()}

    async def authenticate_token(self, token: str, _audiences: tuple[str, ...]) -> Identity | None:
        """A token that isn't there may be another authenticator's, so it is never rejected here."""
        return self._identities.get(_digest(token))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogateescape")).digest()
