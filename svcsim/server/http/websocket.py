"""WebSockets (RFC 6455) on the server's side: the handshake.

A request that asks for one is answered with `Response` 101, the headers of `handshake`, and either a tunnel or a stream whose pieces are
whole messages, of which `svcsim.server.http.socket_stream` makes frames. Extensions (compression) aren't offered.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence

from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.http import Request

_SALT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_KEY_BYTES = 16
_VERSION = "13"
_BEARER = "base64url.bearer.authorization."


def wants_websocket(request: Request) -> bool:
    """Whether the connection is asked to become a WebSocket."""
    if "upgrade" not in request.headers:
        return False
    return "websocket" in _words(request, "upgrade") and "upgrade" in _words(request, "connection")


def _words(request: Request, name: str) -> list[str]:
    return [word.strip().lower() for word in request.headers.get(name, "").split(",")]


def handshake(request: Request, spoken: Sequence[str] | None = None) -> dict[str, str]:
    """The headers that agree to it. Raises 400.

    The protocol is the first that the client offers of those that are ``spoken``, or whichever it likes best; 403 where there is none of
    them. Who offers none at all gets none.
    """
    if request.headers.get("sec-websocket-version") != _VERSION:
        error = bad_request(f"only version {_VERSION} of WebSockets is spoken here")
        error.headers = {"Sec-WebSocket-Version": _VERSION}
        raise error
    key = request.headers.get("sec-websocket-key", "")
    try:
        raw = base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if request.method != "GET" or len(raw) != _KEY_BYTES:
        raise bad_request("a WebSocket is asked for by a GET with a Sec-WebSocket-Key of 16 bytes in base64")
    accepted = base64.b64encode(hashlib.sha1(key.encode() + _SALT, usedforsecurity=False).digest()).decode()
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accepted}
    offered = _protocols(request.headers)
    agreed = next((protocol for protocol in offered if spoken is None or protocol in spoken), "")
    if offered and not agreed:
        why = f"unable to upgrade: requested protocol(s) are not supported: {offered}; supports {list(spoken or ())}"
        raise StatusError(403, "Forbidden", why, {})
    return {**headers, "Sec-WebSocket-Protocol": agreed} if agreed else headers


def take_bearer(headers: dict[str, str]) -> None:
    """Browsers can't set an Authorization header on a WebSocket: a token they hid among the protocols is put where it belongs."""
    protocols = _protocols(headers)
    for protocol in protocols:
        token = _bearer_token(protocol)
        if token and "authorization" not in headers:
            headers["authorization"] = f"Bearer {token}"
            headers["sec-websocket-protocol"] = ",".join(other for other in protocols if not other.startswith(_BEARER))


def _protocols(headers: dict[str, str]) -> list[str]:
    return [name for word in headers.get("sec-websocket-protocol", "").split(",") if (name := word.strip())]


def _bearer_token(protocol: str) -> str:
    if not protocol.startswith(_BEARER):
        return ""
    encoded = protocol.rpartition(".")[2]
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
