"""The paths below ``/openapi``. Documents are built when they are first asked for, in slices: most clusters never are."""

import asyncio
import hashlib
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import turn, wall_time
from svcsim.meta.codec import encode
from svcsim.meta.errors import method_not_allowed, not_acceptable
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import GroupVersion
from svcsim.registry.scheme import Scheme
from svcsim.server.http.heads import http_date
from svcsim.server.negotiate import JSON_TYPE, accept_clauses
from svcsim.server.openapi import group_document, whole_document
from svcsim.server.openapi_protobuf import MEDIA_TYPE, MEDIA_TYPES, encode_document
from svcsim.server.plain_paths import page_not_found
from svcsim.server.query import parse_query, text

ROOT = "/openapi"
_JSON_TYPES = (JSON_TYPE, "*/*", "application/*")
_YEAR_S = 365 * 24 * 3600.0


class Encoded(NamedTuple):
    """A document ready to be sent."""

    body: bytes
    content_type: str
    hash: str
    """Of the content."""


class OpenApi:
    """The handlers, and the documents made so far."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._building = asyncio.Lock()
        self._documents: dict[str, Encoded] = {}
        """By path, and by content type where there are two."""
        self._group_versions = {_path(GroupVersion(g, v)): GroupVersion(g, v) for g, vs in scheme.group_versions().items() for v in vs}

    def paths(self) -> dict[str, Handler]:
        """Handlers by path."""
        return {f"{ROOT}/v2": self._whole, f"{ROOT}/v3": self._index, f"{ROOT}/v3/": self._one}

    async def _whole(self, request: Request) -> Response:
        media_type = _negotiated(request, (*_JSON_TYPES, *MEDIA_TYPES))
        return _answer(request, await self._whole_document(MEDIA_TYPE if media_type in MEDIA_TYPES else JSON_TYPE))

    async def _index(self, request: Request) -> Response:
        """Where each version of a group has its document, by a URL that changes with its content."""
        _negotiated(request, _JSON_TYPES)
        urls = {path: {"serverRelativeURL": await self._url(path)} for path in self._group_versions}
        return Response(200, encode({"paths": urls}))

    async def _one(self, request: Request) -> Response:
        path = request.path.removeprefix(f"{ROOT}/v3/").rstrip("/")
        if path not in self._group_versions:
            return await page_not_found(request)
        _negotiated(request, _JSON_TYPES)
        document = await self._group_document(path)
        asked = text(parse_query(request.query), "hash")
        if not asked:
            return _answer(request, document)
        if asked != document.hash:
            return Response(301, headers={"Location": await self._url(path)})
        response = _answer(request, document)
        response.headers |= {"Cache-Control": "public, immutable", "Expires": http_date(wall_time() + _YEAR_S)}
        return response

    async def _url(self, path: str) -> str:
        return f"{ROOT}/v3/{path}?hash={(await self._group_document(path)).hash}"

    async def _group_document(self, path: str) -> Encoded:
        async with self._building:
            if path not in self._documents:
                document = await group_document(self._scheme, self._group_versions[path])
                self._documents[path] = _encoded(encode(document), JSON_TYPE)
            return self._documents[path]

    async def _whole_document(self, content_type: str) -> Encoded:
        async with self._building:
            if content_type not in self._documents:
                document = await whole_document(self._scheme)
                if content_type == JSON_TYPE:
                    body = encode(document)
                else:
                    pieces: list[bytes] = []
                    for piece in encode_document(document):
                        pieces.append(piece)
                        if len(pieces) % limits.OPENAPI_SLICE == 0:
                            await turn()
                    body = b"".join(pieces)
                self._documents[content_type] = _encoded(body, content_type)
            return self._documents[content_type]


def _negotiated(request: Request, known: tuple[str, ...]) -> str:
    """The best of the media types we have. Raises 405 and 406."""
    if request.method not in ("GET", "HEAD"):
        raise method_not_allowed()
    accept = request.headers.get("accept") or "*/*"
    for clause in accept_clauses(accept):
        if clause.media_type in known:
            return clause.media_type
    raise not_acceptable(tuple(media_type for media_type in known if "*" not in media_type))


def _encoded(body: bytes, content_type: str) -> Encoded:
    return Encoded(body, content_type, hashlib.sha256(body).hexdigest().upper())


def _answer(request: Request, document: Encoded) -> Response:
    """The document; 304 for a client that has it."""
    etag = f'"{document.hash}"'
    headers = {"ETag": etag, "Vary": "Accept"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(304, b"", document.content_type, headers)
    return Response(200, document.body, document.content_type, headers)


def _path(group_version: GroupVersion) -> str:
    return f"apis/{group_version}" if group_version.group else f"api/{group_version.version}"
