"""Whether the clock that a command's wait goes by stands still: then nothing it waits for comes."""

import shlex
import sys
from typing import TYPE_CHECKING

from svcsim.client import paths
from svcsim.meta.errors import StatusError

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


def how_to_resume(session: "Session") -> str:
    """The command that lets a paused clock go on; empty where it isn't paused, or there is none that could be asked."""
    try:
        state = session.get(paths.CLOCK)
    except (StatusError, ConnectionError):
        return ""
    if state.get("speed") != 0 or "steppingTo" in state:
        return ""
    return resuming(session)


def resuming(session: "Session") -> str:
    """The command that lets the clock go on."""
    return " ".join(["svcsim clock", *(shlex.quote(word) for word in session.way()), "resume"])


def tell_if_paused(session: "Session") -> None:
    """Say it once, when a command begins to wait, to people, who wonder why nothing happens; programs have no use for it."""
    if session.has_waited:
        return
    session.has_waited = True
    if sys.stderr.isatty() and (how := how_to_resume(session)):
        session.err.write(f"The cluster's clock is paused, and nothing happens until it goes on: {how}\n")
        session.err.flush()
