"""Whether a server is svcsim's: what is meant for its clusters alone is sent to no other."""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.server.plain.version import is_svcsim

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


def check_own(session: "Session", why: str) -> None:
    """Ask the server what it is, and raise `CommandError` with the reason if it isn't one of svcsim."""
    if not is_own(session):
        raise CommandError(f"the server at {session.access.server} isn't one of svcsim: {why}")


def is_own(session: "Session") -> bool:
    """Raises `StatusError`, `CommandError` and `ConnectionError`."""
    return is_svcsim(session.get("/version"))
