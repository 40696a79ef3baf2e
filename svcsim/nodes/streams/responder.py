"""Who answers at the ports of simulated pods: an HTTP server that knows no more than requests and answers. And which ports it is at."""

from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from svcsim import limits
from svcsim.meta.http import Response
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.streaming import Forwarded
from svcsim.meta.types import Object
from svcsim.nodes.images.known_processes import known_ports
from svcsim.nodes.streams.agnhost import served_by_agnhost
from svcsim.nodes.streams.running import started_at_of

Answer: TypeAlias = Callable[[str, str], Awaitable[Response]]
"""To a request of some method for some path, which has its query with it."""


def listening(pod: Object) -> dict[int, str]:
    """The ports of a pod at which a container listens that runs, and which does: those it declares, is probed at, or is known for."""
    found: dict[int, str] = {}
    for container in pod["spec"].get("containers") or ():
        if started_at_of(pod, container["name"]) is not None:
            for port in _ports(container):
                found.setdefault(port, container["name"])
    return found


def _ports(container: Object) -> Iterator[int]:
    declared = {port.get("name"): port["containerPort"] for port in container.get("ports") or () if port.get("protocol", "TCP") == "TCP"}
    yield from declared.values()
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        for kind in ("httpGet", "tcpSocket", "grpc"):
            port = ((container.get(probe) or {}).get(kind) or {}).get("port")
            number = declared.get(port) if isinstance(port, str) and not port.isdigit() else port
            if number is not None:
                yield int(number)
    yield from served_by_agnhost(container, "")
    if not (container.get("command") or container.get("args")):
        yield from known_ports(container.get("image") or "")


def refused(pod: Object, port: int) -> str:
    """What a node says of a port nothing listens at."""
    where = f'"/var/run/netns/{namespace_of(pod)}-{name_of(pod)}"'
    return (
        f"failed to execute portforward in network namespace {where}: failed to connect to localhost:{port} inside namespace {where}, "
        f"IPv4: dial tcp4 127.0.0.1:{port}: connect: connection refused IPv6 dial tcp6 [::1]:{port}: connect: connection refused "
    )


async def respond(connection: Forwarded, answer: Answer) -> None:
    """Answer requests, one after the other, until there are no more or one isn't understood."""
    waiting = b""
    while True:
        while b"\r\n\r\n" not in waiting:
            piece = await connection.read()
            if not piece:
                return
            waiting += piece
            if len(waiting) > limits.RESPONDER_HEAD_BYTES:
                await connection.write(_answer(431, b"", close=True))
                return
        head, _, waiting = waiting.partition(b"\r\n\r\n")
        read = _read_head(head)
        if read is None:
            await connection.write(_answer(400, b"", close=True))
            return
        method, path, headers = read
        left = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not left.isdigit() or len(left) > 18:
            await connection.write(_answer(411, b"", close=True))
            return
        waiting = await _skipped(connection, waiting, int(left))
        close = headers.get("connection", "").lower() == "close" or head.split(b"\r\n")[0].endswith(b"HTTP/1.0")
        response = await answer(method, path)
        head_only = method == "HEAD"
        await connection.write(_answer(response.status, response.body, response.content_type, close=close, head_only=head_only))
        if close:
            return


def _read_head(head: bytes) -> tuple[str, str, dict[str, str]] | None:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[0].isalpha():
        return None
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return words[0], words[1], headers


async def _skipped(connection: Forwarded, waiting: bytes, left: int) -> bytes:
    """What comes behind a body of so many bytes."""
    while len(waiting) < left:
        left -= len(waiting)
        waiting = await connection.read()
        if not waiting:
            raise ConnectionResetError("the client has gone in the middle of a body")
    return waiting[left:]


_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 411: "Length Required", 431: "Request Header Fields Too Large"}


def _answer(status: int, body: bytes, content_type: str = "application/json", *, close: bool, head_only: bool = False) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {_REASONS[status]}",
        "Server: svcsim",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        *(("Connection: close",) if close else ()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if head_only else body)
