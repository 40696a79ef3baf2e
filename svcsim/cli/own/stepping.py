"""``clock step``, ``advance`` and ``until``: how far they have got is shown on a terminal, and Ctrl-C ends them where they are.

The server ends a step whose client leaves, so leaving is all that an interrupted command has to do; then it asks until the clock stands.
"""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.client import paths
from svcsim.client.answers import error_from
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless
from svcsim.wall import stopwatch, wall_sleep

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

ERASE_LINE = "\r\x1b[K"


def step(session: "Session", seconds: float, how: str = "step") -> Object:
    """Move the clock on, by a ``step`` or an ``advance``; its state afterwards. Raises `CommandError` where it didn't get all the way."""

    def way(state: Object) -> str:
        left_s = parse_time(state["steppingTo"]) - parse_time(state["now"])
        return f"{math.floor(100 * (1 - left_s / seconds)) if seconds else 100} % of the way"

    return move(session, {how: seconds}, way, interrupted="the clock stands at" if how == "step" else "the clock is at")


def move(session: "Session", wish: Object, way: Callable[[Object], str], *, interrupted: str = "the clock stands at") -> Object:
    """Have a clock move, and show its progress on ``way`` meanwhile. Raises `CommandError` if another client has ended that."""
    progress = _Progress(way)
    state: Object = {}
    try:
        with session.stream(paths.CLOCK, method="PUT", body={**wish, "progress": True}) as lines:
            for line in filter(None, lines):
                state = orjson.loads(line)
                if state.get("kind") == "Status":
                    raise error_from(int(state["code"]), line)
                progress.show(state)
    except KeyboardInterrupt:
        progress.erase()
        state = _left(session)
        how = "the clock is at" if "steppingTo" in state else interrupted
        sys.stderr.write(f"interrupted; {how} {state['now']}\n")
        raise
    finally:
        progress.erase()
    if "arrived" not in state:  # what was told last isn't where it ended
        raise CommandError("the cluster was stopped before the step was over; once it is up again, svcsim clock tells how far it got")
    if not state["arrived"]:
        raise CommandError(f"the step was ended by another command; the clock stood at {state['now']}")
    return state


def _left(session: "Session") -> Object:
    """The clock's state when the server has seen that the client of the step is gone; it goes on for a moment until then.

    It is still stepping at the end of a while if that is somebody else's step.
    """
    session.reconnect()
    end = stopwatch() + limits.STEP_LEFT_S
    while "steppingTo" in (state := session.get(paths.CLOCK)) and stopwatch() < end:
        wall_sleep(limits.STEP_LOOK_S)
    return state


class _Progress:
    """One line on a terminal, written over again and again."""

    def __init__(self, way: Callable[[Object], str]) -> None:
        self._way = way
        self._shown = False

    def show(self, state: Object) -> None:
        if not sys.stderr.isatty() or "steppingTo" not in state:
            return
        sys.stderr.write(f"{ERASE_LINE}{state['now'][:19]}Z, {harmless(self._way(state))}; Ctrl-C ends the step there")
        sys.stderr.flush()
        self._shown = True

    def erase(self) -> None:
        if self._shown:
            sys.stderr.write(ERASE_LINE)
            self._shown = False
