"""The facts about one request that the pipeline collects, for auditing and metrics.

It is filled in step by step, so that the facts known at a refusal can be reported, too. Most of it keeps its defaults for most requests:
these are in the class, so that making one costs next to nothing.
"""

from svcsim.auth.authentication import Identity
from svcsim.auth.authorization import Decision
from svcsim.meta.errors import StatusError
from svcsim.meta.types import User
from svcsim.registry.options import Target


class Way:
    """One request's."""

    identity: Identity | None = None
    """The authenticated user; None until they are known."""
    user: User | None = None
    """The effective user, who differs from the authenticated one under impersonation."""
    decision: Decision | None = None
    """Whether that user may, and why."""
    target: Target | None = None
    """What the request is about, where that is served here."""
    notes: dict[str, str] | None = None
    """What admission notes beside the request's audit events."""
    error: StatusError | None = None
    """Why it was refused."""
    panicked: bool = False
    """Whether that is something nobody foresaw."""
