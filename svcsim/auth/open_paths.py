"""Paths that need no authorization: a load balancer's health checks have no credentials."""

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALLOWED_FOR_GOOD, NO_OPINION_EVER, Decision, Rules
from svcsim.auth.rbac.rules import path_matches
from svcsim.meta.types import User


class OpenPaths:
    """Allows whatever is asked of some paths; one that ends in ``*`` stands for all that begin so."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._paths = paths

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow what is open."""
        if attributes.is_resource:
            return NO_OPINION_EVER
        is_open = any(path_matches(pattern, attributes.path) for pattern in self._paths)
        return ALLOWED_FOR_GOOD if is_open else NO_OPINION_EVER

    async def rules_for(self, _user: User, _namespace: str) -> Rules:
        """None is told: they are no rights of a user."""
        return Rules()
