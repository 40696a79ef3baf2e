"""The API server as programs in containers ask it: by the token that comes with a request, and for answers that have an end.

What a container runs is run once more after a new start of the cluster, when somebody reads its log. So its own processes only read here:
what they changed would be changed again. And they ask nothing for which others' processes, or they themselves, had to be run first.
"""

from collections.abc import AsyncIterator
from urllib.parse import parse_qsl, unquote

from svcsim import limits
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.nodes.shell.network import RESET, TIMED_OUT, NoAnswerError

_GOING_ON = ("watch", "follow")
"""Parameters by which an answer has no end."""
_NO = ("0", "false")
_REACHING = frozenset(("attach", "containerLogs", "exec", "log", "logs", "portforward", "proxy"))
_REACHED = frozenset(("nodes", "pods", "services"))
"""Parts of paths: what the API server asks nodes for, and of what."""
_ONLY_READ = "what a container runs by itself only reads objects here, since it may be run again; commands that exec runs may do more"


async def ask_api(api: Handler, request: Request, *, by_itself: bool) -> Response:
    """What the API server answers, wholly. ``by_itself``: asked by what the container runs. Raises `NoAnswerError`."""
    parts = unquote(request.path).split("/")
    if _goes_on(request, parts):
        raise NoAnswerError(TIMED_OUT)
    if by_itself and (request.method not in READING_METHODS or _reaches_nodes(parts)):
        return Response(405, encode(StatusError(405, "MethodNotAllowed", _ONLY_READ).status()))
    response = await api(request)
    if response.stream is not None:
        response.body, response.stream = await _whole(response.stream), None
    return response


def _goes_on(request: Request, parts: list[str]) -> bool:
    """Whether the answer would have no end."""
    asked = parse_qsl(request.query, keep_blank_values=True)
    behind_version = parts[3:4] if parts[1:2] == ["api"] else parts[4:5]
    return (
        behind_version == ["watch"]
        or "upgrade" in request.headers
        or any(name in _GOING_ON and value.lower() not in _NO for name, value in asked)
    )


def _reaches_nodes(parts: list[str]) -> bool:
    return not _REACHING.isdisjoint(parts) and not _REACHED.isdisjoint(parts)


async def _whole(stream: AsyncIterator[bytes]) -> bytes:
    """All of an answer. Raises `NoAnswerError` where that is more than a container has room for."""
    pieces: list[bytes] = []
    left = limits.SIMULATED_DISK_BYTES
    async for piece in stream:
        left -= len(piece)
        if left < 0:
            raise NoAnswerError(RESET)
        pieces.append(piece)
    return b"".join(pieces)
