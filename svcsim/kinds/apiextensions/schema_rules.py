"""What makes the schema of a custom resource right: it is structural, says nothing that can't be served, and its defaults hold."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.kinds.apiextensions.rule_text import as_text
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.types import Json, Object
from svcsim.schema.decode import Reading, decoder
from svcsim.schema.structural import mentions, parse
from svcsim.schema.structural_validation import NOTHING, value_checker

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_SCALARS = ("boolean", "integer", "number", "string")
_UNSUPPORTED = ("patternProperties", "definitions", "dependencies", "id", "additionalItems")
_JUNCTORS = ("allOf", "anyOf", "oneOf")
_NOT_IN_JUNCTORS = ("type", "title", "description", "default", "nullable", "additionalProperties")
_METADATA_FIELDS = ("name", "generateName")
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


class _Where(NamedTuple):
    """Where in a schema a part of it stands."""

    path: str
    level: str = "root"
    """``root``, ``field`` or ``item``."""
    embedded: bool = False
    """Whether it is within the metadata of an object."""

    def field(self, name: str) -> "_Where":
        return _Where(f"{self.path}.properties[{name}]", "field")


def schema_findings(schema: Object, path: str, prefix: str, stored: frozenset[str] = frozenset()) -> list[FieldError]:
    """All that is wrong with the schema of a whole object, but for rules that have been ``stored`` before."""
    found = [*_root(schema, path, prefix)]
    found += _unsupported(schema, path, prefix)
    if found:
        return found  # what isn't understood can't be told to be structural
    found += _structural(schema, _Where(path), prefix)
    if not found:
        found += _defaults(schema, path, prefix)
        if mentions(schema, f"{prefix}validations"):
            from svcsim.kinds.apiextensions.expression_rules import expression_findings  # noqa: PLC0415 - loads the CEL library, which most clusters never need

            found += expression_findings(parse(schema, prefix), path, prefix, stored)
    return found


def expressions(schema: Object, prefix: str) -> Iterator[str]:
    """All validation rules of a schema, each as one text."""
    yield from (as_text(declared) for declared in schema.get(f"{prefix}validations") or ())
    for below, _path in _below(schema, ""):
        yield from expressions(below, prefix)


def _root(schema: Object, path: str, prefix: str) -> Iterator[FieldError]:
    if schema.get("nullable"):
        yield forbidden_field(f"{path}.nullable", "nullable cannot be true at the root")
    if schema.get("default") is not None:
        yield forbidden_field(f"{path}.default", "must not be set at the root")
    if schema.get(f"{prefix}embedded-resource"):
        yield forbidden_field(f"{path}.{prefix}embedded-resource", "must not be used at the root")
    if schema.get(f"{prefix}int-or-string"):
        yield forbidden_field(f"{path}.{prefix}int-or-string", "must not be used at the root")
    if schema.get("additionalProperties") is not None:
        yield forbidden_field(f"{path}.additionalProperties", "must not be used at the root")


def _below(schema: Object, path: str) -> Iterator[tuple[Object, str]]:
    """All parts that a schema is made of, whatever they are for."""
    for name in ("properties", "patternProperties", "definitions"):
        for key, one in (schema.get(name) or {}).items():
            yield one, f"{path}.{name}[{key}]"
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), dict):
            yield schema[name], f"{path}.{name}"
    for name in _JUNCTORS:
        for index, one in enumerate(schema.get(name) or ()):
            yield one, f"{path}.{name}[{index}]"


def _unsupported(schema: Object, path: str, prefix: str) -> Iterator[FieldError]:
    """What JSON schemas can say, and these can't."""
    for name in _UNSUPPORTED:
        if schema.get(name):
            yield forbidden_field(f"{path}.{name}", f"{name} is not supported")
    if schema.get("$ref"):
        yield forbidden_field(f"{path}.$ref", "$ref is not supported")
    if schema.get("uniqueItems"):
        yield forbidden_field(f"{path}.uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
    if schema.get("additionalProperties") is False:
        yield forbidden_field(f"{path}.additionalProperties", "additionalProperties cannot be set to false")
    if schema.get("additionalProperties") is not None and schema.get("properties"):
        yield forbidden_field(f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive")
    if isinstance(schema.get("items"), list):
        yield forbidden_field(f"{path}.items", "items must be a schema object and not an array")
    kind = schema.get("type") or ""
    if kind == "null":
        yield forbidden_field(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    elif kind and kind not in _TYPES:
        yield unsupported(f"{path}.type", kind, _TYPES)
    yield from _pattern(schema, path)
    yield from _list_marks(schema, path, prefix)
    yield from _map_marks(schema, path, prefix)
    for one, way in _below(schema, path):
        yield from _unsupported(one, way, prefix)


def _pattern(schema: Object, path: str) -> Iterator[FieldError]:
    if not schema.get("pattern"):
        return
    from svcsim.schema.patterns import wrong_with  # noqa: PLC0415 - loads RE2, which most clusters never need

    wrong = wrong_with(schema["pattern"])
    if wrong:
        yield invalid_value(f"{path}.pattern", schema["pattern"], f"must be a valid regular expression, but isn't: {wrong}")


def _list_marks(schema: Object, path: str, prefix: str) -> Iterator[FieldError]:
    mark, keys = f"{prefix}list-type", schema.get(f"{prefix}list-map-keys") or []
    list_type, items = schema.get(mark), schema.get("items")
    if keys and list_type != "map":
        if list_type is None:
            yield required(f"{path}.{mark}", f"must be map if {prefix}list-map-keys is non-empty")
        else:
            yield invalid_value(f"{path}.{mark}", list_type, f"must be map if {prefix}list-map-keys is non-empty")
    if list_type is None:
        return
    if schema.get("type") != "array":
        if not schema.get("type"):
            yield required(f"{path}.type", f"must be array if {mark} is specified")
        else:
            yield invalid_value(f"{path}.type", schema["type"], f"must be array if {mark} is specified")
    if list_type not in {"atomic", "set", "map"}:
        yield unsupported(f"{path}.{mark}", list_type, ("atomic", "set", "map"))
    if list_type in {"set", "map"} and isinstance(items, dict) and items.get("nullable"):
        yield forbidden_field(f"{path}.items.nullable", f"cannot be nullable when {mark} is {list_type}")
    if list_type == "set" and isinstance(items, dict):
        yield from _set_items(items, path, prefix)
    if list_type == "map":
        yield from _map_items(items, keys, path, prefix)


def _set_items(items: Object, path: str, prefix: str) -> Iterator[FieldError]:
    if items.get("type") == "object" and items.get(f"{prefix}map-type") != "atomic":
        at = f"{path}.items.{prefix}map-type"
        why = f"must be atomic as item of a list with {prefix}list-type=set"
        yield required(at, why) if items.get(f"{prefix}map-type") is None else invalid_value(at, items[f"{prefix}map-type"], why)
    if items.get("type") == "array" and items.get(f"{prefix}list-type") not in {None, "atomic"}:
        why = f"must be atomic as item of a list with {prefix}list-type=set"
        yield invalid_value(f"{path}.items.{prefix}list-type", items[f"{prefix}list-type"], why)


def _map_items(items: Json, keys: list[str], path: str, prefix: str) -> Iterator[FieldError]:
    mark = f"{prefix}list-type is map"
    if not keys:
        yield required(f"{path}.{prefix}list-map-keys", f"must not be empty if {mark}")
    if not isinstance(items, dict):
        yield required(f"{path}.items", f"must have a schema if {mark}")
        return
    if items.get("type") != "object":
        yield invalid_value(f"{path}.items.type", items.get("type") or "", f"must be object if parent array's {mark}")
        return
    properties, seen = items.get("properties") or {}, set[str]()
    for index, key in enumerate(keys):
        at = f"{path}.{prefix}list-map-keys[{index}]"
        if key in seen:
            yield duplicate(at, key)
        seen.add(key)
        one = properties.get(key)
        if one is None:
            yield invalid_value(at, key, "entries must all be names of item properties")
            continue
        field = f"{path}.items.properties[{key}]"
        if one.get("type") not in _SCALARS:
            yield invalid_value(f"{field}.type", one.get("type") or "", f"must be a scalar type if parent array's {mark}")
        this = f"this property is in {prefix}list-map-keys, so it"
        if key not in (items.get("required") or ()) and one.get("default") is None:
            yield required(f"{field}.default", f"{this} must have a default or be a required property")
        if one.get("nullable"):
            yield forbidden_field(f"{field}.nullable", f"{this} cannot be nullable")


def _map_marks(schema: Object, path: str, prefix: str) -> Iterator[FieldError]:
    mark = f"{prefix}map-type"
    map_type = schema.get(mark)
    if map_type is None:
        return
    if schema.get("type") != "object":
        if not schema.get("type"):
            yield required(f"{path}.type", f"must be object if {mark} is specified")
        else:
            yield invalid_value(f"{path}.type", schema["type"], f"must be object if {mark} is specified")
    if map_type not in {"atomic", "granular"}:
        yield unsupported(f"{path}.{mark}", map_type, ("atomic", "granular"))


_UNTYPED = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}


def _structural(schema: Object, where: _Where, prefix: str) -> Iterator[FieldError]:
    """What a schema has to say outside of its junctors so that values can be kept and merged by it."""
    path, kind = where.path, schema.get("type") or ""
    embedded = bool(schema.get(f"{prefix}embedded-resource"))
    preserves, either = schema.get(f"{prefix}preserve-unknown-fields"), schema.get(f"{prefix}int-or-string")
    if embedded and kind != "object":
        why = f"must be object if {prefix}embedded-resource is true"
        yield invalid_value(f"{path}.type", kind, why) if kind else required(f"{path}.type", why)
    elif not kind and not either and not preserves:
        yield required(f"{path}.type", _UNTYPED[where.level])
    if where.level == "root" and kind and kind != "object":
        yield invalid_value(f"{path}.type", kind, "must be object at the root")
    if embedded:
        yield from _embedded(schema, path, prefix, preserves=bool(preserves))
    if either and kind:
        yield invalid_value(f"{path}.type", kind, f"must be empty if {prefix}int-or-string is true")
    if preserves is False:
        yield invalid_value(f"{path}.{prefix}preserve-unknown-fields", False, "must be true or undefined")
    if where.level == "root" or embedded:
        yield from _identity(schema, path)
    yield from _junctors(schema, path, prefix, either=bool(either))
    yield from _structural_below(schema, where, prefix)


def _embedded(schema: Object, path: str, prefix: str, *, preserves: bool) -> Iterator[FieldError]:
    if schema.get("additionalProperties") is not None:
        yield forbidden_field(f"{path}.additionalProperties", f"must not be used if {prefix}embedded-resource is set")
    if not schema.get("properties") and not preserves:
        why = f"must not be empty if {prefix}embedded-resource is true without {prefix}preserve-unknown-fields"
        yield required(f"{path}.properties", why)


def _structural_below(schema: Object, where: _Where, prefix: str) -> Iterator[FieldError]:
    path = where.path
    if schema.get("type") == "array" and schema.get("items") is None:
        yield required(f"{path}.items", "must be specified")
    for name, one in (schema.get("properties") or {}).items():
        if not (where.level == "root" and name == "metadata"):
            yield from _structural(one, where.field(name), prefix)
    if isinstance(schema.get("items"), dict):
        yield from _structural(schema["items"], _Where(f"{path}.items", "item"), prefix)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _structural(schema["additionalProperties"], _Where(f"{path}.additionalProperties", "field"), prefix)


def _identity(schema: Object, path: str) -> Iterator[FieldError]:
    """The rules for fields that every object has, of which a schema may say little."""
    properties = schema.get("properties") or {}
    for name in ("kind", "apiVersion"):
        if name in properties and properties[name].get("type") != "string":
            yield invalid_value(f"{path}.properties[{name}].type", properties[name].get("type") or "", "must be string")
    metadata = properties.get("metadata")
    if metadata is None:
        return
    at = f"{path}.properties[metadata]"
    if metadata.get("type") != "object":
        yield invalid_value(f"{at}.type", metadata.get("type") or "", "must be object")
    if any(name not in _METADATA_FIELDS for name in metadata.get("properties") or ()) or metadata.get("required"):
        yield forbidden_field(at, "must not specify anything other than name and generateName, but metadata is implicitly specified")


def _junctors(schema: Object, path: str, prefix: str, *, either: bool) -> Iterator[FieldError]:
    for name in _JUNCTORS:
        if name == "anyOf" and either and same_json(schema.get("anyOf"), _INT_OR_STRING):
            continue
        for index, one in enumerate(schema.get(name) or ()):
            first = name == "allOf" and index == 0 and either and same_json(one.get("anyOf"), _INT_OR_STRING)
            within = {key: value for key, value in one.items() if key != "anyOf"} if first else one
            yield from _within_junctor(within, schema, f"{path}.{name}[{index}]", path, prefix)
    if isinstance(schema.get("not"), dict):
        yield from _within_junctor(schema["not"], schema, f"{path}.not", path, prefix)


def _within_junctor(schema: Object, outside: Object, path: str, skeleton: str, prefix: str) -> Iterator[FieldError]:
    """Within junctors values are checked and nothing is said of what they are: that has to stand outside."""
    for name in schema:
        if name in _NOT_IN_JUNCTORS or name.startswith(prefix):
            undefined = name in {"additionalProperties", "default"}
            yield forbidden_field(f"{path}.{name}", f"must be {'undefined' if undefined else 'empty'} to be structural")
    known = outside.get("properties") or {}
    other = outside.get("additionalProperties")
    for name, one in (schema.get("properties") or {}).items():
        beside = known.get(name, other if isinstance(other, dict) else None)
        if beside is None:
            yield required(f"{skeleton}.properties[{name}]", f"because it is defined in {path}.properties[{name}]")
        else:
            yield from _within_junctor(one, beside, f"{path}.properties[{name}]", f"{skeleton}.properties[{name}]", prefix)
    items = schema.get("items")
    if isinstance(items, dict):
        if isinstance(outside.get("items"), dict):
            yield from _within_junctor(items, outside["items"], f"{path}.items", f"{skeleton}.items", prefix)
        else:
            yield required(f"{skeleton}.items", f"because it is defined in {path}.items")
    for name in _JUNCTORS:
        for index, one in enumerate(schema.get(name) or ()):
            yield from _within_junctor(one, outside, f"{path}.{name}[{index}]", skeleton, prefix)
    if isinstance(schema.get("not"), dict):
        yield from _within_junctor(schema["not"], outside, f"{path}.not", skeleton, prefix)


def _defaults(schema: Object, path: str, prefix: str) -> Iterator[FieldError]:
    """A default has to be a value that the schema would take, and keep as it is."""
    default = schema.get("default")
    if default is not None:
        at = f"{path}.default"
        reading = Reading()
        kept = decoder(parse(schema, prefix))(default, reading)
        if reading or not same_json(kept, default):
            yield invalid_value(at, default, f"must not have unknown fields: {', '.join(one.removeprefix('.') for one in reading)}")
        found: list[FieldError] = []
        value_checker(schema, prefix)(default, NOTHING, "", found)
        yield from (one._replace(path=f"{at}.{one.path}" if one.path not in {"", "<nil>"} else at) for one in found)
    for name, one in (schema.get("properties") or {}).items():
        yield from _defaults(one, f"{path}.properties[{name}]", prefix)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from _defaults(schema[name], f"{path}.{name}", prefix)
