"""The paths of discovery: documents that follow from the scheme, each with an ETag of its content.

A document is built and encoded when it is first asked for, and kept until what it says changes: a change makes one version of a group be
told anew, the others' documents stay.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import cached_property, partial

from svcsim.dialect import Dialect
from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import path_not_found
from svcsim.meta.http import READING_METHODS, Handler, Request, Response
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.remotes import Remotes
from svcsim.server.content.json_form import json_body, wants_pretty
from svcsim.server.content.negotiate import JSON_TYPE, YAML_TYPE, Negotiator, accept_clauses
from svcsim.server.discovery.aggregated import KIND, VERSIONS, aggregated
from svcsim.server.discovery.documents import Entries, api_group, api_group_list, api_resource_list, api_versions
from svcsim.server.discovery.protobuf import encode_discovery
from svcsim.server.discovery.published import Published, published, published_versions
from svcsim.server.requests.methods import check_method


class DiscoveryDocument:
    """One document, as JSON and, if anybody asks, as YAML or protobuf."""

    def __init__(self, build: Callable[[], Object]) -> None:
        self._build = build

    @cached_property
    def value(self) -> Object:
        return self._build()

    @cached_property
    def _json(self) -> bytes:
        return json_body(self.value, pretty=False)

    @cached_property
    def _etag(self) -> str:
        return f'"{hashlib.sha256(self._json).hexdigest().upper()}"'

    @cached_property
    def _yaml(self) -> bytes:
        return encode_yaml(self.value)

    @cached_property
    def _protobuf(self) -> bytes:
        return encode_discovery(self.value)

    def answer(self, request: Request, *, media: str = "json", content_type: str = JSON_TYPE) -> Response:
        """The document; 304 for a client that has it."""
        check_method(request, READING_METHODS)
        if media == "yaml":
            return Response(200, self._yaml, YAML_TYPE)
        headers = {"ETag": self._etag, "Vary": "Accept"}
        if self._etag in request.headers.get("if-none-match", ""):
            return Response(304, b"", content_type, headers)
        if media == "protobuf":
            return Response(200, self._protobuf, content_type, headers)
        body = json_body(self.value, pretty=True) if wants_pretty(request) else self._json
        return Response(200, body, content_type, headers)


async def _nothing_there(_request: Request) -> Response:
    """What unknown paths below a group get. Those of no group aren't the API's: they get a plain text."""
    raise path_not_found()


class _Plain:
    """A document that isn't aggregated: as JSON, YAML or protobuf."""

    def __init__(self, build: Callable[[], Object], dialect: Dialect, negotiator: Negotiator) -> None:
        self._document = DiscoveryDocument(build)
        self._protobuf_type = dialect.protobuf_media_type
        self._negotiator = negotiator

    async def handle(self, request: Request) -> Response:
        shape = self._negotiator.shape(request.headers.get("accept", ""))
        content_type = self._protobuf_type if shape.media == "protobuf" else JSON_TYPE
        return self._document.answer(request, media=shape.media, content_type=content_type)


class _Root:
    """``/api`` or ``/apis``: the plain form, or the aggregated one for clients that ask for it."""

    def __init__(self, scheme: Scheme, published: Published, build: Callable[[], Object], *, core: bool) -> None:
        self._plain = _Plain(build, scheme.dialect, Negotiator(scheme.dialect))
        self._dialect = scheme.dialect
        self._group = scheme.dialect.group("apidiscovery")
        self._media = {JSON_TYPE: "json", scheme.dialect.protobuf_media_type: "protobuf"}
        self._aggregated = {version: DiscoveryDocument(partial(aggregated, scheme, published, version, core=core)) for version in VERSIONS}

    async def handle(self, request: Request) -> Response:
        """Answer the first form of those asked for that we have."""
        accept = request.headers.get("accept", "")
        if KIND in accept:
            for clause in accept_clauses(accept):
                named = clause.parameters
                media = self._media.get(clause.media_type)
                if media is None:
                    continue
                if named.get("as") == KIND and named.get("g") == self._group and named.get("v") in self._aggregated:
                    content_type = aggregated_type(self._dialect, named["v"], clause.media_type)
                    return self._aggregated[named["v"]].answer(request, media=media, content_type=content_type)
                if "as" not in named:
                    break
        return await self._plain.handle(request)


def aggregated_type(dialect: Dialect, version: str, media_type: str) -> str:
    """The content type that says which form this is."""
    return f"{media_type};g={dialect.group('apidiscovery')};v={version};as={KIND}"


class DiscoveryPaths:
    """Finds the handlers, and keeps them as long as they are good."""

    def __init__(self, scheme: Scheme, remotes: Remotes | None) -> None:
        self._scheme = scheme
        self._remotes = remotes
        self._negotiator = Negotiator(scheme.dialect)
        self._entries = Entries(scheme)
        self._handlers: dict[str, Handler] = {}
        scheme.on_change(lambda change: self._follow(change.group_versions))
        if remotes is not None:
            remotes.on_change(self._follow)

    def _follow(self, group_versions: Iterable[GroupVersion]) -> None:
        for root in _ROOTS:
            self._handlers.pop(root, None)
        for group, version in group_versions:
            self._handlers.pop(_group_path(group), None)
            self._handlers.pop(_version_path(group, version), None)

    def find(self, path: str) -> Handler | None:
        """The handler of a path; None for one that has nothing to do with discovery."""
        path = path.rstrip("/")
        handler = self._handlers.get(path)
        if handler is None:
            handler = self._made(path)
            if handler is not None and handler is not _nothing_there:
                self._handlers[path] = handler
        return handler

    def listed(self) -> list[str]:
        """All paths of documents."""
        groups = published(self._scheme, self._remotes).groups
        versions = (_version_path(group, version) for group, versions in groups.items() for version in versions)
        return [*_ROOTS, *(_group_path(group) for group in groups if group), *versions]

    def _made(self, path: str) -> Handler | None:
        if path in _ROOTS:
            return self._root(path)
        steps = path.split("/", 3)[1:]
        if steps[:1] == ["apis"]:
            group, rest = steps[1], "/".join(steps[2:])
        elif steps[:1] == ["api"]:
            group, rest = "", "/".join(steps[1:])
        else:
            return None
        return self._below(group, rest) if bool(group) == (steps[0] == "apis") else None

    def _root(self, path: str) -> Handler:
        everything = published(self._scheme, self._remotes)
        if path == "/api":
            return _Root(self._scheme, everything, api_versions, core=True).handle
        return _Root(self._scheme, everything, partial(api_group_list, everything), core=False).handle

    def _below(self, group: str, rest: str) -> Handler | None:
        """What answers in a group: for the group itself, or for one of its versions."""
        versions = published_versions(self._scheme, self._remotes, group)
        if not versions:
            return None
        if not rest:
            return _Plain(partial(api_group, group, versions), self._scheme.dialect, self._negotiator).handle
        if rest in versions:
            resources = partial(api_resource_list, self._scheme, self._entries, GroupVersion(group, rest))
            return _Plain(resources, self._scheme.dialect, self._negotiator).handle
        return _nothing_there


_ROOTS = ("/api", "/apis")


def _group_path(group: str) -> str:
    return f"/apis/{group}" if group else "/api"


def _version_path(group: str, version: str) -> str:
    return f"{_group_path(group)}/{version}"
