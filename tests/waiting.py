"""Waiting for what others do in their own time."""

from collections.abc import Callable

from svcsim.wall import stopwatch, wall_sleep

WAIT_S = 30.0
"""What hasn't come to be after so long fails a test, and so does a socket that is silent for so long."""
LOOK_S = 0.01
"""How long whoever waits does nothing before the next look."""


def until(holds: Callable[[], object]) -> None:
    """Look again and again whether something holds."""
    end = stopwatch() + WAIT_S
    while not holds():
        assert stopwatch() < end, "it didn't come to be"
        wall_sleep(LOOK_S)
