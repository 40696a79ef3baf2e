"""Where others learn how to verify the tokens of this cluster's service accounts, without asking the cluster for each."""

from collections.abc import Callable

from svcsim.auth.service_accounts.discovery import KEYS_PATH, IssuerDocuments
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.server.requests.methods import check_method

CONFIGURATION_PATH = "/.well-known/openid-configuration"
_KEPT = {"Cache-Control": "public, max-age=3600"}


def issuer_paths(documents: IssuerDocuments) -> dict[str, Handler]:
    """The handlers of the two paths."""
    return {
        CONFIGURATION_PATH: _handler(documents.configuration, "application/json"),
        KEYS_PATH: _handler(documents.keys, "application/jwk-set+json"),
    }


def _handler(document: Callable[[], bytes], content_type: str) -> Handler:
    async def answer(request: Request) -> Response:
        check_method(request, READING_METHODS)
        return Response(200, document(), content_type, dict(_KEPT))

    return answer
