"""Schemas of the server's kinds, read from its OpenAPI documents into the types that merging works on.

The command line must not know kinds of its own: a server may be newer or older, and has kinds that nobody foresaw. What is read is just
enough to merge by, and to tell whether an object can be read: fields and their types, lists with their merge keys, patch strategies.
Documents are kept beside the discovery cache, by their hash.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson

from svcsim.cli.shared.kept_answers import keep, kept
from svcsim.client.paths import PATCH_TYPES, group_path
from svcsim.dialect import DIALECTS
from svcsim.meta.errors import StatusError
from svcsim.meta.types import GroupVersion, Json, Object
from svcsim.schema.types import Bool, Bytes, Field, Float, Int, List, Map, Raw, Ref, Str, Struct, Type

if TYPE_CHECKING:
    from pathlib import Path

    from svcsim.cli.shared.discovery import Resource
    from svcsim.cli.shared.session import Session

_EXTENSIONS = tuple(dialect.extension_prefix for dialect in DIALECTS.values())
_PREFIX = "#/components/schemas/"
_SCALARS: dict[tuple[str, str], Type] = {
    ("string", ""): Str(),
    ("string", "byte"): Bytes(),
    ("boolean", ""): Bool(),
    ("integer", "int32"): Int(),
    ("integer", "int64"): Int(bits=64),
    ("number", "double"): Float(),
}
"""By type and format. Others, such as amounts and times, may be anything."""


class OpenApi:
    """What one server tells about its kinds. Asked for once a command, and only where something is to be merged."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._index: Object | None = None
        self._documents: dict[str, Object | None] = {}

    def struct(self, resource: "Resource") -> Struct | None:
        """The schema to merge objects of a type by; None where the server takes no strategic patches of it, or tells nothing."""
        document = self._document(resource.api_version)
        if document is None or not _takes_strategic_patches(document, resource):
            return None
        return read_struct(document, resource.api_version, resource.kind)

    def fields(self, resource: "Resource") -> tuple[Field, ...]:
        """The fields of objects of a type, as far as the server tells of them."""
        document = self._document(resource.api_version)
        struct = None if document is None else read_struct(document, resource.api_version, resource.kind)
        return struct.fields if struct else ()

    def documents(self, group: str) -> dict[str, Object]:
        """What is told of all kinds of a group, by API version."""
        of_group = f"apis/{group}/" if group else "api/"
        versions = [path.rpartition("/")[2] for path in self._paths() if path.startswith(of_group)]
        found = {version: self._document(f"{group}/{version}" if group else version) for version in versions}
        return {version: document for version, document in found.items() if document is not None}

    def _document(self, api_version: str) -> Object | None:
        if api_version not in self._documents:
            self._documents[api_version] = self._load(api_version)
        return self._documents[api_version]

    def _load(self, api_version: str) -> Object | None:
        entry = self._paths().get(group_path(api_version).removeprefix("/"))
        if entry is None:
            return None
        try:
            path, _, query = str(entry["serverRelativeURL"]).partition("?")
            digest = query.removeprefix("hash=")
            file = self._file(digest)
            document = kept(file) if file else None
            if document is not None:
                return document
            body = self._session.send("GET", path, {"hash": digest}).body
        except (StatusError, OSError, orjson.JSONDecodeError) as error:
            if isinstance(error, ConnectionError):
                raise
            return None  # a server without these documents is talked to in merge patches
        if file:
            keep(file, body)
        return orjson.loads(body) if body else None

    def _paths(self) -> Object:
        """Where there are documents, by what they are about."""
        if self._index is None:
            try:
                self._index = self._session.get("/openapi/v3")
            except (StatusError, OSError, orjson.JSONDecodeError) as error:
                if isinstance(error, ConnectionError):
                    raise
                self._index = {}
        paths: Object = self._index.get("paths") or {}
        return paths

    def _file(self, digest: str) -> "Path | None":
        return self._session.cache_file.parent / "openapi" / f"{digest}.json" if digest.isalnum() else None


def _takes_strategic_patches(document: Object, resource: "Resource") -> bool:
    path = resource.path("{namespace}").replace("%7Bnamespace%7D", "{namespace}") + "/{name}"
    patch = ((document.get("paths") or {}).get(path) or {}).get("patch") or {}
    return PATCH_TYPES["strategic"] in ((patch.get("requestBody") or {}).get("content") or {})


def read_struct(document: Object, api_version: str, kind: str) -> Struct | None:
    """The schema of a kind in an OpenAPI version 3 document."""
    schemas: Object = (document.get("components") or {}).get("schemas") or {}
    group, version = GroupVersion.parse(api_version)
    wanted = {"group": group, "version": version, "kind": kind}
    for name, schema in schemas.items():
        if wanted in (_extension(schema, "group-version-kind") or []):
            return _Reader(schemas).named(name)
    return None


class _Reader:
    """Turns schemas into types, each once."""

    def __init__(self, schemas: Object) -> None:
        self._schemas = schemas
        self._known: dict[str, Struct] = {}

    def named(self, name: str) -> Struct:
        """The struct of that name. Fields refer to other structs by name, so that types may contain themselves."""
        if name not in self._known:
            self._known[name] = self._struct(name, self._schemas[name])
        return self._known[name]

    def _struct(self, name: str, schema: Object) -> Struct:
        fields = (self._field(key, field) for key, field in (schema.get("properties") or {}).items())
        keeps_others = _extension(schema, "preserve-unknown-fields") or schema.get("additionalProperties")
        return Struct(name.rpartition(".")[2], *fields, open=bool(keeps_others))

    def _field(self, name: str, schema: Object) -> Field:
        kind = self._type(schema)
        return Field(0, name, kind, patch=_extension(schema, "patch-strategy") or "")

    def _type(self, schema: Object) -> Type:
        reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf") or [] if "$ref" in part), "")
        if reference:
            name = reference.removeprefix(_PREFIX)
            return Ref(target=self._target(name)) if (self._schemas.get(name) or {}).get("properties") else Raw()
        if schema.get("type") == "array":
            return List(self._type(schema.get("items") or {}), merge_key=_extension(schema, "patch-merge-key") or "")
        if isinstance(schema.get("additionalProperties"), dict):
            return Map(self._type(schema["additionalProperties"]))
        if schema.get("properties"):
            return self._struct("", schema)
        return _SCALARS.get((schema.get("type") or "", schema.get("format") or ""), Raw())

    def _target(self, name: str) -> Callable[[], Struct]:
        return lambda: self.named(name)


def _extension(schema: Object, name: str) -> Json:
    return next((schema[prefix + name] for prefix in _EXTENSIONS if prefix + name in schema), None)
