"""How far somebody has followed what a container says, and what is new for them."""

import math
from typing import Protocol

from svcsim.nodes.containers.said import Line, Spoken
from svcsim.nodes.logs.log_lines import Voice


class Followed(Protocol):
    def next_at(self, now: float) -> float | None:
        """When there may be something new; None if never."""
        ...

    def take(self, now: float, ends_at: float | None) -> list[Line]:
        """What is new, and from then on isn't any more. ``ends_at`` is when the container's run has ended, if it has."""
        ...


class FollowedByTime:
    """Of lines that follow from the time."""

    def __init__(self, voice: Voice, since: float) -> None:
        self._voice = voice
        self._since = since

    def next_at(self, now: float) -> float | None:  # noqa: ARG002 - as the protocol has it
        return self._voice.next_at(self._since)

    def take(self, now: float, ends_at: float | None) -> list[Line]:
        until = math.nextafter(now, math.inf)
        lines = list(self._voice._replace(ends_at=ends_at).lines(self._since, until))
        self._since = until
        return lines


class FollowedByCount:
    """Of lines that a process has said: some come in late, with a time that was looked at before."""

    def __init__(self, process: Spoken, since: float) -> None:
        self._process = process
        self._seen = process.said.count_before(since)

    def next_at(self, now: float) -> float | None:
        at = self._process.next_at if self._process.said.count == self._seen else now
        return None if at == math.inf else at

    def take(self, now: float, ends_at: float | None) -> list[Line]:  # noqa: ARG002
        said = self._process.said
        lines, self._seen = said.after(self._seen), said.count
        return lines if ends_at is None else [line for line in lines if line.at <= ends_at]


def followed(voice: Voice, since: float) -> Followed:
    """What is said from a moment on."""
    return FollowedByTime(voice, since) if voice.process is None else FollowedByCount(voice.process, since)
