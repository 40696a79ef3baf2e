"""The log backend: a line an event, in a file or on the server's own output."""

import asyncio
import logging
import os
from typing import Literal, Protocol

from svcsim import limits
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.server.audit.delivery import BackendError
from svcsim.server.audit.event import AuditEvent
from svcsim.virtual_loop import VirtualLoop

_LOG = logging.getLogger("svcsim.audit")
_STDOUT = 1

Format = Literal["json", "legacy"]


class Lines(Protocol):
    """Where lines go."""

    def write(self, data: bytes) -> None:
        """All of them, or none. May block. Raises `OSError`."""
        ...


class Output:
    """The server's own output: the terminal of ``svcsim up --foreground``, else the server's log.

    That log is kept to a size by what is written to it as a log; so, now and then, something is.
    """

    def __init__(self) -> None:
        self._bytes = 0

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(_STDOUT, left) :]
        self._bytes += len(data)
        if self._bytes > limits.AUDIT_OUTPUT_NOTED_BYTES:
            _LOG.info("%d bytes of audit events were written to the server's output", self._bytes)
            self._bytes = 0


class LogBackend:
    """Writes lines, on a thread."""

    name = "log"

    def __init__(self, lines: Lines, form: Format, api_version: str, where: str) -> None:
        """``where`` is what to call the place in messages."""
        self._lines = lines
        self._legacy = form == "legacy"
        self._head = b'{"kind":"Event","apiVersion":"%s",' % api_version.encode()
        self._where = where

    def form(self, event: AuditEvent) -> bytes:
        """One line."""
        return legacy_line(event.fields) if self._legacy else self._head + event.body[1:] + b"\n"

    async def write(self, batch: list[bytes]) -> None:
        """Raises `BackendError`, on a full disk for one."""
        data = b"".join(batch)
        loop = asyncio.get_running_loop()
        try:
            if isinstance(loop, VirtualLoop):
                self._lines.write(data)
            else:
                await loop.run_in_executor(None, self._lines.write, data)
        except OSError as error:
            raise BackendError(f"can't write to {self._where}: {(error.strerror or str(error)).lower()}") from error


def legacy_line(fields: Object) -> bytes:
    """An event in one line of words, as the oldest format has it."""
    user, other = fields["user"], fields.get("impersonatedUser")
    status: Object | None = fields.get("responseStatus")
    words = {
        "id": fields["auditID"],
        "stage": fields["stage"],
        "ip": (fields.get("sourceIPs") or ["<unknown>"])[0],
        "method": fields["verb"],
        "user": user.get("username") or "<none>",
        "groups": _listed(user.get("groups")) or "<none>",
        "as": "<self>" if other is None else other["username"],
        "asgroups": (None if other is None else _listed(other.get("groups"))) or "<lookup>",
        "user-agent": fields.get("userAgent", ""),
        "namespace": (fields.get("objectRef") or {}).get("namespace") or "<none>",
        "uri": fields["requestURI"],
        "response": "<deferred>" if status is None else str(status["code"]),
    }
    spelled = " ".join([f"{name}={quoted(word)}" for name, word in words.items()])
    return f"{fields['requestReceivedTimestamp']} AUDIT: {spelled}\n".encode(errors="replace")


def _listed(groups: tuple[str, ...] | None) -> str:
    return ",".join(map(quoted, groups or ()))
