"""The paths below ``/openapi``. Documents are built when they are first asked for, in slices: most clusters never are.

What is served may change while a document is being built. So each is kept beside the resource types it was built of, and is good for as
long as these are still the ones that are served; a change of one group leaves the documents of the others as they are.
"""

import asyncio
import hashlib
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import turn, wall_time
from svcsim.meta.aside import aside
from svcsim.meta.codec import encode
from svcsim.meta.errors import method_not_allowed, not_acceptable
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.meta.times import http_date
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Resource, Scheme
from svcsim.schema.type_names import TypeNames
from svcsim.server.aggregation.remotes import Remotes
from svcsim.server.content.json_form import json_body, wants_pretty
from svcsim.server.content.negotiate import JSON_TYPE, accept_clauses
from svcsim.server.openapi.document import document_of
from svcsim.server.openapi.merging import merged
from svcsim.server.openapi.names import names_of_types
from svcsim.server.openapi.protobuf import MEDIA_TYPE, MEDIA_TYPES, encode_document
from svcsim.server.plain.plain_paths import page_not_found
from svcsim.server.requests.query import parse_query, text

ROOT = "/openapi"
_JSON_TYPES = (JSON_TYPE, "*/*", "application/*")
_YEAR_S = 365 * 24 * 3600.0


class Encoded(NamedTuple):
    """A document ready to be sent."""

    body: bytes
    content_type: str
    hash: str
    """Of the content."""


class _Built(NamedTuple):
    resources: tuple[Resource, ...]
    document: Encoded
    others: int = 0
    """The generation of what servers behind this one say of themselves."""


class _Named(NamedTuple):
    generation: int
    names: TypeNames


class OpenApi:
    """The handlers, and the documents built so far."""

    def __init__(self, scheme: Scheme, remotes: Remotes | None) -> None:
        """``remotes`` are the versions that servers behind this one answer for: they describe them themselves."""
        self._scheme = scheme
        self._remotes = remotes
        self._building = asyncio.Lock()
        self._whole_documents: dict[str, _Built] = {}
        """Version 2, by content type."""
        self._group_documents: dict[GroupVersion, _Built] = {}
        """Version 3."""
        self._named: _Named | None = None

    def paths(self) -> dict[str, Handler]:
        return {f"{ROOT}/v2": self._whole, f"{ROOT}/v3": self._index, f"{ROOT}/v3/": self._one}

    async def _whole(self, request: Request) -> Response:
        media_type = _negotiated(request, (*_JSON_TYPES, *MEDIA_TYPES))
        return _answer(request, await self._whole_document(MEDIA_TYPE if media_type in MEDIA_TYPES else JSON_TYPE))

    async def _index(self, request: Request) -> Response:
        """Where each version of a group has its document, by a URL that changes with its content."""
        _negotiated(request, _JSON_TYPES)
        served = {
            group_version: self._scheme.resources_of(group_version)
            for group, versions in self._scheme.group_versions().items()
            for group_version in (GroupVersion(group, version) for version in versions)
        }
        urls = {
            _path(group_version): {"serverRelativeURL": _url(group_version, await self._group_document(group_version, resources))}
            for group_version, resources in served.items()
        }
        for group_version in () if self._remotes is None else self._remotes.versions:
            urls[_path(group_version)] = {"serverRelativeURL": f"{ROOT}/v3/{_path(group_version)}"}
        return Response(200, json_body({"paths": urls}, pretty=wants_pretty(request)))

    async def _one(self, request: Request) -> Response:
        path = request.path.removeprefix(f"{ROOT}/v3/").rstrip("/")
        group_version = _group_version(path)
        resources = self._scheme.resources_of(group_version)
        if not resources:
            return await page_not_found(request)
        _negotiated(request, _JSON_TYPES)
        document = await self._group_document(group_version, resources)
        asked = text(parse_query(request.query), "hash")
        if not asked:
            return _answer(request, document)
        if asked != document.hash:
            return Response(301, headers={"Location": _url(group_version, document)})
        response = _answer(request, document)
        response.headers |= {"Cache-Control": "public, immutable", "Expires": http_date(wall_time() + _YEAR_S)}
        return response

    async def _group_document(self, group_version: GroupVersion, resources: tuple[Resource, ...]) -> Encoded:
        async with self._building:
            built = self._group_documents.get(group_version)
            if built is None or built.resources is not resources:
                document = _encoded(encode(await document_of(self._scheme.dialect, 3, resources, await self._names())), JSON_TYPE)
                built = self._group_documents[group_version] = _Built(resources, document)
                self._forget_withdrawn()
            return built.document

    async def _whole_document(self, content_type: str) -> Encoded:
        resources = self._scheme.resources
        async with self._building:
            built = self._whole_documents.get(content_type)
            others = 0 if self._remotes is None else self._remotes.generation
            if built is None or built.resources is not resources or built.others != others:
                document = await document_of(self._scheme.dialect, 2, resources, await self._names())
                if self._remotes is not None and self._remotes.descriptions:
                    described = {one: description.document for one, description in self._remotes.descriptions.items()}
                    document = await aside(limits.ASIDE_BYTES + 1, merged, document, described)
                body = encode(document) if content_type == JSON_TYPE else await _as_protobuf(document)
                built = self._whole_documents[content_type] = _Built(resources, _encoded(body, content_type), others)
            return built.document

    async def _names(self) -> TypeNames:
        """What types are called. It depends on all there are, so that it is the same in every document."""
        generation = self._scheme.generation
        if self._named is None or self._named.generation != generation:
            self._named = _Named(generation, await names_of_types(self._scheme.dialect, self._scheme.known))
        return self._named.names

    def _forget_withdrawn(self) -> None:
        for group_version in tuple(self._group_documents):
            if not self._scheme.resources_of(group_version):
                del self._group_documents[group_version]


async def _as_protobuf(document: Object) -> bytes:
    pieces: list[bytes] = []
    for piece in encode_document(document):
        pieces.append(piece)
        if len(pieces) % limits.OPENAPI_SLICE == 0:
            await turn()
    return b"".join(pieces)


def _negotiated(request: Request, known: tuple[str, ...]) -> str:
    """The best of the media types we have. Raises 405 and 406."""
    if request.method not in READING_METHODS:
        raise method_not_allowed(READING_METHODS)
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


def _group_version(path: str) -> GroupVersion:
    """The other way; what is no such path names what is never served."""
    root, _, rest = path.partition("/")
    group, _, version = rest.rpartition("/")
    return GroupVersion(group, version) if (root, bool(group)) in (("api", False), ("apis", True)) else GroupVersion("", "")


def _url(group_version: GroupVersion, document: Encoded) -> str:
    return f"{ROOT}/v3/{_path(group_version)}?hash={document.hash}"
