"""Field splitting by the separators in ``IFS``."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from svcsim import limits

USUAL: Final = " \t\n"


class Part(NamedTuple):
    """A field."""

    text: str
    counts: bool
    """Whether it counts even if it is empty, since a separator that is no blank follows it."""


@lru_cache(maxsize=limits.SHELL_SCRIPTS)
def _separator(signs: str) -> re.Pattern[str]:
    blanks = "".join(re.escape(sign) for sign in signs if sign in USUAL)
    others = "".join(re.escape(sign) for sign in signs if sign not in USUAL)
    around = f"[{blanks}]*" if blanks else ""
    hard = f"({around}[{others}]{around})"
    return re.compile(f"{hard}|[{blanks}]+" if blanks and others else hard if others else f"[{blanks}]+")


def parts_of(text: str, signs: str) -> Iterator[Part]:
    """The fields of a text. The last one, behind all separators, may be empty."""
    end = 0
    if signs:
        for found in _separator(signs).finditer(text):
            yield Part(text[end : found.start()], found.lastindex is not None)
            end = found.end()
    yield Part(text[end:], counts=False)


def split_line(text: str, number: int, signs: str) -> list[str]:
    """A number of fields of a line, of which the last is all the rest of it, as ``read`` assigns them."""
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
