"""Who is called: what a configuration says of a server outside of this process."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.go_urls import Url, parse_url
from svcsim.meta.names import port_number
from svcsim.meta.networks import host_port

DEFAULT_PORT = 443


class OutboundError(Exception):
    """There was no answer, or none that may be read. The message says why in one line, as the cluster's own users know it."""


class UnreachableServiceError(OutboundError):
    """A service leads nowhere. ``reason`` is the word for that in conditions."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RefusedError(OutboundError):
    """There was an answer, with an error's status."""

    def __init__(self, status: int, message: str, *, wants_delay: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.wants_delay = wants_delay
        """Whether it asks to be asked again after a while."""


class ServiceReference(NamedTuple):
    """A port of a service of the cluster."""

    namespace: str
    name: str
    port: int = DEFAULT_PORT

    @property
    def host(self) -> str:
        """The name it is called by, which its certificate has to bear."""
        return f"{self.name}.{self.namespace}.svc"


@dataclass(frozen=True, slots=True)
class Trust:
    """Which certificate the server has to show, and which one it is shown."""

    ca_pem: bytes | None = None
    """Only what these authorities have signed; without them, what the machine trusts."""
    certificate_pem: bytes | None = None
    key_pem: bytes | None = field(default=None, repr=False)
    verify: bool = True


@dataclass(frozen=True, slots=True)
class Remote:
    """A server, by a URL or as a service of the cluster. ``path`` goes before the path of every request to a service."""

    name: str
    """On whose behalf it is called, for the metrics: ``apiservice/v1.example.com``."""
    url: str = ""
    service: ServiceReference | None = None
    path: str = ""
    trust: Trust = Trust()
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent with every request: credentials."""
    server_name: str = ""
    """The name that the server's certificate has to bear, where it isn't the URL's."""

    @property
    def base(self) -> str:
        """The URL that paths of requests go behind."""
        if self.service is not None:
            return f"https://{self.service.host}:{self.service.port}{self.path.rstrip('/')}"
        return self.url.rstrip("/")


class Reached(NamedTuple):
    """What became of asking whether a server is there, as a condition tells it."""

    available: bool
    reason: str
    message: str


class Address(NamedTuple):
    """Where a connection goes."""

    host: str
    port: int
    server_name: str
    """The name the certificate has to bear."""

    def __str__(self) -> str:
        return host_port(self.host, self.port)


@lru_cache(limits.OUTBOUND_REMOTES)
def address_of_url(url: str) -> Address:
    """Where a URL leads. Raises `OutboundError` for one that leads nowhere, or not by HTTPS."""
    try:
        parts = parse_url(url)
    except ValueError as error:
        raise OutboundError(f"invalid URL: {error}") from error
    if parts.scheme != "https" or not parts.hostname:
        raise OutboundError(f"invalid URL {url!r}: it must begin with https:// and name a host")
    host = parts.hostname.lower()
    return Address(host, _port(parts), host)


def _port(url: Url) -> int:
    """A URL may have any digits for a port."""
    if not url.port:
        return DEFAULT_PORT
    digits = url.port.lstrip("0")
    if not digits or len(digits) > len("65535") or port_number(int(digits)):
        raise OutboundError(f"invalid URL: address {url.host}: invalid port")
    return int(digits)
