"""What a process has said: the end of it, line by line, with the time of each."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.nodes.shell.tree import Disk


class Line(NamedTuple):
    """One line, and when it was written, in seconds since the epoch."""

    at: float
    text: str
    ended: bool = True
    """Whether it has come to its end; if not, what is said next goes on with it."""

    @property
    def printed(self) -> str:
        return f"{self.text}\n" if self.ended else self.text


class Said:
    """Of what is too much, the oldest goes first, as it does where logs are rotated."""

    def __init__(self, room: Disk) -> None:
        """``room`` is what all processes have together."""
        self.lines: deque[Line] = deque()
        self._dropped = 0
        """How many there were before them."""
        self._own = Disk(limits.SAID_BYTES, room)
        self._begun = b""
        self._last_at = 0.0
        self._followers: dict[asyncio.Event, None] = {}
        self._closed = False

    @property
    def count(self) -> int:
        """How many lines there have been."""
        return self._dropped + len(self.lines)

    def after(self, count: int) -> list[Line]:
        """Those that have come since there were so many, as far as they are kept."""
        return list(islice(reversed(self.lines), max(self.count - count, 0)))[::-1]

    def count_before(self, at: float) -> int:
        """How many were written before a moment."""
        return self.count - sum(line.at >= at for line in self.lines)

    @contextmanager
    def followed(self) -> Iterator[asyncio.Event]:
        """While this lasts, the event is set when somebody says something at once, and not when the process comes to it."""
        news = asyncio.Event()
        self._followers[news] = None
        try:
            yield news
        finally:
            del self._followers[news]
            if self._closed and not self._followers:
                self.forget()

    def close(self) -> None:
        """Nothing more is said, and what was is kept only for those who follow it still."""
        self._closed = True
        if not self._followers:
            self.forget()

    def put_in(self, data: bytes, at: float) -> None:
        """What others have it say, just now."""
        self.write(data, at)
        for news in self._followers:
            news.set()

    def write(self, data: bytes, at: float) -> None:
        """Say something more."""
        self._last_at = at
        *whole, self._begun = (self._begun + data).split(b"\n")
        for line in whole:
            self._add(Line(at, line.decode("utf-8", "replace")))
        if len(self._begun) > limits.SAID_LINE_BYTES:
            self.pause()

    def pause(self) -> None:
        """Nothing more is said for now: what has no end of a line yet is seen as well."""
        if self._begun:
            text, self._begun = self._begun.decode("utf-8", "replace"), b""
            self._add(Line(self._last_at, text, ended=False))

    def forget(self) -> None:
        """Something is left out here, so that what was said before it is no part of the end any more."""
        self._dropped += len(self.lines)
        self.lines.clear()
        self._own.take(-self._own.used_bytes)

    def _add(self, line: Line) -> None:
        costs = _costs(line)
        while self.lines and (len(self.lines) >= limits.LOG_TAIL_LINES or self._own.left_bytes < costs):
            self._own.take(-_costs(self.lines.popleft()))
            self._dropped += 1
        if self._own.left_bytes >= costs:
            self._own.take(costs)
            self.lines.append(line)


class Spoken(Protocol):
    """A process that is run, and what it has said so far."""

    said: Said

    @property
    def next_at(self) -> float:
        """When it goes on; never, if it has ended."""
        ...


def _costs(line: Line) -> int:
    return len(line.text.encode()) + limits.SAID_LINE_COSTS_BYTES
