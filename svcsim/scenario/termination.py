"""Ends from outside: SIGTERM, as CI systems send it before they lose patience, and SIGHUP, as a terminal that is closed does.

The run ends as after Ctrl-C: faults are taken back and reports written.
"""

import signal
from types import FrameType, TracebackType
from typing import Self


class Termination:
    """While the context lasts, these signals interrupt. ``came`` says which did."""

    def __init__(self) -> None:
        self.came: signal.Signals | None = None

    def __enter__(self) -> Self:
        # Who ignores SIGHUP (nohup) wants the run to go on without its terminal.
        ended_by = [number for number in (signal.SIGTERM, signal.SIGHUP) if number == signal.SIGTERM or not _ignored(number)]
        self._before = {number: signal.signal(number, self._interrupt) for number in ended_by}
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        if _ignored(signal.SIGINT):
            # As shells start what runs in the background. Ctrl-C must go on doing nothing, but what comes here has to interrupt: so SIGINT
            # is only held back.
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def _interrupt(self, number: int, _frame: FrameType | None) -> None:
        self.came = signal.Signals(number)
        signal.raise_signal(signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


def _ignored(number: signal.Signals) -> bool:
    return signal.getsignal(number) == signal.SIG_IGN
