"""An OpenAPI document, version 2 or 3, as far as explaining needs it: schemas by kind, and references."""

from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion, Object


class Document:
    """One document. A schema is a JSON map, as it stands there."""

    def __init__(self, document: Object, dialect: Dialect) -> None:
        self._document = document
        self._schemas: Object = document.get("definitions") or (document.get("components") or {}).get("schemas") or {}
        self._mark = f"{dialect.extension_prefix}group-version-kind"

    def of_kind(self, group_version: GroupVersion, kind: str) -> Object | None:
        """The schema of a kind."""
        identity = {"group": group_version.group, "version": group_version.version, "kind": kind}
        return next((schema for schema in self._schemas.values() if identity in (schema.get(self._mark) or [])), None)

    def serves(self, root: str, plural: str) -> bool:
        """Whether a resource type has a path below ``root``."""
        ends = [f"/{plural}", f"/{plural}/{{name}}"]
        return any(f"{root}{middle}{end}" in self._document["paths"] for middle in ("", "/namespaces/{namespace}") for end in ends)

    def resolved(self, schema: Object) -> Object:
        """What a reference refers to; any other schema is itself."""
        return self._schemas.get(reference_name(schema)) or schema


def reference_name(schema: Object) -> str:
    """The name of the schema a reference refers to; empty for what is no reference."""
    reference: str = schema.get("$ref") or ""
    return reference.rpartition("/")[2]
