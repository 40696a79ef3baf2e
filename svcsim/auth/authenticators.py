"""Who is asking: from what a request carries to a `User`.

A request may come with a user its transport vouches for (a component in the same process, a verified client certificate) or with a bearer
token. One without credentials is anonymous; one with wrong credentials is refused, never anonymous.
"""

import hashlib
from collections.abc import Mapping
from typing import Protocol

from svcsim.meta import errors
from svcsim.meta.http import Request
from svcsim.meta.types import User

ANONYMOUS = User("system:anonymous", ("system:unauthenticated",))
MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"


class Authenticator(Protocol):
    """One way to know who is asking."""

    def authenticate(self, request: Request) -> User | None:
        """The user; None if this way doesn't apply. Raises 401 if it does and the credentials are no good."""
        ...


class Transport:
    """The user the transport vouches for."""

    def authenticate(self, request: Request) -> User | None:
        """What the transport set, if it did."""
        return request.user


class BearerTokens:
    """Tokens known by their digests, so that looking one up tells nothing about the others."""

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users = {_digest(token): user for token, user in users.items()}

    def add(self, token: str, user: User) -> None:
        """Know one more."""
        self._users[_digest(token)] = user

    def authenticate(self, request: Request) -> User | None:
        """The token's user; raises 401 for a token nobody has."""
        header = request.headers.get("authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        user = self._users.get(_digest(token.strip())) if scheme.lower() == "bearer" else None
        if user is None:
            raise errors.unauthorized()
        return user


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogateescape")).digest()


class Chain:
    """Ways to authenticate, tried in order; whoever none of them knows is anonymous."""

    def __init__(self, *ways: Authenticator) -> None:
        self._ways = ways

    def authenticate(self, request: Request) -> User:
        """The user of a request. Raises 401."""
        for way in self._ways:
            user = way.authenticate(request)
            if user is not None:
                return user
        return ANONYMOUS


def user_of_certificate(peer: Mapping[str, object]) -> User | None:
    """The user a verified client certificate stands for: common name and organisations, as `ssl.SSLSocket.getpeercert` shows them."""
    name, groups = "", []
    subject = peer.get("subject")
    for relative_name in subject if isinstance(subject, tuple) else ():
        for attribute, value in relative_name:
            if attribute == "commonName":
                name = value
            elif attribute == "organizationName":
                groups.append(value)
    return User(name, (*groups, AUTHENTICATED)) if name else None
