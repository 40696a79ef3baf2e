"""How texts fall apart into words, as ``IFS`` has it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from svcsim import limits

USUAL: Final = " \t\n"


class Part(NamedTuple):
    """What stands before a separator, or at the end."""

    text: str
    counts: bool
    """Whether it is a word even where it is empty: a sign that is no blank stands behind it."""


@lru_cache(maxsize=limits.SHELL_SCRIPTS)
def _separator(signs: str) -> re.Pattern[str]:
    blanks = "".join(re.escape(sign) for sign in signs if sign in USUAL)
    others = "".join(re.escape(sign) for sign in signs if sign not in USUAL)
    around = f"[{blanks}]*" if blanks else ""
    hard = f"({around}[{others}]{around})"
    return re.compile(f"{hard}|[{blanks}]+" if blanks and others else hard if others else f"[{blanks}]+")


def parts_of(text: str, signs: str) -> Iterator[Part]:
    """The parts of a text between the signs that separate them; at the end there is one more, be it empty."""
    end = 0
    if signs:
        for found in _separator(signs).finditer(text):
            yield Part(text[end : found.start()], found.lastindex is not None)
            end = found.end()
    yield Part(text[end:], counts=False)


def divided(text: str, number: int, signs: str) -> list[str]:
    """The first words of a line, and in the last place all that is left of it."""
    blanks = "".join(sign for sign in signs if sign in USUAL)
    words, rest = list[str](), text.lstrip(blanks) if blanks else text
    while len(words) < number - 1:
        found = _separator(signs).search(rest) if signs else None
        if found is None:
            break
        words.append(rest[: found.start()])
        rest = rest[found.end() :]
    words.append(rest.rstrip(blanks) if blanks else rest)
    return [*words, *[""] * (number - len(words))]
