"""Whether the clock that a command's wait goes by stands still: then nothing it waits for comes."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.client import paths
from svcsim.client.answers import error_from, read_answer, refuses
from svcsim.client.blocking import BlockingTransport
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session


def how_to_resume(session: "Session") -> str:
    """The command that lets a paused clock go on; empty where it isn't paused, or there is none that could be asked."""
    return _how_to_resume(session, lambda: session.get(paths.CLOCK))


def _how_to_resume(session: "Session", read_clock: Callable[[], Object]) -> str:
    try:
        state = read_clock()
    except (StatusError, ConnectionError):
        return ""
    if state.get("speed") != 0 or "steppingTo" in state:
        return ""
    return resuming(session)


def resuming(session: "Session") -> str:
    """The command that lets the clock go on."""
    return " ".join(["svcsim clock", *(shlex.quote(word) for word in session.which.way()), "resume"])


def tell_if_paused(session: "Session") -> None:
    """Say it once, when a command begins to wait for something that takes its time in the cluster."""
    if not session.has_waited:
        _tell(session, how_to_resume(session))


@contextmanager
def told_if_paused(session: "Session") -> Iterator[None]:
    """While it lasts, a command waits for what containers say or others do, which may come at once: it is said when it has been a while."""
    timer = Timer(limits.PAUSED_TOLD_S, _tell_aside, (session,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell_aside(session: "Session") -> None:
    """Ask on a connection of its own: the command's is taken."""
    with BlockingTransport(session.access, timeout_s=limits.STATUS_S) as aside:
        how = _how_to_resume(session, lambda: _answer(aside.send(Request("GET", paths.CLOCK))))
    if not session.has_waited:
        _tell(session, how)


def _answer(response: Response) -> Object:
    if refuses(response.status):
        raise error_from(response.status, response.body)
    answer: Object = read_answer(response.body)
    return answer


def _tell(session: "Session", how: str) -> None:
    session.has_waited = True
    if how:
        session.err.write(f"The cluster's clock is paused, and nothing happens until it goes on: {how}\n")
        session.err.flush()
