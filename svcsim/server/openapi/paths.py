"""The paths below ``/openapi``. Documents are built when they are first asked for: most clusters never are."""

from functools import cached_property
from typing import TYPE_CHECKING

from svcsim.meta.errors import not_acceptable
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.meta.times import http_date
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.remotes import Remotes
from svcsim.server.content.json_form import json_body, wants_pretty
from svcsim.server.content.negotiate import JSON_TYPE, accept_clauses
from svcsim.server.openapi.media_types import PROTOBUF_TYPE, PROTOBUF_TYPES
from svcsim.server.plain.plain_paths import page_not_found
from svcsim.server.requests.methods import check_method
from svcsim.server.requests.query import parse_query, text
from svcsim.wall import wall_time

if TYPE_CHECKING:
    from svcsim.server.openapi.documents import Documents, Encoded

ROOT = "/openapi"
_JSON_TYPES = (JSON_TYPE, "*/*", "application/*")
_YEAR_S = 365 * 24 * 3600.0


class OpenApi:
    """The handlers."""

    def __init__(self, scheme: Scheme, remotes: Remotes | None) -> None:
        """``remotes`` are the versions that servers behind this one answer for: they describe them themselves."""
        self._scheme = scheme
        self._remotes = remotes

    @cached_property
    def _documents(self) -> "Documents":
        from svcsim.server.openapi.documents import Documents  # noqa: PLC0415 - most clusters are never asked for one

        return Documents(self._scheme, self._remotes)

    def paths(self) -> dict[str, Handler]:
        return {f"{ROOT}/v2": self._whole, f"{ROOT}/v3": self._index, f"{ROOT}/v3/": self._one}

    async def _whole(self, request: Request) -> Response:
        media_type = _negotiated(request, (*_JSON_TYPES, *PROTOBUF_TYPES))
        return _answer(request, await self._documents.whole(PROTOBUF_TYPE if media_type in PROTOBUF_TYPES else JSON_TYPE))

    async def _index(self, request: Request) -> Response:
        """Where each version of a group has its document, by a URL that changes with its content."""
        _negotiated(request, _JSON_TYPES)
        urls: dict[str, Object] = {}
        for place in self._documents.places():
            urls[place.strip("/")] = {"serverRelativeURL": _url(place.strip("/"), await self._documents.of_place(place))}
        for group_version in [
            GroupVersion(group, version) for group, versions in self._scheme.group_versions().items() for version in versions
        ]:
            document = await self._documents.of_version(group_version)
            if document is not None:
                urls[_path(group_version)] = {"serverRelativeURL": _url(_path(group_version), document)}
        for group_version in () if self._remotes is None else filter(self._remotes.documented.__contains__, self._remotes.versions):
            urls[_path(group_version)] = {"serverRelativeURL": f"{ROOT}/v3/{_path(group_version)}"}
        return Response(200, json_body({"paths": dict(sorted(urls.items()))}, pretty=wants_pretty(request)))

    async def _one(self, request: Request) -> Response:
        path = request.path.removeprefix(f"{ROOT}/v3/").rstrip("/")
        group_version = _group_version(path)
        document: Encoded | None = None
        if self._scheme.resources_of(group_version):
            _negotiated(request, _JSON_TYPES)
            document = await self._documents.of_version(group_version)
        elif f"/{path}/" in self._documents.places():
            _negotiated(request, _JSON_TYPES)
            document = await self._documents.of_place(f"/{path}/")
        if document is None:
            return await page_not_found(request)
        asked = text(parse_query(request.query), "hash")
        if not asked:
            return _answer(request, document)
        if asked != document.hash:
            return Response(301, headers={"Location": _url(path, document)})
        response = _answer(request, document)
        response.headers |= {"Cache-Control": "public, immutable", "Expires": http_date(wall_time() + _YEAR_S)}
        return response


def _negotiated(request: Request, known: tuple[str, ...]) -> str:
    """The best of the media types we have. Raises 405 and 406."""
    check_method(request, READING_METHODS)
    accept = request.headers.get("accept") or "*/*"
    for clause in accept_clauses(accept):
        if clause.media_type in known:
            return clause.media_type
    raise not_acceptable(tuple(media_type for media_type in known if "*" not in media_type))


def _answer(request: Request, document: "Encoded") -> Response:
    """The document; 304 for a client that has it."""
    etag = f'"{document.hash}"'
    headers = {"ETag": etag, "Vary": "Accept"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(304, b"", document.content_type, headers)
    return Response(200, document.body, document.content_type, headers)


def _path(group_version: GroupVersion) -> str:
    return f"apis/{group_version}" if group_version.group else f"api/{group_version.version}"


def _group_version(path: str) -> GroupVersion:
    """The other way; what is no such path names what is never served."""
    root, _, rest = path.partition("/")
    group, _, version = rest.rpartition("/")
    return GroupVersion(group, version) if (root, bool(group)) in (("api", False), ("apis", True)) else GroupVersion("", "")


def _url(path: str, document: "Encoded") -> str:
    return f"{ROOT}/v3/{path}?hash={document.hash}"
