"""Custom resources' schemas: from the JSON in which their authors write them to the types that everything else here reads.

What is structural in a schema (types, properties, items, and the extensions that say how values are kept and merged) is parsed into
`Structural` nodes. What its other keywords demand of values stays in the node's document, for validation alone reads it.

A property is parsed when it is first looked at: a cluster may have hundreds of definitions, most of which nobody uses for now, and what
nobody uses is to cost next to nothing.
"""

from dataclasses import replace

from svcsim.meta.first_use import MadeAtFirstLook
from svcsim.meta.types import Json, Object
from svcsim.schema.numbers import as_kept, is_exactly_whole
from svcsim.schema.types import Field, Struct, Structural

_OF_THE_MACHINERY = ("apiVersion", "kind", "metadata")


def parse(document: Object, prefix: str) -> Structural:
    """A schema. ``prefix`` is that of extensions: ``x-kubernetes-``."""
    additional = document.get("additionalProperties")
    items = document.get("items")
    declared: Object = document.get("properties") or {}
    return Structural(
        type=document.get("type") or "",
        document=document,
        doc=document.get("description") or "",
        properties=MadeAtFirstLook(declared, lambda name: parse(declared[name], prefix)),
        additional=parse({} if additional is True else additional, prefix) if isinstance(additional, dict) or additional is True else None,
        items=parse(items, prefix) if isinstance(items, dict) else None,
        default=as_kept(document.get("default")),
        required=tuple(document.get("required") or ()),
        nullable=bool(document.get("nullable")),
        preserve=bool(document.get(f"{prefix}preserve-unknown-fields")),
        embedded=bool(document.get(f"{prefix}embedded-resource")),
        int_or_string=bool(document.get(f"{prefix}int-or-string")),
        list_type=document.get(f"{prefix}list-type"),
        keys=tuple(document.get(f"{prefix}list-map-keys") or ()),
        atomic=document.get(f"{prefix}map-type") == "atomic",
        expressions=tuple(document.get(f"{prefix}validations") or ()),
    )


def as_struct(name: str, root: Structural) -> Struct:
    """A whole object's schema as that of a kind, without what every object has. What the root itself demands isn't in it."""
    fields = [
        Field(0, field, node, node.doc, required=field in root.required, presence=True)
        for field, node in root.properties.items()
        if field not in _OF_THE_MACHINERY
    ]
    return Struct(name, *fields, doc=root.doc, open=root.preserve)


def mentions(document: Object, keyword: str) -> bool:
    """Whether a schema, or one of those it consists of, says anything by this keyword; to look takes next to nothing."""
    return document.get(keyword) is not None or any(mentions(one, keyword) for one in below(document))


def mentioning(document: Object, keyword: str) -> frozenset[int]:
    """The ids of all schemas in one, itself among them, of which that is true."""
    found: set[int] = set()

    def is_one(one: Object) -> bool:
        told = [is_one(part) for part in below(one)]
        if one.get(keyword) is None and not any(told):
            return False
        found.add(id(one))
        return True

    is_one(document)
    return frozenset(found)


def below(document: Object) -> list[Object]:
    """The schemas that one directly consists of."""
    others = [document.get("items"), document.get("additionalProperties")]
    return [*(document.get("properties") or {}).values(), *[one for one in others if isinstance(one, dict)]]


def as_rules_see(node: Structural, *, root: bool = True) -> Structural:
    """A schema in which whole objects, that at the root and those embedded in it, have what rules may ask of any: kind, version, names."""
    properties, of_machinery = node.properties, _of_machinery(node) if root or node.embedded else {}
    return replace(
        node,
        properties=MadeAtFirstLook(
            dict.fromkeys((*properties, *of_machinery)),
            lambda name: of_machinery.get(name) or as_rules_see(properties[name], root=False),
        ),
        additional=None if node.additional is None else as_rules_see(node.additional, root=False),
        items=None if node.items is None else as_rules_see(node.items, root=False),
    )


def _of_machinery(node: Structural) -> dict[str, Structural]:
    declared = node.properties.get("metadata")
    metadata = _METADATA if declared is None else as_rules_see(declared, root=False)
    named = replace(metadata, properties={**_METADATA.properties, **metadata.properties})
    return {"apiVersion": _TEXT, "kind": _TEXT, "metadata": named}


_TEXT = Structural(type="string", document={"type": "string"})
_METADATA = Structural(type="object", document={"type": "object"}, properties={"name": _TEXT, "generateName": _TEXT})


def node_at(root: Structural, path: str) -> Structural | None:
    """The node at a path of names with dots between and before them; None where nothing is declared."""
    node: Structural | None = root
    for name in path.strip(".").split("."):
        if node is None:
            return None
        node = node.properties.get(name, node.additional)
    return node


def of_type(value: Json, wanted: str) -> bool:
    """Whether a value has a type by its name in schemas. A whole float that stands for no other number is an integer, too."""
    match wanted:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and is_exactly_whole(value))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return True


def type_of(value: Json) -> str:
    """What schemas call the type of a value."""
    if value is None:
        return "null"
    return next(name for name in ("boolean", "integer", "number", "string", "array", "object") if of_type(value, name))
