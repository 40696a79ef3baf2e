"""The administrators."""

from svcsim.auth.attributes import Attributes
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import ALL, ALLOWED, NO_OPINION, Decision, NonResourceRule, ResourceRule, Rules
from svcsim.meta.types import User

_EVERYTHING = Rules((ResourceRule((ALL,), (ALL,), (ALL,)),), (NonResourceRule((ALL,), (ALL,)),))


class Masters:
    """Members of ``system:masters`` may do everything."""

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow members everything; no opinion on others."""
        return ALLOWED if MASTERS in attributes.user.groups else NO_OPINION

    async def rules_for(self, user: User, _namespace: str) -> Rules:
        """One rule for everything."""
        return _EVERYTHING if MASTERS in user.groups else Rules()
