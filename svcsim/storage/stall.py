"""A commit that a disk holds up: neither done nor failed. The log says so once when that shows and once when it is over."""

import logging

from svcsim import limits
from svcsim.virtual_loop import RealAlarm
from svcsim.wall import stopwatch

logger = logging.getLogger(__name__)


class Stall:
    """Whether the commit under way takes longer than any should. There is one at a time."""

    def __init__(self) -> None:
        self.why = ""
        """In words; empty while none does."""
        self._began_s = 0.0
        self._alarm: RealAlarm | None = None

    def commit_begins(self) -> None:
        """From now on the disk is waited for."""
        self._began_s = stopwatch()
        self._alarm = RealAlarm(limits.STORE_STALL_S, self._shows)

    def commit_ends(self) -> None:
        """The disk has answered, whatever it said."""
        if self._alarm is not None:
            self._alarm.call_off()
            self._alarm = None
        if self.why:
            self.why = ""
            logger.warning("the disk goes on: a commit of the store took %.1f s", stopwatch() - self._began_s)

    def _shows(self) -> None:
        self.why = f"a commit has been waiting for the disk for more than {limits.STORE_STALL_S:g} s"
        logger.error("the store can't write: %s", self.why)
