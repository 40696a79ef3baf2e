"""What a container would have logged: lines that follow from the pod's UID, the container's name and the time alone.

Time is cut into slots of a few seconds; what is said in one follows from a hash of container and slot. So any stretch of a log, however far
back, can be made without what came before it, two readers see the same lines, and following is making the slots as they pass.
"""

import hashlib
import math
from collections.abc import Iterator
from typing import NamedTuple

from svcsim.clock import format_micro_time
from svcsim.nodes.containers.log_templates import LogTemplate, Moment
from svcsim.nodes.containers.programs import Program
from svcsim.nodes.containers.said import Line, Spoken
from svcsim.nodes.images.images import known_name

SLOT_S = 5.0
SECOND_S = 1 - 2e-6
"""How long after the beginning of the second that is told of its end a container may have said something."""
_SLOTS_AHEAD = 12
"""How far is looked for the next line."""
_LINES_A_SLOT = 3
_PATHS = ("/", "/index.html", "/healthz", "/static/app.js", "/static/style.css", "/api/v1/items", "/api/v1/items/42", "/favicon.ico")
_AGENTS = ("curl/8.15.0", "Mozilla/5.0 (X11; Linux x86_64)", "kube-probe/1.34", "Go-http-client/1.1")
_STATUSES = (200, 200, 200, 200, 200, 304, 200, 404)
_DOINGS = (
    "request handled", "cache refreshed", "connection accepted", "job finished", "heartbeat", "configuration unchanged", "batch written",
    "session renewed",
)  # fmt: skip
_WEB_SERVERS = ("nginx", "httpd", "caddy", "haproxy", "traefik")
_STARTS = {
    "nginx": (
        "/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration",
        "/docker-entrypoint.sh: Configuration complete; ready for start up",
        '{stamp} [notice] 1#1: using the "epoll" event method',
        "{stamp} [notice] 1#1: start worker processes",
    ),
    "redis": ("1:C {stamp} * Redis is starting", "1:M {stamp} * Ready to accept connections tcp"),
    "postgres": ("{stamp} UTC [1] LOG:  database system is ready to accept connections",),
}  # fmt: skip


