"""The last requests, for ``svcsim audit``: who asked what, what became of it and why, without any file or policy.

Every request is kept, because nobody knows beforehand what will have to be explained; so keeping one has to cost next to nothing. It is a
tuple of texts that are there already, put together for people only when somebody looks. Clients and components of the cluster have rings of
their own, so that the many requests of these don't drive out the few of those.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

from svcsim import limits
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import Verdict
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.http import Request
from svcsim.meta.times import format_micro_time
from svcsim.meta.types import Object
from svcsim.server.requests.request_info import RequestInfo
from svcsim.server.requests.way import Way

_RESERVED_BYTES = 800
"""What one entry takes beside its texts."""


class Entry(NamedTuple):
    """One request."""

    number: int
    time_s: float
    seconds: float
    """Until its answer began."""
    code: int
    verb: str
    path: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    user: str
    method: str
    """How it was known who asks."""
    impersonated: str
    """As whom, where that is somebody else."""
    decision: str
    reason: str
    address: str
    agent: str
    component: bool

    def shown(self) -> Object:
        """As JSON, with what there is of it."""
        fields: Object = self._asdict()
        fields["time"] = format_micro_time(fields.pop("time_s"))
        fields["seconds"] = round(self.seconds, 6)
        return {name: value for name, value in fields.items() if value not in ("", False)}


class _Ring:
    """Entries, as many as there is room for: bare tuples, because making them is what every request pays for."""

    def __init__(self) -> None:
        self.entries: deque[tuple[Any, ...]] = deque()
        self._sizes: deque[int] = deque()
        self._bytes = 0

    def add(self, entry: tuple[Any, ...], size: int) -> None:
        self.entries.append(entry)
        self._sizes.append(size)
        self._bytes += size
        while self._bytes > limits.RECENT_REQUESTS_BYTES:
            self.entries.popleft()
            self._bytes -= self._sizes.popleft()

    def after(self, number: int) -> list[Entry]:
        return [entry for entry in map(Entry._make, self.entries) if entry.number > number]


class RecentRequests:
    """Keeps them, and shows them to whoever asks."""

    def __init__(self, clock: Clock, own_path: str) -> None:
        """``own_path`` is where they are shown: who looks at them doesn't want to see that."""
        self._own_path = own_path
        self._clock = clock
        self._clients = _Ring()
        self._components = _Ring()
        self._number = 0
        self._followers: dict[asyncio.Event, None] = {}

    def add(self, request: Request, info: RequestInfo, way: Way, code: int, seconds: float) -> None:
        """A request has been answered, or its answer has begun."""
        self._number = number = self._number + 1
        user, method, impersonated, decision, reason = _who(way)
        path, agent = request.path, request.headers.get("user-agent", "")
        # What a path names is part of it, so that it counts twice.
        size = 2 * len(path) + len(user) + len(impersonated) + len(reason) + len(agent) + _RESERVED_BYTES
        entry: tuple[Any, ...] = (
            number, self._clock.now(), seconds, code, info.verb, path, info.group, info.resource, info.subresource, info.namespace,
            info.name, user, method, impersonated, decision, reason, request.address, agent, request.component,
        )  # fmt: skip
        if size > limits.RECENT_REQUEST_BYTES:
            entry = tuple([value[: limits.RECENT_TEXT_CHARS] if isinstance(value, str) else value for value in entry])
            size = limits.RECENT_REQUEST_BYTES
        (self._components if request.component else self._clients).add(entry, size)
        for follower in self._followers:
            follower.set()

    def after(self, number: int, *, components: bool) -> list[Entry]:
        """What has come after an entry, the oldest first."""
        found = self._clients.after(number)
        shown = [entry for entry in found if entry.path != self._own_path]
        return sorted([*shown, *self._components.after(number)]) if components else shown

    async def lines(self, *, components: bool, follow: bool) -> AsyncGenerator[bytes, None]:
        """A JSON line each, after one that says how many; with ``follow`` also of those to come, for as long as the reader stays."""
        arrived = asyncio.Event()
        self._followers[arrived] = None
        try:
            entries = self.after(0, components=components)
            number = self._number
            yield _lines([{"entries": len(entries)}, *(entry.shown() for entry in entries)])
            while follow:
                await arrived.wait()
                arrived.clear()
                entries, number = self.after(number, components=components), self._number
                if entries:
                    yield _lines([entry.shown() for entry in entries])
        finally:
            del self._followers[arrived]


def _lines(objects: list[Object]) -> bytes:
    return b"".join([encode(obj) + b"\n" for obj in objects])


def _who(way: Way) -> tuple[str, str, str, str, str]:
    """Who asked, how that was known, as whom, and what was decided about that user, and why."""
    identity, decision = way.identity, way.decision
    if identity is None:
        return "", "", "", "", "" if way.error is None else way.error.message
    asked, user = identity.user, way.user
    impersonated = user.name if user is not None and user is not asked else ""
    if decision is None:
        return asked.name, identity.method, impersonated, "", "" if way.error is None else way.error.message
    reason = decision.reason
    if decision.verdict is Verdict.ALLOW:
        return (
            asked.name,
            identity.method,
            impersonated,
            "allow",
            reason or (f"group {MASTERS}" if user is not None and MASTERS in user.groups else ""),
        )
    return asked.name, identity.method, impersonated, "forbid", reason
