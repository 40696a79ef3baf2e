"""The path on which a cluster tells what it knows of an object and no object says, for ``svcsim why``.

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

PATH = f"{ROOT}/why"

Tell: TypeAlias = Callable[[str, str, str, str], Awaitable[Object]]
"""What is known of an object, by its API version, kind, namespace and name. Raises `StatusError`, where it isn't there a 404."""


class WhyPath:
    """Tells of one object."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    async def answer(self, request: Request) -> Response:
        check_method(request, ("GET",))
        query = parse_qs(request.query)
        api_version, kind, namespace, name = (query.get(field, [""])[0] for field in ("apiVersion", "kind", "namespace", "name"))
        if not api_version or not kind or not name:
            raise bad_request("say which object: apiVersion=VERSION&kind=KIND&namespace=NAMESPACE&name=NAME")
        return Response(200, encode(await self._tell(api_version, kind, namespace, name)))
