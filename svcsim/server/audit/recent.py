"""The last requests, for ``svcsim audit``: their users, results and reasons, without any file or policy.

Every request is kept, because it isn't known beforehand which will have to be explained; so keeping one has to cost next to nothing. It is
a tuple of existing texts, which are parsed and formatted only when they are read. Clients and components of the cluster have rings of their
own, so that the many requests of components don't push out the few of clients.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.authentication import MASTERS
from svcsim.auth.authorization import Verdict
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.http import Request
from svcsim.meta.times import format_micro_time
from svcsim.meta.types import Object
from svcsim.server.requests.request_info import read_request_info
from svcsim.server.requests.way import Way


class Entry(NamedTuple):
    """One request."""

    number: int
    time_s: float
    seconds: float
    """Until its answer began."""
    code: int
    method: str
    path: str
    query: str
    user: str
    known_by: str
    """How it was known who asks."""
    impersonated: str
    """The impersonated user, if there is one."""
    verdict: Verdict | None
    reason: str
    address: str
    agent: str
    component: bool

    def shown(self) -> Object:
        """As JSON, with what there is of it."""
        info = read_request_info(self.method, self.path, self.query)
        fields: Object = {
            "number": self.number,
            "time": format_micro_time(self.time_s),
            "user": self.user,
            "impersonated": self.impersonated,
            "knownBy": self.known_by,
            "verb": info.verb,
            "group": info.group,
            "resource": info.resource,
            "subresource": info.subresource,
            "namespace": info.namespace,
            "name": info.name,
            "path": self.path,
            "code": self.code,
            "seconds": round(self.seconds, 6),
            "decision": {Verdict.ALLOW: "allow", None: ""}.get(self.verdict, "forbid"),
            "reason": self.reason,
            "address": self.address,
            "agent": self.agent,
            "component": self.component,
        }
        return {name: value for name, value in fields.items() if value not in ("", False)}


class RecentRequests:
    """Keeps the last requests, and shows them."""

    def __init__(self, clock: Clock, own_path: str) -> None:
        """``own_path`` is where they are shown: who looks at them doesn't want to see that."""
        self._own_path = own_path
        self._clock = clock
        self._clients: deque[Entry] = deque(maxlen=limits.RECENT_REQUESTS)
        self._components: deque[Entry] = deque(maxlen=limits.RECENT_REQUESTS)
        self._number = 0
        self._followers: dict[asyncio.Event, None] = {}

    def add(self, request: Request, way: Way, code: int, seconds: float) -> None:
        """A request has been answered, or its answer has begun."""
        self._number += 1
        identity, user, decision, path, query = way.identity, way.user, way.decision, request.path, request.query
        agent = request.headers.get("user-agent", "")
        name = known_by = impersonated = reason = ""
        verdict = None
        if identity is not None:
            name, known_by = identity.user.name, identity.method
            if user is not identity.user and user is not None:
                impersonated = user.name
        if decision is not None:
            verdict, reason = decision.verdict, decision.reason
            if not reason and user is not None and MASTERS in user.groups:
                reason = _MASTERS
        elif way.error is not None:
            reason = way.error.message
        if len(path) + len(query) + len(agent) + len(name) + len(impersonated) + len(reason) > limits.RECENT_TEXT_CHARS:
            path, query, agent, name, impersonated, reason = map(_cut, (path, query, agent, name, impersonated, reason))
        # Made as a bare tuple: by its fields it would take twice as long.
        entry = _entry(Entry, (self._number, self._clock.now(), seconds, code, request.method, path, query, name, known_by, impersonated,
                               verdict, reason, request.address, agent, request.component))  # fmt: skip
        (self._components if request.component else self._clients).append(entry)
        if self._followers:
            for follower in self._followers:
                follower.set()

    def after(self, number: int, *, components: bool) -> list[Entry]:
        """What has come after an entry, the oldest first."""
        shown = [entry for entry in self._clients if entry.number > number and entry.path != self._own_path]
        if components:
            shown = sorted([*shown, *(entry for entry in self._components if entry.number > number)])
        return shown

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


_MASTERS = f"group {MASTERS}"
"""Why its members may do everything, where nobody has said it better."""
_entry = tuple.__new__


def _cut(text: str) -> str:
    return text[: limits.RECENT_TEXT_CHARS // 4]
