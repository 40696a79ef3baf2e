"""SIGTERM, as CI systems send it before they lose patience: the run ends as after Ctrl-C, faults are taken back and reports written."""

import signal
from types import FrameType, TracebackType
from typing import Self


class Termination:
    """While the context lasts, SIGTERM interrupts. ``came`` says whether it did."""

    def __init__(self) -> None:
        self.came = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGTERM, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        self.came = True
        signal.raise_signal(signal.SIGINT)
