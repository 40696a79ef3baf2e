"""Authentication: what an authenticator is, and how several of them work together in one server.

An authenticator returns an identity, a rejection, or nothing if it has no opinion. None of them refuses a request by itself: a token that
one doesn't know may be valid for the next. Only the union knows that all have been asked, so it decides at the end. An authenticator that
fails (a webhook that can't be reached, an unforeseen token) is logged, counts as a rejection, and doesn't affect the others.

An identity may carry a premise (`svcsim.auth.premise`): then the same headers and the same certificate mean the same user for as long as it
holds. Only an authenticator may give one if all before it never change their opinion: one that had none won't have one later.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeAlias, TypeVarTuple

from svcsim.auth.premise import ALWAYS, Premise
from svcsim.meta import errors
from svcsim.meta.http import Request
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import User

MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"

Credential = TypeVarTuple("Credential")

_LOG = logging.getLogger("svcsim.auth")


@dataclass(frozen=True, slots=True)
class Identity:
    """A user that was made sure of. What is known of the credential itself stands in the user's ``extra``."""

    user: User
    audiences: tuple[str, ...] = ()
    """The requested audiences that the credential has; empty if it names none, and so is for the API server."""
    method: str = ""
    """How it was made sure of, in a word or two for people: ``client certificate``."""
    annotations: tuple[tuple[str, str], ...] = ()
    """Noted beside the request's audit events."""
    warnings: tuple[str, ...] = ()
    """What the client should know about its credential."""
    premise: Premise | None = field(default=None, compare=False)
    """The premise under which the same credential again means this user, without any further warnings."""


class Rejected(NamedTuple):
    """Credentials were given, and they are no good. The reason is for the log: clients get the same 401 whatever it was."""

    reason: str
    told: str = ""
    """A message that clients get all the same, if the authenticator wants them to see it."""


Answer: TypeAlias = Identity | Rejected | None
"""What an authenticator says; None where it has no opinion."""

ANONYMOUS = Identity(User("system:anonymous", (UNAUTHENTICATED,)), method="anonymous")


class Authenticator(Protocol):
    """One way to know who is asking."""

    async def authenticate(self, request: Request) -> Answer:
        """May await; called for every request, so an authenticator that calls another server caches its answers."""
        ...


async def first_identity(
    ask: tuple[Callable[[*Credential], Awaitable[Answer]], ...], incidents: Incidents, *credential: *Credential
) -> Answer:
    """The first identity, whatever those before it have rejected; else all rejections as one; None where nobody has an opinion."""
    rejections: list[Rejected] = []
    for authenticate in ask:
        try:
            answer = await authenticate(*credential)
        except Exception as failure:  # noqa: BLE001 - whatever it is, it must not lock out those whom the next one knows
            answer = Rejected(f"incident {incidents.log(failure, 'an authenticator failed')}")
        if isinstance(answer, Identity):
            return replace(answer, premise=None) if rejections and answer.premise is not None else answer
        if answer is not None:
            rejections.append(answer)
    if not rejections:
        return None
    return Rejected("; ".join(one.reason for one in rejections), "; ".join(one.told for one in rejections if one.told))


class InProcess:
    """The user the in-process transport vouches for. Nothing that came over a wire has one: the HTTP front can't set it."""

    async def authenticate(self, request: Request) -> Identity | None:
        """No opinion on what came over a wire."""
        return None if request.user is None else Identity(request.user, (), "in process", premise=ALWAYS)


class AuthenticatorUnion:
    """Several authenticators, asked in order."""

    def __init__(self, *authenticators: Authenticator, incidents: Incidents, without_credentials: Identity | None = ANONYMOUS) -> None:
        """``without_credentials`` is who a request without any is; None refuses it."""
        self._incidents = incidents
        self._ask = tuple(authenticator.authenticate for authenticator in authenticators)
        self._without_credentials = without_credentials

    async def authenticate(self, request: Request) -> Identity:
        """Raises 401 where credentials were given and nobody accepted them."""
        answer = await first_identity(self._ask, self._incidents, request)
        if isinstance(answer, Identity):
            return answer
        if answer is not None:
            _LOG.info("credentials were rejected: %s", answer.reason)
            raise errors.unauthorized(answer.told) if answer.told else errors.unauthorized()
        if self._without_credentials is not None and "authorization" not in request.headers:
            return self._without_credentials
        # An Authorization header that no authenticator accepted counts as a credential: its sender didn't mean to be anonymous.
        raise errors.unauthorized()
