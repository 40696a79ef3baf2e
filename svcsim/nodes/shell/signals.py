"""Signals by their names and their numbers, and what a shell is told to do when one comes (``trap``)."""

from typing import Final

NUMBERS: Final = {"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "ALRM": 14, "TERM": 15}
TERM: Final = "TERM"
EXIT: Final = "EXIT"
"""No signal: what a shell does when it ends."""
_CAUGHT = {EXIT: 0, **NUMBERS}


def signal_name(word: str) -> str | None:
    """The name of what a ``trap`` waits for: ``SIGTERM``, ``term`` and ``15`` are ``TERM``; None for what is none."""
    name = word.upper().removeprefix("SIG")
    return name if name in _CAUGHT else next((known for known, number in _CAUGHT.items() if str(number) == word), None)
