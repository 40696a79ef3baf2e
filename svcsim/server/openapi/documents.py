"""OpenAPI documents: version 2 is one document for everything, version 3 one for each version of a group.

What is served may change while a document is being built. So each is kept beside the resource types it was built of, and is good for as
long as these are still the ones that are served; a change of one group leaves the documents of the others as they are. A new one is put
together of parts (`svcsim.server.openapi.parts`).
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.remotes import Remotes
from svcsim.server.openapi.discovery_paths import places
from svcsim.server.openapi.forms import VERSION_2, VERSION_2_PROTOBUF, VERSION_3, Form, frame
from svcsim.server.openapi.media_types import PROTOBUF_TYPE
from svcsim.server.openapi.merging import additions
from svcsim.server.openapi.names import Naming, naming
from svcsim.server.openapi.parts import Contents, Parts

_About: TypeAlias = GroupVersion | str | None
"""What a document describes: one version of a group, one path of discovery, or all."""


class Encoded(NamedTuple):
    """A document ready to be sent."""

    body: bytes
    content_type: str
    hash: str
    """The hash of the content."""


class _Built(NamedTuple):
    resources: tuple[Resource, ...]
    document: Encoded
    others: int = 0
    """The generation of what servers behind this one say of themselves."""


class Documents:
    """The documents that were requested, as far as there is room for them."""

    def __init__(self, scheme: Scheme, remotes: Remotes | None) -> None:
        self._scheme = scheme
        self._remotes = remotes
        self._building = asyncio.Lock()
        self._built: dict[tuple[Form, _About], _Built] = {}
        self._parts: dict[Form, Parts] = {}
        self._named: tuple[int, Naming] | None = None

    async def whole(self, content_type: str) -> Encoded:
        """Version 2."""
        form = VERSION_2_PROTOBUF if content_type == PROTOBUF_TYPE else VERSION_2
        async with self._building:
            resources = self._scheme.resources
            others = 0 if self._remotes is None else self._remotes.generation
            built = self._built.get((form, None))
            if built is None or built.resources is not resources or built.others != others:
                built = _Built(resources, await self._build(form, resources, places(self._scheme)), others)
                self._keep((form, None), built)
            return built.document

    async def of_version(self, group_version: GroupVersion) -> Encoded | None:
        """Version 3; None for what isn't served."""
        async with self._building:
            resources = self._scheme.resources_of(group_version)
            if not resources:
                return None
            built = self._built.get((VERSION_3, group_version))
            if built is None or built.resources is not resources:
                built = _Built(resources, await self._build(VERSION_3, resources))
                self._forget_withdrawn()
                self._keep((VERSION_3, group_version), built)
            return built.document

    def places(self) -> list[str]:
        """The paths of discovery that have a document of version 3 each, beside the versions of groups."""
        return places(self._scheme)

    async def of_place(self, path: str) -> Encoded:
        """Version 3 of one of those."""
        async with self._building:
            resources = self._scheme.resources
            built = self._built.get((VERSION_3, path))
            if built is None or built.resources is not resources:
                built = _Built(resources, await self._build(VERSION_3, (), [path]))
                self._keep((VERSION_3, path), built)
            return built.document

    async def _build(self, form: Form, resources: tuple[Resource, ...], paths: Iterable[str] = ()) -> Encoded:
        described = self._described_by_others() if form.version == 2 else {}
        names = await self._names()
        parts = self._parts.get(form)
        if parts is None:
            parts = self._parts[form] = Parts(self._scheme.dialect, form, names)
        parts.follow(names)
        contents = await parts.contents(resources, paths)
        if described:
            contents = await aside(limits.ASIDE_BYTES + 1, _with_additions, form, contents, parts.schema, described)
        size_bytes = sum([len(entry) for entries in contents for entry in entries.values()])
        return await aside(size_bytes, _encoded, form, frame(self._scheme.dialect, form.version), contents)

    def _described_by_others(self) -> Mapping[GroupVersion, Object]:
        return {} if self._remotes is None else {one: description.document for one, description in self._remotes.descriptions.items()}

    async def _names(self) -> Naming:
        """They depend on all resource types there are, so that they are the same in every document."""
        generation = self._scheme.generation
        if self._named is None or self._named[0] != generation:
            self._named = generation, await naming(self._scheme.dialect, self._scheme.known, self._scheme.resources)
        return self._named[1]

    def _keep(self, about: tuple[Form, _About], built: _Built) -> None:
        """The oldest go where they become too many: what they are put together of is kept longer."""
        self._built.pop(about, None)
        left = limits.OPENAPI_DOCUMENTS_BYTES - len(built.document.body)
        held = sum([len(one.document.body) for one in self._built.values()])
        while self._built and held > left:
            held -= len(self._built.pop(next(iter(self._built))).document.body)
        self._built[about] = built

    def _forget_withdrawn(self) -> None:
        for form, about in tuple(self._built):
            if isinstance(about, GroupVersion) and not self._scheme.resources_of(about):
                del self._built[form, about]


def _with_additions(form: Form, contents: Contents, schema: Callable[[str], Object], others: Mapping[GroupVersion, Object]) -> Contents:
    """The contents with the descriptions that aggregated servers have of their groups. ``schema`` returns an existing type by its name."""
    paths, definitions = additions(lambda name: schema(name) if name in contents.types else None, others)
    return Contents(
        contents.paths | {path: form.path(path, item) for path, item in paths.items()},
        contents.types | {name: form.type(name, schema) for name, schema in definitions.items()},
    )


def _encoded(form: Form, around: Object, contents: Contents) -> Encoded:
    paths, types = ([entries[name] for name in sorted(entries)] for entries in contents)
    body = form.join(around, paths, types)
    return Encoded(body, form.content_type, hashlib.sha256(body).hexdigest().upper())
