"""The paths below ``/openapi``. Documents are built when they are first asked for: most clusters never are."""

from functools import cached_property

from svcsim.meta.codec import encode
from svcsim.meta.errors import method_not_allowed
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import GroupVersion
from svcsim.registry.scheme import Scheme
from svcsim.server.discovery_paths import Document
from svcsim.server.negotiate import Negotiator
from svcsim.server.openapi import group_document, whole_document
from svcsim.server.plain_paths import page_not_found

ROOT = "/openapi"


class OpenApi:
    """The handlers, and the documents made so far."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._negotiator = Negotiator(scheme.dialect)
        self._documents: dict[str, Document] = {}
        self._group_versions = {_path(GroupVersion(g, v)): GroupVersion(g, v) for g, vs in scheme.group_versions().items() for v in vs}

    def paths(self) -> dict[str, Handler]:
        """Handlers by path."""
        return {f"{ROOT}/v2": self._whole, f"{ROOT}/v3": self._index, f"{ROOT}/v3/": self._one}

    @cached_property
    def _whole_document(self) -> Document:
        return Document(whole_document(self._scheme))

    async def _whole(self, request: Request) -> Response:
        shape = self._negotiator.shape(request.headers.get("accept", ""))
        return self._whole_document.answer(request, as_yaml=shape.media == "yaml")

    async def _index(self, request: Request) -> Response:
        """Where each version of a group has its document, by a URL that changes with its content."""
        if request.method not in ("GET", "HEAD"):
            raise method_not_allowed()
        urls = {path: {"serverRelativeURL": f"{ROOT}/v3/{path}?hash={self._document(path).hash}"} for path in self._group_versions}
        return Response(200, encode({"paths": urls}))

    async def _one(self, request: Request) -> Response:
        path = request.path.removeprefix(f"{ROOT}/v3/").rstrip("/")
        if path not in self._group_versions:
            return await page_not_found(request)
        shape = self._negotiator.shape(request.headers.get("accept", ""))
        return self._document(path).answer(request, as_yaml=shape.media == "yaml")

    def _document(self, path: str) -> Document:
        if path not in self._documents:
            self._documents[path] = Document(group_document(self._scheme, self._group_versions[path]))
        return self._documents[path]


def _path(group_version: GroupVersion) -> str:
    return f"apis/{group_version}" if group_version.group else f"api/{group_version.version}"
