"""Signals by name and number, and the names that ``trap`` takes."""

import signal
from itertools import chain
from typing import Final

_IN_ORDER = (
    ("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT"),
    ("CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS"),
)
NUMBERS: Final = {name: number for number, name in enumerate(chain(*_IN_ORDER), 1)}
REAL_TIME: Final = {"RTMIN": 32, "RTMAX": 64}
"""The first and the last real-time signal."""
TERM: Final = "TERM"
KILL: Final = "KILL"
_LEFT_ALONE = ("CHLD", "CLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH")
"""Signals whose default action doesn't end the process."""
EXIT: Final = "EXIT"
"""The trap for the end of a shell, which is no signal."""
_BY_SIGNAL = 128
"""A process that signal N has ended exits with 128 + N."""
_CAUGHT = {EXIT: 0, **NUMBERS}


def name_of_signal(number: int) -> str:
    """The name of a signal, or an empty string for a number without one."""
    return next((name for name, known in NUMBERS.items() if known == number), "")


def number_of_signal(name: str) -> int:
    """The number of any signal of Linux, such as ``QUIT``, ``ABRT`` or ``RTMIN+3``."""
    base, sign, steps = name.partition("+" if "+" in name else "-")
    known: int = NUMBERS.get(base) or signal.Signals[f"SIG{base}"]
    return known + int(f"{sign}{steps or 0}")


def exit_code_of(name: str) -> int:
    """The exit code of a process that this signal has ended."""
    return _BY_SIGNAL + number_of_signal(name)


def ends(name: str) -> bool:
    """Whether the default action of a signal ends the process."""
    return name not in _LEFT_ALONE


def signal_name(word: str) -> str | None:
    """The name of a signal or of `EXIT`: ``SIGTERM``, ``term`` and ``15`` are ``TERM``. None for other words."""
    name = word.upper().removeprefix("SIG")
    return name if name in _CAUGHT else next((known for known, number in _CAUGHT.items() if str(number) == word), None)
