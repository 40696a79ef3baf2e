"""How far a long run is, on a terminal."""

import sys
from collections.abc import Iterator

STEPS = 1_000


def strikes(count: int, each: int = 1) -> Iterator[int]:
    """Numbers from 0 on, ``each`` apart; nothing is said where nobody looks on."""
    shown = sys.stderr.isatty()
    for number in range(0, count, each):
        if shown and number % max(1, count // STEPS) < each:
            sys.stderr.write(f"\r{number} of {count} ")
            sys.stderr.flush()
        yield number
    if shown:
        sys.stderr.write("\r\033[K")
