"""The forms in which OpenAPI documents are sent, each put together of encoded parts: an entry for each path, and one for each type.

So a change costs the entries that have changed, and joining bytes.
"""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.codec import encode
from svcsim.meta.types import Object
from svcsim.server.content.negotiate import JSON_TYPE
from svcsim.server.openapi import protobuf
from svcsim.server.openapi.media_types import PROTOBUF_TYPE
from svcsim.server.plain.version import version_info

_AUTHENTICATION = {"BearerToken": {"description": "Bearer token authentication", "type": "apiKey", "name": "authorization", "in": "header"}}
"""How clients say who they are, as far as a document can say it."""


class Form(NamedTuple):
    """How a document of one version is encoded."""

    version: Literal[2, 3]
    content_type: str
    path: Callable[[str, Object], bytes]
    type: Callable[[str, Object], bytes]
    join: Callable[[Object, Iterable[bytes], Iterable[bytes]], bytes]
    """Makes a document of what stands around them (`frame`), paths and types."""


def frame(dialect: Dialect, version: Literal[2, 3]) -> Object:
    """A document without its paths and types."""
    info = {"title": dialect.name, "version": str(version_info()["gitVersion"])}
    security: list[Object] = [{scheme: [] for scheme in _AUTHENTICATION}]
    if version == 2:
        return {"swagger": "2.0", "info": info, "securityDefinitions": _AUTHENTICATION, "security": security}
    return {"openapi": "3.0.0", "info": info, "components": {"securitySchemes": _AUTHENTICATION}, "security": security}


def _entry(name: str, value: Object) -> bytes:
    return encode({name: value})[1:-1]


def _join_version_2(around: Object, paths: Iterable[bytes], types: Iterable[bytes]) -> bytes:
    before = encode({name: around[name] for name in ("swagger", "info")})[:-1]
    after = encode({name: around[name] for name in ("securityDefinitions", "security")})[1:]
    return b"".join((before, b',"paths":{', b",".join(paths), b'},"definitions":{', b",".join(types), b"},", after))


def _join_version_3(around: Object, paths: Iterable[bytes], types: Iterable[bytes]) -> bytes:
    before = encode({name: around[name] for name in ("openapi", "info")})[:-1]
    schemes, after = encode(around["components"])[1:], encode({"security": around["security"]})[1:]
    middle = (b',"paths":{', b",".join(paths), b'},"components":{"schemas":{', b",".join(types), b"},")
    return b"".join((before, *middle, schemes, b",", after))


VERSION_2 = Form(2, JSON_TYPE, _entry, _entry, _join_version_2)
VERSION_2_PROTOBUF = Form(2, PROTOBUF_TYPE, protobuf.path_entry, protobuf.type_entry, protobuf.encode_document)
VERSION_3 = Form(3, JSON_TYPE, _entry, _entry, _join_version_3)
