"""What nobody foresaw: it goes to the server's log under an id, and the client gets the id and nothing else."""

import logging

from svcsim.chance import Chance
from svcsim.meta.errors import StatusError, internal

_LOG = logging.getLogger("svcsim.server")


class Incidents:
    """Gives unforeseen failures a number."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def log(self, failure: Exception, what: str) -> str:
        """Log the failure with its traceback; the id it has there. ``what`` says what was being done."""
        incident = self._chance.suffix(10)
        _LOG.error("incident %s: %s", incident, what, exc_info=failure)
        return incident

    def report(self, failure: Exception, what: str) -> StatusError:
        """Log the failure; the 500 to answer with."""
        return internal(self.log(failure, what))
