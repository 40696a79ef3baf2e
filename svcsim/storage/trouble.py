"""What keeps the store from writing: a line in the log when it begins and when it is over, and a text for readiness and the status."""

import logging

from svcsim.limits import STORE_TROUBLE_LOGGED_S
from svcsim.wall import stopwatch

logger = logging.getLogger(__name__)


class Trouble:
    """Whether writes fail, and why."""

    def __init__(self) -> None:
        self.why = ""
        """In words; empty while all is well."""
        self._logged = ""
        self._logged_at_s: float | None = None

    def begins(self, why: str) -> None:
        """A write failed for a reason that is the machine's."""
        self.why = why
        self._log()

    def ends(self) -> None:
        """A write succeeded."""
        if self.why or self._logged:
            self.why = ""
            self._log()

    def _log(self) -> None:
        """Say what has changed, unless something was just said: what comes and goes all the time fills no log."""
        now_s = stopwatch()
        if self.why == self._logged or (self._logged_at_s is not None and now_s - self._logged_at_s < STORE_TROUBLE_LOGGED_S):
            return
        self._logged, self._logged_at_s = self.why, now_s
        if self.why:
            logger.error("the store can't write: %s", self.why)
        else:
            logger.warning("the store can write again")
