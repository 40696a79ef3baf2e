"""What a cluster in this process logs while a scenario runs: it belongs to the run, and is shown if that fails."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from svcsim.printing.harmless import harmless
from svcsim.scenario.timeline import Timeline

_LOG = logging.getLogger("svcsim")


class _LogLines(logging.Handler):
    def __init__(self, timeline: Timeline) -> None:
        super().__init__(logging.WARNING)
        self._timeline = timeline

    def emit(self, record: logging.LogRecord) -> None:
        """Warnings are moments of the run. What is worse is svcsim's own failure, and told at once."""
        self._timeline.note(f"log: {record.getMessage()}")
        if record.levelno >= logging.ERROR:
            sys.stderr.write(f"{harmless(self.format(record))}\n")


@contextmanager
def noted(timeline: Timeline) -> Iterator[None]:
    """Note what is logged, for as long as this lasts."""
    lines = _LogLines(timeline)
    _LOG.addHandler(lines)
    try:
        yield
    finally:
        _LOG.removeHandler(lines)
