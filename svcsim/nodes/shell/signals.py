"""Signals by their names and their numbers, and what a shell is told to do when one comes (``trap``)."""

import signal
from itertools import chain
from typing import Final

_IN_ORDER = (
    ("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT"),
    ("CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS"),
)
NUMBERS: Final = {name: number for number, name in enumerate(chain(*_IN_ORDER), 1)}
REAL_TIME: Final = {"RTMIN": 32, "RTMAX": 64}
"""The first and the last of those that have no names of their own."""
TERM: Final = "TERM"
KILL: Final = "KILL"
_LEFT_ALONE = ("CHLD", "CLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH")
"""Signals that end nobody who hasn't said what to do then."""
EXIT: Final = "EXIT"
"""No signal: what a shell does when it ends."""
_BY_SIGNAL = 128
"""A process that signal N has ended exits with 128 + N."""
_CAUGHT = {EXIT: 0, **NUMBERS}


def name_of_signal(number: int) -> str:
    """Empty for one that has none here."""
    return next((name for name, known in NUMBERS.items() if known == number), "")


def number_of_signal(name: str) -> int:
    """Of any that Linux has, such as ``QUIT``, ``ABRT`` or ``RTMIN+3``."""
    base, sign, steps = name.partition("+" if "+" in name else "-")
    known: int = NUMBERS.get(base) or signal.Signals[f"SIG{base}"]
    return known + int(f"{sign}{steps or 0}")


def exit_code_of(name: str) -> int:
    """The exit code of a process that this signal has ended."""
    return _BY_SIGNAL + NUMBERS[name]


def ends(name: str) -> bool:
    """Whether a signal ends a process that hasn't said what to do when it comes."""
    return name not in _LEFT_ALONE


def signal_name(word: str) -> str | None:
    """The name of what a ``trap`` waits for: ``SIGTERM``, ``term`` and ``15`` are ``TERM``; None for what is none."""
    name = word.upper().removeprefix("SIG")
    return name if name in _CAUGHT else next((known for known, number in _CAUGHT.items() if str(number) == word), None)
