"""Authorizers that don't look at what is asked."""

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALLOWED_FOR_GOOD, EVERYTHING, Decision, Rules, Verdict
from svcsim.meta.types import User


class AlwaysAllow:
    """Every request is allowed."""

    async def authorize(self, _attributes: Attributes) -> Decision:
        return ALLOWED_FOR_GOOD

    async def rules_for(self, _user: User, _namespace: str) -> Rules:
        """One rule for everything."""
        return EVERYTHING


class AlwaysDeny:
    """Nobody may whom no other authorizer allows."""

    async def authorize(self, _attributes: Attributes) -> Decision:
        return Decision(Verdict.NO_OPINION, "Everything is forbidden.")

    async def rules_for(self, _user: User, _namespace: str) -> Rules:
        """None at all."""
        return Rules()
