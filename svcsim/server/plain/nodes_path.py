"""``/svcsim/v1/nodes``: the machines behind the cluster's simulated nodes, which no Node object tells of."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from svcsim.meta import errors
from svcsim.meta.codec import decode_sent_json, encode
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.server.requests.methods import check_method

NodesHandler: TypeAlias = Callable[[Object | None], Awaitable[Object]]
"""Does what a wish says, or, without one, tells what machines there are."""


class NodesPath:
    """GET tells of them; POST adds, removes, fails or recovers some, and answers with their names."""

    def __init__(self, nodes: NodesHandler) -> None:
        self._nodes = nodes

    async def answer(self, request: Request) -> Response:
        check_method(request, ("GET", "POST"))
        if request.method == "GET":
            return Response(200, encode(await self._nodes(None)))
        wish = decode_sent_json(request.body)
        if not isinstance(wish, dict):
            raise errors.bad_request("a wish about nodes must be a JSON object")
        return Response(200, encode(await self._nodes(wish)))
