"""Custom resources' own schemas, as OpenAPI documents have them: nearly as their authors wrote them."""

from collections.abc import Callable

from svcsim.meta.types import Object
from svcsim.schema.types import Structural

_NOT_IN_VERSION_2 = ("$schema", "nullable", "oneOf", "anyOf", "allOf", "not")
_SHAPE = ("type", "items", "properties", "additionalProperties")


def version_2(document: Object, prefix: str) -> Object:
    """A custom resource's schema as far as version 2 can tell it: clients check by that, and must not refuse what the server takes."""
    told = {name: value for name, value in document.items() if name not in _NOT_IN_VERSION_2}
    loose = document.get("nullable") or document.get(f"{prefix}preserve-unknown-fields")
    if loose:
        for name in _SHAPE:
            told.pop(name, None)
    if document.get(f"{prefix}int-or-string"):
        told.pop("type", None)
    return _with_children(told, lambda child: version_2(child, prefix))


def with_what_objects_have(document: Object, prefix: str, properties: Object) -> Object:
    """The schema in which embedded objects have the ``properties`` of any object, whether their schema names them or not.

    Version 2 doesn't describe the content of such a value if anything is allowed there.
    """
    told = _with_children(document, lambda child: with_what_objects_have(child, prefix, properties))
    if document.get(f"{prefix}embedded-resource") and document.get("type"):
        told["properties"] = {**(told.get("properties") or {}), **properties}
        told["required"] = list(dict.fromkeys((*(told.get("required") or ()), "kind", "apiVersion")))
    return told


def has_embedded(node: Structural) -> bool:
    """Whether an object is embedded in values of this schema."""
    children = (*node.properties.values(), node.items, node.additional)
    return node.embedded or any(child is not None and has_embedded(child) for child in children)


def _with_children(document: Object, change: Callable[[Object], Object]) -> Object:
    """A copy, in which the schemas of what is within are changed."""
    told = dict(document)
    if "properties" in told:
        told["properties"] = {name: change(one) for name, one in told["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(told.get(name), dict):
            told[name] = change(told[name])
    return told
