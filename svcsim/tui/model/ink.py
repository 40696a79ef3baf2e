"""The few inks everything is written in. What they look like is the widgets' business; what they mean is said here."""

from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Ink(StrEnum):
    """What a piece of text means to the reader."""

    PLAIN = "plain"
    FAINT = "faint"
    STRONG = "strong"
    KEY = "key"
    OK = "ok"
    BUSY = "busy"
    BAD = "bad"


class Span(NamedTuple):
    """A piece of a line."""

    text: str
    ink: Ink


Spans: TypeAlias = list[Span]


def printable(text: str) -> str:
    """The text without anything a terminal would act on, on one line: what a cluster says is not ours to trust."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)
