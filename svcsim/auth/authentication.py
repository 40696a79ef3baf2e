"""Who is asking: what an authenticator is, and how several of them stand in one server.

An authenticator answers with an identity, a rejection, or nothing where it has no opinion. None of them refuses a request by itself: a
token that one doesn't know may be good for the next. Only the union knows that everyone has been asked, so it decides, at its end. One
that fails (a webhook that can't be reached, a token that nobody thought of) is logged, counts as a rejection, and keeps nobody else out.

An identity may carry a premise (`svcsim.auth.premise`): then the same headers and the same certificate mean the same somebody for as long
as it holds. Only those may give one before whom nobody is asked who could change their mind: who has no opinion there has none for good.
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
    """For how long who brings the same credential again is this user, and nothing else is to be told."""


class Rejected(NamedTuple):
    """Credentials were given, and they are no good. The reason is for the log: clients get the same 401 whatever it was."""

    reason: str
    told: str = ""
    """What clients are told all the same, by somebody who was asked and wants them to know."""


Answer: TypeAlias = Identity | Rejected | None
"""What an authenticator says; None where it has no opinion."""

ANONYMOUS = Identity(User("system:anonymous", (UNAUTHENTICATED,)), method="anonymous")


class Authenticator(Protocol):
    """One way to know who is asking."""

    async def authenticate(self, request: Request) -> Answer:
        """May wait for others; called for every request, so whoever asks another server remembers its answers."""
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
        # An Authorization header that nobody took counts as a credential: whoever sent it did not mean to be anonymous.
        raise errors.unauthorized()
