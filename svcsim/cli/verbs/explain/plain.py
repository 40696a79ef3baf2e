"""The usual style, from version 3 documents: ``KIND``, ``VERSION``, ``FIELD``, ``DESCRIPTION``, ``FIELDS``."""

from collections.abc import Iterator

from svcsim.cli.failure import CommandError
from svcsim.cli.verbs.explain.document import Document, reference_name
from svcsim.cli.verbs.explain.wrapping import indented, wrapped
from svcsim.meta.types import GroupVersion, Json, Object

_INDENT = 2
_WIDTH = 78
_DESCRIPTION_INDENT = 4
_ENUM_SHOWN = 4
"""Values of a field that are printed in a list of fields; for a field alone all are printed."""


def explain(document: Document, group_version: GroupVersion, kind: str, path: list[str], *, recursive: bool) -> Iterator[str]:
    """The explanation, piece by piece. Raises `CommandError` for a field that isn't there, after what it is a field of has been printed."""
    group = f"GROUP:      {group_version.group}\n" if group_version.group else ""
    yield f"{group}KIND:       {kind}\nVERSION:    {group_version.version}\n\n"
    schema = document.of_kind(group_version, kind)
    if schema is None:
        raise CommandError(f"GVK {group_version}, Kind={kind} not found in OpenAPI schema")
    style = _Style(document, recursive=recursive)
    found = style.at_path(schema, path)
    if not found:
        raise CommandError(f'field "{path[-1]}" does not exist')
    yield found + "\n"


class _Style:
    """Tells about schemas of one document."""

    def __init__(self, document: Document, *, recursive: bool) -> None:
        self._document = document
        self._recursive = recursive

    def at_path(self, schema: Object, path: list[str], seen: tuple[str, ...] = ()) -> str:
        """The field at a path below a schema; lists and maps are looked through. Empty if there is none."""
        if not path:
            return self._whole(schema)
        reference = reference_name(schema)
        if reference in seen:
            return ""
        seen = (*seen, reference) if reference else seen
        resolved = self._document.resolved(schema)
        field = (resolved.get("properties") or {}).get(path[0])
        if field is not None:
            return (self._title(path[0], field) if len(path) == 1 else "") + self.at_path(field, path[1:])
        inner = resolved.get("items") or _values(resolved)
        if inner:
            return self.at_path(inner, path, seen)
        return next((found for one in resolved.get("allOf") or () if (found := self.at_path(one, path, seen))), "")

    def _title(self, name: str, schema: Object) -> str:
        entry = f"FIELD: {name} <{self._type(schema)}>\n"
        if schema.get("enum"):
            entry += "ENUM:" + "".join(f"\n    {_spelled(value)}" for value in schema["enum"])
        return entry + "\n\n"

    def _whole(self, schema: Object) -> str:
        resolved = self._document.resolved(schema)
        description = "".join(f"{text}\n" for text in self._descriptions(resolved)) or "<empty>"
        entry = f"DESCRIPTION:\n{indented(wrapped(description, _WIDTH - _INDENT), _DESCRIPTION_INDENT)}\n"
        fields = "".join(self._fields(resolved, 1, ()))
        return entry + (f"FIELDS:\n{fields}" if fields else "")

    def _descriptions(self, schema: Object) -> Iterator[str]:
        """A schema's own, and those of what it is made of."""
        schema = self._document.resolved(schema)
        if schema.get("description"):
            yield schema["description"]
        inner = (*(schema.get("allOf") or ()), schema.get("items"), _values(schema))
        for one in inner:
            if one:
                yield from self._descriptions(one)

    def _fields(self, schema: Object, level: int, seen: tuple[str, ...]) -> Iterator[str]:
        """The fields of a schema, and those below them if all are wanted; types that contain themselves are printed once."""
        reference = reference_name(schema)
        if reference in seen:
            return
        seen = (*seen, reference) if reference else seen
        resolved = self._document.resolved(schema)
        properties: Object = resolved.get("properties") or {}
        for name in sorted(properties):
            yield self._field(name, properties[name], level, required=name in (resolved.get("required") or ()))
            if self._recursive:
                yield from self._fields(properties[name], level + 1, seen)
        inner = (*(resolved.get("allOf") or ()), resolved.get("items"), _values(resolved))
        for one in inner:
            if one:
                yield from self._fields(one, level, seen)

    def _field(self, name: str, schema: Object, level: int, *, required: bool) -> str:
        indent = _INDENT * level
        entry = f"{' ' * indent}{name}\t<{self._type(schema)}>{' -required-' if required else ''}"
        if enum := schema.get("enum"):
            values = ", ".join(_spelled(value) for value in enum[:_ENUM_SHOWN])
            entry += f"\n{' ' * indent}enum: {values}{', ....' if len(enum) > _ENUM_SHOWN else ''}"
        if self._recursive:
            return entry + "\n"
        description = schema.get("description") or "<no description>"
        return f"{entry}\n{indented(wrapped(description, _WIDTH - indent), indent + 2)}\n\n"

    def _type(self, schema: Object) -> str:
        """``[]Container``, ``map[string]string``, ``integer``: types with fields by their names, others by what they are."""
        if schema.get("items"):
            return f"[]{self._type(schema['items'])}"
        if values := _values(schema):
            return f"map[string]{self._type(values)}"
        all_of: list[Object] = schema.get("allOf") or []
        if len(all_of) == 1 and not schema.get("properties"):
            return self._type(all_of[0])
        reference = reference_name(schema)
        resolved = self._document.resolved(schema)
        plain = resolved.get("type") or "object"
        if reference and plain == "object":
            return reference.rpartition(".")[2]
        return "Object" if plain == "object" else str(plain)


def _values(schema: Object) -> Object | None:
    """The schema of a map's values."""
    values: Json = schema.get("additionalProperties")
    return values if isinstance(values, dict) else None


def _spelled(value: Json) -> str:
    return '""' if value == "" else str(value)
