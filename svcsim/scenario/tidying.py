"""Giving back memory by what is written: where time is virtual, all of a day's writes come within a minute of the machine's."""

from svcsim import limits
from svcsim.cluster.process import trim_memory
from svcsim.scenario.journal import Entry


class Tidying:
    """A subscriber of a run's journal."""

    def __init__(self) -> None:
        self._written_bytes = 0

    def see(self, entry: Entry) -> None:
        self._written_bytes += entry.text_bytes
        if self._written_bytes > limits.SCENARIO_TRIMMED_BYTES:
            self._written_bytes = 0
            trim_memory()
