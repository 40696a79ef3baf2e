"""Asking web servers, as far as ``wget`` and ``curl`` do it alike."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from svcsim.meta.http import Request, Response
from svcsim.nodes.shell.network import OUTSIDE, REFUSED, TIMED_OUT, NoAnswerError
from svcsim.nodes.shell.process import Process, Usage
from svcsim.nodes.shell.programs.names import addresses_of

_PORTS = {"http": 80, "https": 443}
_SECONDS = re.compile(r"\d{1,6}(?:\.\d{1,6})?")
FAILED = HTTPStatus.BAD_REQUEST
"""The status from which on an answer is a failure."""
_REASONS = {int(status): status.phrase for status in HTTPStatus}


class Url(NamedTuple):
    """Where something is asked for. ``target`` is the path with its query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.port == _PORTS[self.scheme] else f':{self.port}'}{self.target}"

    @property
    def name(self) -> str:
        """The last part of its path; empty where that ends with a slash."""
        return self.target.partition("?")[0].rpartition("/")[2]


def read_url(text: str) -> Url:
    """Raises `Usage`."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        raise Usage(f"bad address '{text}'") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise Usage(f"not an http or ftp url: {text}")
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return Url(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], target)


class UnknownHostError(Exception):
    """Nobody knows a host of that name."""


class NotConnectedError(Exception):
    """Nobody answers at an address."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(why)
        self.address = address
        self.why = why


class Answered(NamedTuple):
    """An answer, and the address it came from."""

    address: str
    response: Response

    @property
    def status_line(self) -> str:
        status = self.response.status
        return f"HTTP/1.1 {status} {_REASONS.get(status, '')}".rstrip()

    @property
    def headers(self) -> dict[str, str]:
        given = {name: value for name, value in self.response.headers.items() if name.lower() not in {"content-type", "content-length"}}
        return {**given, "Content-Type": self.response.content_type, "Content-Length": str(len(self.response.body))}


async def asked(
    process: Process, url: Url, method: str, headers: Mapping[str, str], body: bytes, timeout_s: float, family: int = 0
) -> Answered:
    """What is answered, at an address of this version of IP where one is wanted.

    Raises `UnknownHostError` and `NotConnectedError`, the latter after the time that trying takes.
    """
    addresses = [one for one in await addresses_of(process, url.host) if family in {0, ip_address(one).version}]
    if not addresses:
        raise UnknownHostError(url.host)
    path, _, query = url.target.partition("?")
    request = Request(method, path, query, {"host": url.host, **{name.lower(): value for name, value in headers.items()}}, body)
    why = REFUSED
    for address in addresses:
        try:
            response = await process.world.network.ask(address, url.port, request)
        except NoAnswerError as error:
            why = str(error)
        else:
            process.hold(len(response.body))
            process.work.believed = process.work.believed or address.startswith(OUTSIDE)
            return Answered(address, response)
    if why == TIMED_OUT:
        await process.work.rest(process.world, timeout_s)
    raise NotConnectedError(addresses[0], why)


def read_headers(lines: tuple[str, ...]) -> dict[str, str]:
    """``Name: value`` lines."""
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def read_seconds(text: str, otherwise: float) -> float:
    """A time that was given, if one was. Raises `Usage`."""
    if not text:
        return otherwise
    if not _SECONDS.fullmatch(text):
        raise Usage(f"invalid number '{text}'")
    return float(text) or otherwise
