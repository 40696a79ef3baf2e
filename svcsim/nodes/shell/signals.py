"""Signals by their names and their numbers, and what a shell is told to do when one comes (``trap``)."""

import signal
from typing import Final

NUMBERS: Final = {
    "HUP": 1,
    "INT": 2,
    "QUIT": 3,
    "KILL": 9,
    "USR1": 10,
    "USR2": 12,
    "ALRM": 14,
    "TERM": 15,
    "CHLD": 17,
    "CONT": 18,
    "WINCH": 28,
}
TERM: Final = "TERM"
KILL: Final = "KILL"
_LEFT_ALONE = ("CHLD", "CLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH")
"""Signals that end nobody who hasn't said what to do then."""
EXIT: Final = "EXIT"
"""No signal: what a shell does when it ends."""
_CAUGHT = {EXIT: 0, **NUMBERS}


def name_of_signal(number: int) -> str:
    """Empty for one that has none here."""
    return next((name for name, known in NUMBERS.items() if known == number), "")


def number_of_signal(name: str) -> int:
    """Of any that Linux has, such as ``QUIT``, ``ABRT`` or ``RTMIN+3``."""
    base, sign, steps = name.partition("+" if "+" in name else "-")
    known: int = NUMBERS.get(base) or signal.Signals[f"SIG{base}"]
    return known + int(f"{sign}{steps or 0}")


def ends(name: str) -> bool:
    """Whether a signal ends a process that hasn't said what to do when it comes."""
    return name not in _LEFT_ALONE


def signal_name(word: str) -> str | None:
    """The name of what a ``trap`` waits for: ``SIGTERM``, ``term`` and ``15`` are ``TERM``; None for what is none."""
    name = word.upper().removeprefix("SIG")
    return name if name in _CAUGHT else next((known for known, number in _CAUGHT.items() if str(number) == word), None)
