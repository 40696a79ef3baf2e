"""What becomes known of one request on its way through the pipeline, for whoever keeps account of requests.

It is filled in as things are found out, so that what was known when a request was refused can be told too. Most of it stays as it is for
most requests: defaults stand in the class, and making one costs next to nothing.
"""

from svcsim.auth.authentication import Identity
from svcsim.auth.authorization import Decision
from svcsim.meta.errors import StatusError
from svcsim.meta.types import User
from svcsim.registry.options import Target


class Way:
    """One request's."""

    identity: Identity | None = None
    """Who asks; None until that is known."""
    user: User | None = None
    """As whom: another than who asks where that is impersonated."""
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
