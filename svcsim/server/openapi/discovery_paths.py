"""The paths that tell what there is, as OpenAPI documents describe them: versions, groups, resource types, the server's own version.

Each is read, and nothing else.
"""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.scheme import Scheme
from svcsim.schema.common import API_GROUP, API_GROUP_LIST, API_RESOURCE_LIST, API_VERSIONS
from svcsim.schema.openapi import Schemas
from svcsim.schema.types import Struct
from svcsim.server.openapi.names import camel, group_words
from svcsim.server.openapi.version_info import VERSION_INFO

_JSON = "application/json"


class _Read(NamedTuple):
    """What can be read at a path."""

    what: str
    tag: str
    operation: str
    answered: Struct


class Described(NamedTuple):
    """A path as a document has it."""

    item: Object
    types: tuple[str, ...]
    """The names of the types it speaks of."""


def places(scheme: Scheme) -> list[str]:
    """The paths beside those of versions. Groups that only definitions have filled are found by their versions alone."""
    groups = {resource.group_version.group: None for resource in scheme.resources if not resource.kind.custom}
    return ["/api/", "/apis/", *[f"/apis/{group}/" for group in groups if group], "/version/"]


def place(dialect: Dialect, schemas: Schemas, path: str) -> Described:
    """One of those."""
    return _described(dialect, schemas, _read_at(dialect, path))


def resource_types(dialect: Dialect, schemas: Schemas, group_version: GroupVersion) -> Described:
    """The path of a version of a group."""
    words = group_words(dialect, group_version.group)
    operation = f"get{words}{camel(group_version.version)}APIResources"
    return _described(dialect, schemas, _Read("get available resources", tag(words, group_version.version), operation, API_RESOURCE_LIST))


def _read_at(dialect: Dialect, path: str) -> _Read:
    match path:
        case "/api/":
            return _Read("get available API versions", "core", "getCoreAPIVersions", API_VERSIONS)
        case "/apis/":
            return _Read("get available API groups", "apis", "getAPIVersions", API_GROUP_LIST)
        case "/version/":
            return _Read("get the version of the server", "version", "getCodeVersion", VERSION_INFO)
    words = group_words(dialect, path.split("/")[2])
    return _Read("get information of a group", tag(words), f"get{words}APIGroup", API_GROUP)


def _described(dialect: Dialect, schemas: Schemas, read: _Read) -> Described:
    name = schemas.names.name(read.answered)
    schema = schemas.reference(name)
    media = [_JSON] if read.answered is VERSION_INFO else [_JSON, "application/yaml", dialect.protobuf_media_type]
    response: Object = {"description": "OK", "schema": schema}
    if schemas.version == 3:
        response = {"description": "OK", "content": {one: {"schema": schema} for one in media}}
    described: Object = {
        "description": read.what,
        "tags": [read.tag],
        "operationId": read.operation,
        "responses": {"200": response, "401": {"description": "Unauthorized"}},
    }
    if schemas.version == 2:
        described |= {"consumes": media, "produces": media, "schemes": ["https"]}
    return Described({"get": described}, (name,))


def tag(words: str, version: str = "") -> str:
    """By what generated clients put operations together."""
    return f"{words[:1].lower()}{words[1:]}{'_' if version else ''}{version}"
