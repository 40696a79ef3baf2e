"""The older style, from version 2 documents: types by what they are, every description on its own, all levels three spaces apart."""

from collections.abc import Iterator

from svcsim.cli.failure import CommandError
from svcsim.cli.verbs.explain.document import Document, reference_name
from svcsim.cli.verbs.explain.wrapping import filled_lines
from svcsim.meta.types import GroupVersion, Json, Object

_WIDTH = 80
_FIELD_INDENT, _DESCRIPTION_INDENT = 3, 5


def explain(document: Document, group_version: GroupVersion, kind: str, path: list[str], *, recursive: bool) -> Iterator[str]:
    """The explanation, line by line. Raises `CommandError`."""
    schema = document.of_kind(group_version, kind)
    if schema is None:
        raise CommandError(f'couldn\'t find resource for "{group_version}, Kind={kind}"')
    style = _Style(document)
    for name in path:
        schema = style.field(schema, name)
    yield f"KIND:     {kind}\nVERSION:  {group_version}\n\n"
    inner, descriptions = style.innermost(schema)
    if path and style.type(schema):
        title = "RESOURCE:" if inner.get("properties") else "FIELD:   "
        yield f"{title} {path[-1]} <{style.type(schema)}>\n\n"
    yield "DESCRIPTION:\n"
    yield "\n".join(_lines(text, _DESCRIPTION_INDENT) for text in descriptions) or _lines("<empty>", _DESCRIPTION_INDENT)
    if inner.get("properties"):
        yield "\nFIELDS:\n"
        yield from style.tree(inner, _FIELD_INDENT, ()) if recursive else style.fields(inner)


def _lines(text: str, indent: int) -> str:
    return "".join(f"{' ' * indent if line else ''}{line}\n" for line in filled_lines(text, _WIDTH - indent))


class _Style:
    """Tells about schemas of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def innermost(self, schema: Object) -> tuple[Object, list[str]]:
        """What is in lists and maps and behind references, and all descriptions on the way there."""
        found: list[str] = []
        while True:
            if schema.get("description"):
                found.append(schema["description"])
            inner = self._below(schema)
            if inner is None:
                return schema, found
            schema = inner

    def _below(self, schema: Object) -> Object | None:
        if reference_name(schema):
            return self._document.resolved(schema)
        return schema.get("items") or _values(schema)

    def field(self, schema: Object, name: str) -> Object:
        """A field of a schema, looked for in lists and maps too. Raises `CommandError`."""
        field: Object | None = (self.innermost(schema)[0].get("properties") or {}).get(name)
        if field is None:
            raise CommandError(f'field "{name}" does not exist')
        return field

    def type(self, schema: Object) -> str:
        """``[]Object``, ``map[string]string``, ``integer``; empty for what may be of any type."""
        if reference_name(schema):
            return self.type(self._document.resolved(schema))
        if schema.get("items"):
            return f"[]{self.type(schema['items'])}"
        if values := _values(schema):
            return f"map[string]{self.type(values)}"
        kind = schema.get("type") or ""
        if kind != "object":
            return str(kind)
        return "Object" if schema.get("properties") else "map[string]"

    def fields(self, schema: Object) -> Iterator[str]:
        """Each field with its own description."""
        for name, field in sorted(schema["properties"].items()):
            required = " -required-" if name in (schema.get("required") or ()) else ""
            yield f"{' ' * _FIELD_INDENT}{name}\t<{self.type(field)}>{required}\n"
            yield _lines(field.get("description") or "", _DESCRIPTION_INDENT) + "\n"

    def tree(self, schema: Object, indent: int, seen: tuple[str, ...]) -> Iterator[str]:
        """The fields, and those below them; types that contain themselves are printed once."""
        for name, field in sorted(schema["properties"].items()):
            yield f"{' ' * indent}{name}\t<{self.type(field)}>\n"
            references = self._references(field)
            inner = self.innermost(field)[0]
            if inner.get("properties") and not any(reference in seen for reference in references):
                yield from self.tree(inner, indent + _FIELD_INDENT, (*seen, *references))

    def _references(self, schema: Object) -> list[str]:
        found: list[str] = []
        inner: Object | None = schema
        while inner is not None:
            if name := reference_name(inner):
                found.append(name)
            inner = self._below(inner)
        return found


def _values(schema: Object) -> Object | None:
    values: Json = schema.get("additionalProperties")
    return values if isinstance(values, dict) else None
