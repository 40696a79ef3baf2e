"""The arguments of ``sleep``."""

import re
from collections.abc import Sequence

from svcsim.nodes.shell.process import FOR_EVER_S, Usage

_SECONDS = re.compile(r"(\d+(?:\.\d+)?|\.\d+)([smhd]?)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST_WORD_CHARS = 12


def sleep_seconds(words: Sequence[str]) -> float:
    """The sum of its arguments in seconds. Raises `Usage`."""
    total = 0.0
    if not words:
        raise Usage("missing operand")
    for word in words:
        found = _SECONDS.fullmatch(word)
        if word in {"inf", "infinity"}:
            total = FOR_EVER_S
        elif found is None or len(word) > _LONGEST_WORD_CHARS:
            raise Usage(f"invalid number '{word}'")
        else:
            total += float(found[1]) * _UNITS[found[2]]
    return min(total, FOR_EVER_S)