class Dice:
    """Chance that is the same for the same words always."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._thrown = 0

    def __call__(self, sides: int) -> int:
        self._thrown += 1
        digest = hashlib.blake2b(f"{self._words}/{self._thrown}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % sides


class Voice(NamedTuple):
    """One run of one container, as far as its log is concerned. ``ends_at`` is None while it runs."""

    pod_uid: str
    pod_name: str
    container: str
    image: str
    program: Program
    started_at: float
    ends_at: float | None
    namespace: str = ""
    node: str = ""
    template: LogTemplate | None = None
    """What annotations have it say instead."""
    process: Spoken | None = None
    """What is run of it: then it says what that says."""

    def lines(self, since: float, until: float) -> Iterator[Line]:
        """The lines from ``since`` up to, but not at, ``until``, oldest first."""
        until = self._end_of(until)
        if self.process is not None:
            yield from [line for line in self.process.said.lines if since <= line.at < until]
        elif self._finite:
            yield from (line for line in self._scripted() if since <= line.at < until)
        elif self.template is not None:
            yield from self._templated(since, until)
        else:
            for slot in range(self._slot(max(since, self.started_at)), self._slot(until) + 1):
                yield from (line for line in self._slot_lines(slot) if since <= line.at < until)

    def next_at(self, after: float) -> float | None:
        """When it says something next, at that moment or later, or when to look again; None if never."""
        if self._finite:
            return next((line.at for line in self._scripted() if line.at >= after), None)
        if self.template is not None:
            return self._moment_of(self._number_at(after))
        first = self._slot(max(after, self.started_at))
        lines = (line for slot in range(first, first + _SLOTS_AHEAD) for line in self._slot_lines(slot))
        return next((line.at for line in lines if line.at >= after), self.started_at + (first + _SLOTS_AHEAD) * SLOT_S)

    def last_lines(self, count: int, until: float) -> list[Line]:
        """The last lines before ``until``, oldest first."""
        until = self._end_of(until)
        if self.process is not None:
            return [line for line in self.process.said.lines if line.at < until][-count:] if count else []
        if self._finite:
            return [line for line in self._scripted() if line.at < until][-count:] if count else []
        if self.template is not None:
            last = self._number_at(until)
            return list(self._templated(self._moment_of(max(last - count, 1)), until)) if count else []
        slots: list[list[Line]] = []
        slot, found = self._slot(until), 0
        while slot >= 0 and found < count:
            slots.append([line for line in self._slot_lines(slot) if line.at < until])
            found += len(slots[-1])
            slot -= 1
        lines = [line for slot_lines in reversed(slots) for line in slot_lines]
        return lines[-count:] if count else []

    def _end_of(self, until: float) -> float:
        return until if self.ends_at is None else min(until, self.ends_at + 1e-6)

    @property
    def _finite(self) -> bool:
        """Whether all it will ever say is known."""
        program = self.program
        if program.listens and self.template is None:
            return True
        if self.template is not None or program.repeats_s is not None or program.talks:
            return False
        return program.runs_s is not None or bool(program.lines)

    def _scripted(self) -> Iterator[Line]:
        for after, text in self.program.lines:
            yield Line(self.started_at + after, filled(text, self.started_at + after))

    def _number_at(self, at: float) -> int:
        """Which line of a template comes next, at a moment or later; they are numbered from 1."""
        assert self.template is not None, "only a template has numbered lines"
        return max(math.ceil((at - self.started_at) / self.template.every_s - 1e-9), 1)

    def _moment_of(self, number: int) -> float:
        assert self.template is not None, "only a template has numbered lines"
        return self.started_at + number * self.template.every_s

    def _templated(self, since: float, until: float) -> Iterator[Line]:
        assert self.template is not None, "asked only where there is one"
        number = self._number_at(since)
        while (at := self._moment_of(number)) < until:
            dice = Dice(f"{self.pod_uid}/{self.container}/{self.started_at:.3f}/{number}")
            yield Line(at, self.template.text(Moment(at, number, self.namespace, self.pod_name, self.container, self.node, dice)))
            number += 1

    def _slot(self, at: float) -> int:
        return int((at - self.started_at) // SLOT_S)

    def _slot_lines(self, slot: int) -> list[Line]:
        start = self.started_at + slot * SLOT_S
        if self.program.repeats_s is not None:
            return self._repeated(start)
        return [*(self._opening() if slot == 0 else []), *self._chatter(slot, start)]

    def _opening(self) -> list[Line]:
        lines = _STARTS.get(known_name(self.image), ('level=info msg="starting" pod={pod}', 'level=info msg="ready" addr=:8080'))
        moments = [self.started_at + 0.01 * (index + 1) for index in range(len(lines))]
        return [
            Line(at, text.replace("{stamp}", _stamp(at)).replace("{pod}", self.pod_name)) for at, text in zip(moments, lines, strict=True)
        ]

    def _chatter(self, slot: int, start: float) -> list[Line]:
        digest = hashlib.blake2b(f"{self.pod_uid}/{self.container}/{self.started_at:.3f}/{slot}".encode(), digest_size=32).digest()
        count = digest[0] % (_LINES_A_SLOT + 1)
        offsets = sorted(0.2 + digest[1 + index] / 256 * (SLOT_S - 0.3) for index in range(count))
        return [self._line(start + offset, digest[8 + index * 8 : 16 + index * 8]) for index, offset in enumerate(offsets)]

    def _line(self, at: float, dice: bytes) -> Line:
        if known_name(self.image) in _WEB_SERVERS:
            status, size = _STATUSES[dice[2] % len(_STATUSES)], 200 + dice[3] * 17
            client, path, agent = f"10.224.{dice[0] % 3}.{dice[1]}", _PATHS[dice[4] % len(_PATHS)], _AGENTS[dice[5] % len(_AGENTS)]
            return Line(at, f'{client} - - [{_access_stamp(at)}] "GET {path} HTTP/1.1" {status} {size} "-" "{agent}" "-"')
        level = "warn" if dice[0] < 12 else "info"
        doing, took_ms = _DOINGS[dice[1] % len(_DOINGS)], 1 + dice[2] % 90
        return Line(at, f'time={format_micro_time(at)} level={level} msg="{doing}" id={dice[3:6].hex()} took={took_ms}ms')

    def _repeated(self, start: float) -> list[Line]:
        period = self.program.repeats_s or SLOT_S
        lines: list[Line] = []
        turn = max(int((start - self.started_at) / period) - 1, 0)
        while (begins := self.started_at + turn * period) < start + SLOT_S:
            moments = [(begins + after, text) for after, text in self.program.lines]
            lines += [Line(at, filled(text, at)) for at, text in moments if start <= at < start + SLOT_S]
            turn += 1
        return lines


def filled(text: str, at: float) -> str:
    """What a command says at a moment, which may depend on that."""
    return text.replace("$(date)", _date_stamp(at))


def _stamp(at: float) -> str:
    """``2026/01/01 00:00:00``."""
    return format_micro_time(at)[:19].replace("-", "/").replace("T", " ")


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")
"""1970 began on a Thursday."""


def _access_stamp(at: float) -> str:
    """``01/Jan/2026:00:00:00 +0000``, as web servers write it."""
    date, time = format_micro_time(at)[:19].split("T")
    year, month, day = date.split("-")
    return f"{day}/{_MONTHS[int(month) - 1]}/{year}:{time} +0000"


def _date_stamp(at: float) -> str:
    """``Thu Jan  1 00:00:00 UTC 2026``, as ``date`` prints it."""
    date, time = format_micro_time(at)[:19].split("T")
    year, month, day = date.split("-")
    return f"{_DAYS[int(at // 86400) % 7]} {_MONTHS[int(month) - 1]} {int(day):2d} {time} UTC {year}"
