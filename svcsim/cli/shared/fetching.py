"""Manifests from the web, for ``-f https://…``.

The server isn't trusted: no credentials are sent, and the answer has a limit in size and time. Proxies of the environment are used, and
redirects followed. `urllib` is slow to import: this module is imported only if there is something to fetch.
"""

import socket
import ssl
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.wall import stopwatch, wall_sleep

_HANDLERS = (
    urllib.request.ProxyHandler, urllib.request.UnknownHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPRedirectHandler, urllib.request.HTTPErrorProcessor,
)  # fmt: skip
"""What `urllib` does for HTTP; no redirect leads to FTP or to a file."""


def fetch(address: str) -> bytes:
    """What is at an address. Raises `CommandError` or `ConnectionError` in kubectl's words."""
    try:
        host = urlsplit(address).hostname
    except ValueError as error:
        raise CommandError(f'the URL passed to filename "{address}" is not valid: {error}') from error
    if not host:
        raise ConnectionError("Unable to connect to the server: http: no Host in request URL")
    deadline = stopwatch() + limits.FETCH_S
    for number in range(1, limits.FETCH_TRIES):
        try:
            return _once(address, deadline)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise _refused(address, error) from error
        wall_sleep(number * limits.FETCH_PAUSE_S)
    try:
        return _once(address, deadline)
    except urllib.error.HTTPError as error:
        raise _refused(address, error) from error


def _refused(address: str, error: urllib.error.HTTPError) -> CommandError:
    return CommandError(f'unable to read URL "{address}", server reported {error.code} {error.reason}, status code={error.code}')


def _once(address: str, deadline: float) -> bytes:
    where = urlsplit(address)
    request = urllib.request.Request(address, headers={"User-Agent": "svcsim"})  # noqa: S310 - http and https alone come here
    opener = urllib.request.OpenerDirector()
    for handler in _HANDLERS:
        opener.add_handler(handler())
    try:
        with opener.open(request, timeout=limits.FETCH_S) as response:
            return _body(response, address, deadline)
    except urllib.error.HTTPError as error:
        error.close()  # what its page says is of no interest
        raise
    except urllib.error.URLError as error:
        raise _unreachable(where.netloc, where.hostname or "", error.reason) from error
    except (OSError, HTTPException, ValueError) as error:
        raise _unreachable(where.netloc, where.hostname or "", error) from error


def _body(response: HTTPResponse, address: str, deadline: float) -> bytes:
    body = b""
    while piece := response.read1(limits.MANIFEST_BYTES + 1 - len(body)):
        body += piece
        if len(body) > limits.MANIFEST_BYTES:
            raise CommandError(f'"{address}" is larger than {limits.MANIFEST_BYTES // 1024**2} MiB; download it and apply it in parts')
        if stopwatch() > deadline:
            raise CommandError(f'"{address}" took longer than {limits.FETCH_S:g}s; download it first')
    return body


def _unreachable(where: str, host: str, reason: object) -> ConnectionError:
    if isinstance(reason, ConnectionRefusedError):
        return ConnectionError(f"The connection to the server {where} was refused - did you specify the right host or port?")
    if isinstance(reason, socket.gaierror):
        return ConnectionError(f"Unable to connect to the server: dial tcp: lookup {host}: no such host")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return ConnectionError(f"Unable to connect to the server: tls: failed to verify certificate: {reason.verify_message}")
    if isinstance(reason, ssl.SSLError) and reason.reason == "WRONG_VERSION_NUMBER":
        return ConnectionError("Unable to connect to the server: tls: first record does not look like a TLS handshake")
    if isinstance(reason, TimeoutError):
        return ConnectionError(f"Unable to connect to the server: dial tcp {where}: i/o timeout")
    text = (reason.strerror if isinstance(reason, OSError) else None) or str(reason)
    return ConnectionError(f"Unable to connect to the server: {text}")
