"""Known senders: their identity and the decisions about them are cached for as long as the premises hold.

Most requests come from a client that has just made another one. Judging it again would cost more than answering it. So the results are kept
with the sender (`svcsim.meta.http.Sender`), and before they count for another request, every premise is checked again: that the token is
valid, that no role or binding has changed. Nothing is cached for requests that impersonate another user.
"""

from svcsim import limits
from svcsim.auth.authentication import Identity
from svcsim.auth.authorization import Decision, Verdict
from svcsim.auth.premise import Premise
from svcsim.meta.http import Request
from svcsim.meta.types import User
from svcsim.server.requests.request_info import RequestInfo, RequestLine
from svcsim.server.requests.way import Way


class Familiar:
    """A sender whose identity is known, and some decisions about them."""

    __slots__ = ("_allowed", "_premise", "identity")

    def __init__(self, identity: Identity, premise: Premise) -> None:
        self.identity = identity
        self._premise = premise
        self._allowed: dict[RequestLine, Decision] = {}
        """By what was asked, each with its premise."""

    def still(self) -> bool:
        """Whether they are who they were."""
        return self._premise.holds()

    def may(self, info: RequestInfo, way: Way) -> bool:
        """Whether they may do this, as they might before; that is noted on the way. Else it has to be decided."""
        found = None if info.line is None else self._allowed.get(info.line)
        if found is None or found.premise is None or not found.premise.holds():
            return False
        way.decision = found
        return True

    def learn(self, info: RequestInfo, decision: Decision) -> None:
        """Something was decided about them."""
        if info.line is not None and decision.verdict is Verdict.ALLOW and decision.premise is not None:
            if len(self._allowed) >= limits.FAMILIAR_DECISIONS:
                self._allowed.clear()
            self._allowed[info.line] = decision


def familiar_of(request: Request) -> Familiar | None:
    """The known sender of this request, if there is one and their identity is still valid."""
    sender = request.sender
    if sender is None or not isinstance(known := sender.known, Familiar):
        return None
    if known.still():
        return known
    sender.known = None
    return None


def made_familiar(request: Request, identity: Identity, user: User) -> Familiar | None:
    """Remember the sender of this request as that user, if it impersonates nobody and the identity is valid beyond this request."""
    if request.sender is None or identity.premise is None or user is not identity.user:
        return None
    known = request.sender.known = Familiar(identity, identity.premise)
    return known
