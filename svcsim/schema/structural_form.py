"""What of a custom resource's schema decides how stored values are read: which fields are kept, and what is filled in.

The other keywords say what values may be, or tell people about them: whether they change or not, every value is read as it was before.
"""

from collections.abc import Sequence

from svcsim.meta.types import Object
from svcsim.schema.types import Struct, Structural

_KEPT = ("type", "nullable")
_EXTENSIONS = ("preserve-unknown-fields", "embedded-resource", "int-or-string")


def reading_of(struct: Struct, prefix: str) -> Object:
    """What decides how objects of a whole kind are read; its schema comes from a document with extensions of this prefix."""
    fields = {field.name: reading(field.type.document, prefix) for field in struct.fields if isinstance(field.type, Structural)}
    return {"open": struct.open, "fields": fields}


def reading(document: Object, prefix: str) -> Object:
    """A schema with nothing but what decides how values are read. Two that are equal read every value in the same way."""
    words = (*_KEPT, *[prefix + name for name in _EXTENSIONS])
    return _reading(document, words)


def along(read: Object, path: Sequence[str]) -> Object:
    """As much of such a schema as decides what is read at one place."""
    kept = {word: value for word, value in read.items() if word != "properties"}
    below = (read.get("properties") or {}).get(path[0]) if path else None
    return kept if below is None else {**kept, "properties": {path[0]: along(below, path[1:])}}


def _reading(document: Object, words: tuple[str, ...]) -> Object:
    kept: Object = {word: document[word] for word in words if document.get(word) not in (None, False, "")}
    if document.get("default") is not None:
        kept["default"] = document["default"]
    properties = document.get("properties")
    if properties:
        kept["properties"] = {name: _reading(child, words) for name, child in properties.items()}
    for word in ("items", "additionalProperties"):
        below = document.get(word)
        if isinstance(below, dict):
            kept[word] = _reading(below, words)
        elif below is True:
            kept[word] = {}
    return kept
