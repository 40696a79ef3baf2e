"""The path of the last requests, for ``svcsim audit``; like the cluster's other paths of its own, open to administrators alone."""

from urllib.parse import parse_qs

from svcsim.meta.http import Handler, Request, Response
from svcsim.server.audit.recent import RecentRequests
from svcsim.server.plain.admin import ROOT
from svcsim.server.requests.methods import check_method

PATH = f"{ROOT}/audit"


class RecentPath:
    """Shows the last requests."""

    def __init__(self, recent: RecentRequests) -> None:
        self._recent = recent

    def routes(self) -> dict[str, Handler]:
        return {PATH: self._answer}

    async def _answer(self, request: Request) -> Response:
        """A JSON line each; with ``follow`` those to come too, with ``components`` those of the cluster's own parts."""
        check_method(request, ("GET",))
        query = parse_qs(request.query)
        return Response(200, stream=self._recent.lines(components="components" in query, follow="follow" in query))
