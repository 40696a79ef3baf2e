"""The network around a container, as the programs in it see it: what names stand for, and who answers at an address and a port."""

import re
from typing import Protocol
from zlib import crc32

from svcsim.meta.http import Request, Response

REFUSED, TIMED_OUT, RESET = "Connection refused", "Operation timed out", "Connection reset by peer"
CONNECT_TIMEOUT_S = 127.0
"""How long a system tries to connect where nobody says anything."""
OUTSIDE = "203.0.113."
"""What addresses outside of the cluster begin with: nobody has them (RFC 5737)."""
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\."
_NAME = re.compile(rf"(?:{_LABEL})+(?:com|org|net|io|edu|gov|int|info)|(?:{_LABEL}){{2,}}(?:[a-z]{{2}}|dev|app|cloud)", re.IGNORECASE)
"""A name on the internet. The last of these domains may as well be namespaces in which services are looked for."""


class NoAnswerError(Exception):
    """Nobody answers at an address and a port: what a system says of that is `REFUSED`, `TIMED_OUT` or `RESET`."""


class Network(Protocol):
    async def addresses(self, server: str, name: str) -> tuple[str, ...]:
        """Those that a server of names, by its address, tells for the full name of a host in the cluster."""
        ...

    async def names(self, server: str, address: str) -> tuple[str, ...]:
        """The full names in the cluster that it tells for an address."""
        ...

    async def connect(self, address: str, port: int) -> None:
        """Raises `NoAnswerError`."""
        ...

    async def ask(self, address: str, port: int, request: Request) -> Response:
        """A whole answer. Raises `NoAnswerError`."""
        ...


class NoNetwork:
    """The `Network` of a container that is connected with nothing."""

    async def addresses(self, server: str, name: str) -> tuple[str, ...]:  # noqa: ARG002 - as the protocol has it
        return ()

    async def names(self, server: str, address: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    async def connect(self, address: str, port: int) -> None:  # noqa: ARG002
        raise NoAnswerError(REFUSED)

    async def ask(self, address: str, port: int, request: Request) -> Response:  # noqa: ARG002
        raise NoAnswerError(REFUSED)


def outside_address(name: str) -> str:
    """The address of a host on the internet, where each one is believed to be; empty for what looks like no name there."""
    return f"{OUTSIDE}{crc32(name.lower().encode()) % 254 + 1}" if _NAME.fullmatch(name) else ""
