"""The machine's own time, for what isn't a cluster's: how long work takes, files, and commands that wait for another process.

It stands apart from the clock so that commands don't import an event loop to look at it.
"""

import time

LATEST_S = 253_402_300_799.0
"""The end of the year 9999, in seconds since the epoch: no clock goes further, since later times can't be written."""


stopwatch = time.perf_counter
"""Real seconds since some fixed moment: for measuring how long work takes, never for the cluster's time.

The machine's own function: every request is timed at eight places.
"""


def wall_time() -> float:
    """The machine's own time, in seconds since the epoch: for files and certificates outside a cluster, and to start a clock from."""
    return time.time()


def wall_sleep(seconds: float) -> None:
    """Block this thread for real seconds: for commands that wait for another process, never on an event loop."""
    time.sleep(seconds)
