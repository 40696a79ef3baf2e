"""The network of a container, as its programs use it: name resolution, connections and HTTP requests."""

import re
from typing import Protocol
from zlib import crc32

from svcsim.meta.http import Request, Response

REFUSED, TIMED_OUT, RESET = "Connection refused", "Operation timed out", "Connection reset by peer"
CONNECT_TIMEOUT_S = 127.0
"""How long a connection is tried to an address that doesn't answer."""
OUTSIDE = "203.0.113."
"""The beginning of the addresses of external hosts, which are reserved for documentation (RFC 5737)."""
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\."
_NAME = re.compile(rf"(?:{_LABEL})+(?:com|org|net|io|edu|gov|int|info)|(?:{_LABEL}){{2,}}(?:[a-z]{{2}}|dev|app|cloud)", re.IGNORECASE)
"""A name on the internet. Domains such as ``dev`` need two labels before them: ``web.dev`` may be a service in a namespace."""


class NoAnswerError(Exception):
    """A connection failed: the message is `REFUSED`, `TIMED_OUT` or `RESET`."""


class Network(Protocol):
    async def addresses(self, server: str, name: str) -> tuple[str, ...]:
        """The addresses that the name server at an address has for a full name in the cluster."""
        ...

    async def names(self, server: str, address: str) -> tuple[str, ...]:
        """The full names in the cluster that the name server has for an address."""
        ...

    async def connect(self, address: str, port: int) -> None:
        """Raises `NoAnswerError`."""
        ...

    async def ask(self, address: str, port: int, request: Request) -> Response:
        """The whole response. Raises `NoAnswerError`."""
        ...


class NoNetwork:
    """The `Network` of a container without connections."""

    async def addresses(self, server: str, name: str) -> tuple[str, ...]:  # noqa: ARG002 - as the protocol has it
        return ()

    async def names(self, server: str, address: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    async def connect(self, address: str, port: int) -> None:  # noqa: ARG002
        raise NoAnswerError(REFUSED)

    async def ask(self, address: str, port: int, request: Request) -> Response:  # noqa: ARG002
        raise NoAnswerError(REFUSED)


def outside_address(name: str) -> str:
    """The invented address of a host on the internet; empty if the name doesn't look like one."""
    return f"{OUTSIDE}{crc32(name.lower().encode()) % 254 + 1}" if _NAME.fullmatch(name) else ""
