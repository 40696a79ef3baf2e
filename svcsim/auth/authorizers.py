"""Whether they may: authorizers, asked in order until one allows."""

from typing import NamedTuple, Protocol

from svcsim.auth.attributes import Attributes
from svcsim.auth.authenticators import AUTHENTICATED, MASTERS

_OPEN_PATHS = ("/healthz", "/livez", "/readyz", "/version")
_DISCOVERY_PATHS = ("/api", "/apis", "/openapi")


class Decision(NamedTuple):
    """An authorizer's word. Not allowed means only: not by me."""

    allowed: bool
    reason: str = ""


NO_OPINION = Decision(allowed=False)
ALLOWED = Decision(allowed=True)


class Authorizer(Protocol):
    """One source of permission."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Whether this source permits the request."""
        ...


class Masters:
    """The administrators' group may do everything."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Allow members of ``system:masters``."""
        return ALLOWED if MASTERS in attributes.user.groups else NO_OPINION


class OpenPaths:
    """Health and version are everybody's to read, discovery every known user's."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Allow reading what is open."""
        if attributes.is_resource or attributes.verb not in ("get", "head"):
            return NO_OPINION
        if _below(attributes.path, _OPEN_PATHS):
            return ALLOWED
        known = AUTHENTICATED in attributes.user.groups
        return ALLOWED if known and _below(attributes.path, _DISCOVERY_PATHS) else NO_OPINION


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)


class Union:
    """Several sources; the first that allows decides."""

    def __init__(self, *sources: Authorizer) -> None:
        self._sources = sources

    def authorize(self, attributes: Attributes) -> Decision:
        """Allowed if any source allows."""
        reasons = []
        for source in self._sources:
            decision = source.authorize(attributes)
            if decision.allowed:
                return decision
            if decision.reason:
                reasons.append(decision.reason)
        return Decision(allowed=False, reason=", ".join(reasons))
