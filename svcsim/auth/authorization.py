"""Whether they may: what an authorizer is, and how several of them stand in one server.

An authorizer allows, denies, or has no opinion. The first that does one of the former decides for all; where nobody does, the request is
forbidden. An authorizer that goes by rules can also list what a user may do, which is how ``auth can-i --list`` gets its answer.

One that fails has no opinion, and the others are asked. Where none of them decides, the request isn't allowed, but nobody can say that
it is forbidden: it fails, under the id that the failure has in the log.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple, Protocol

from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import MASTERS
from svcsim.auth.premise import ALWAYS, Premise
from svcsim.meta.errors import internal
from svcsim.meta.incidents import Incidents
from svcsim.meta.types import User


class Verdict(Enum):
    """What an authorizer says."""

    ALLOW = "allow"
    DENY = "deny"
    NO_OPINION = "no opinion"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and why. A request needs one that allows it: no opinion isn't enough."""

    verdict: Verdict
    reason: str = ""
    incident: str = ""
    """Where nobody has decided, the failure of one who might have."""
    premise: Premise | None = field(default=None, compare=False)
    """For how long this is said of the same request."""


ALLOWED = Decision(Verdict.ALLOW)
NO_OPINION = Decision(Verdict.NO_OPINION)
ALLOWED_FOR_GOOD = Decision(Verdict.ALLOW, premise=ALWAYS)
NO_OPINION_EVER = Decision(Verdict.NO_OPINION, premise=ALWAYS)
"""What follows from the request alone, whatever becomes of the cluster."""
ALL = "*"
"""In a rule: every verb, group, resource or path."""


class ResourceRule(NamedTuple):
    """Verbs that are allowed on resources; without names, on all objects of theirs."""

    verbs: tuple[str, ...]
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    names: tuple[str, ...] = ()


class NonResourceRule(NamedTuple):
    """Verbs that are allowed on paths; one that ends in ``*`` stands for all that begin so."""

    verbs: tuple[str, ...]
    paths: tuple[str, ...]


class Rules(NamedTuple):
    """What a user may do, as far as it can be listed."""

    resources: tuple[ResourceRule, ...] = ()
    non_resources: tuple[NonResourceRule, ...] = ()
    incomplete: bool = False
    """Somebody who decides couldn't list all that they would allow."""
    error: str = ""
    """What went wrong while listing."""


EVERYTHING = Rules((ResourceRule((ALL,), (ALL,), (ALL,)),), (NonResourceRule((ALL,), (ALL,)),))
"""One rule for all resources, and one for all paths."""


class Authorizer(Protocol):
    async def authorize(self, attributes: Attributes) -> Decision: ...

    async def rules_for(self, user: User, namespace: str) -> Rules:
        """What this source allows the user in a namespace and on paths. One that goes by no rules says it is incomplete."""
        ...


class Masters:
    """Members of ``system:masters``, the administrators, may do everything."""

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow members everything; no opinion on others."""
        return ALLOWED_FOR_GOOD if MASTERS in attributes.user.groups else NO_OPINION_EVER

    async def rules_for(self, _user: User, _namespace: str) -> Rules:
        """None: what they may is told by the role that the group is bound to."""
        return Rules()


async def decided(authorizer: Authorizer, attributes: Attributes) -> Decision:
    """The decision; raises 500 where it doesn't allow, and one who might have allowed it failed."""
    decision = await authorizer.authorize(attributes)
    if decision.incident and decision.verdict is not Verdict.ALLOW:
        raise internal(decision.incident)
    return decision


class AuthorizerUnion:
    """Several authorizers, asked in order. The first to allow or to deny decides; the reasons of the others add up."""

    def __init__(self, *authorizers: Authorizer, incidents: Incidents) -> None:
        self._authorizers = authorizers
        self._incidents = incidents

    async def authorize(self, attributes: Attributes) -> Decision:
        """The decision of the first who has an opinion."""
        reasons: list[str] = []
        incident = ""
        lasting = True
        for authorizer in self._authorizers:
            try:
                decision = await authorizer.authorize(attributes)
            except Exception as failure:  # noqa: BLE001 - whatever it is, the next one may know whether they may
                incident = self._incidents.log(failure, "an authorizer failed")
                lasting = False
                continue
            if decision.verdict is not Verdict.NO_OPINION:
                return decision if lasting or decision.premise is None else replace(decision, premise=None)
            lasting = lasting and decision.premise is ALWAYS  # else whoever had no opinion may have one the next time
            if decision.reason:
                reasons.append(decision.reason)
            incident = incident or decision.incident
        return Decision(Verdict.NO_OPINION, ", ".join(reasons), incident)

    async def rules_for(self, user: User, namespace: str) -> Rules:
        """The rules of all, together."""
        parts = [await self._rules_of(authorizer, user, namespace) for authorizer in self._authorizers]
        return Rules(
            tuple(rule for part in parts for rule in part.resources),
            tuple(rule for part in parts for rule in part.non_resources),
            incomplete=any(part.incomplete for part in parts),
            error=", ".join(part.error for part in parts if part.error),
        )

    async def _rules_of(self, authorizer: Authorizer, user: User, namespace: str) -> Rules:
        try:
            return await authorizer.rules_for(user, namespace)
        except Exception as failure:  # noqa: BLE001 - as in `authorize`: the others can still say theirs
            return Rules(incomplete=True, error=f"incident {self._incidents.log(failure, 'an authorizer failed')}")
