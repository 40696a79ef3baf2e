"""The path on which the scheduler explains pods, for ``svcsim explain-schedule``.

Like the cluster's other paths of its own it is open to administrators alone.
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import parse_qs

from svcsim.meta.codec import encode
from svcsim.meta.errors import bad_request
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.server.plain.admin import ROOT
from svcsim.server.requests.methods import check_method

PATH = f"{ROOT}/schedule"

Explain: TypeAlias = Callable[[str, str], Awaitable[Object]]
"""All there is to say about the place of a pod, by its namespace and name."""


class SchedulePath:
    """Explains one pod."""

    def __init__(self, explain: Explain) -> None:
        self._explain = explain

    async def answer(self, request: Request) -> Response:
        check_method(request, ("GET",))
        query = parse_qs(request.query)
        namespace, name = (query.get(field, [""])[0] for field in ("namespace", "pod"))
        if not namespace or not name:
            raise bad_request("say which pod: namespace=NAMESPACE&pod=NAME")
        return Response(200, encode(await self._explain(namespace, name)))
