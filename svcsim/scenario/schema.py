"""The JSON Schema of the format, for editors that complete and check while one writes.

It is generated: ``python -m svcsim.scenario.schema`` prints what stands in ``scenarios/scenario.schema.json``, and a test tells when that
file is stale. A string with ``${…}`` in it may stand anywhere a value does.
"""

import sys

from svcsim.meta.codec import encode_pretty
from svcsim.meta.types import Object
from svcsim.scenario.format import SCENARIO
from svcsim.scenario.shapes import (
    Anything,
    ApiObject,
    Cel,
    Either,
    Flag,
    LabelValue,
    ListOf,
    MapOf,
    Moment,
    Number,
    Rate,
    Shape,
    Span,
    Struct,
    Text,
)

_HOLE: Object = {"type": "string", "pattern": r"\$\{.*\}"}


def json_schema() -> Object:
    definitions: dict[str, Object] = {}
    root = _schema(SCENARIO, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "svcsim scenario",
        **root,
        "$defs": definitions,
    }


def _schema(shape: Shape, definitions: dict[str, Object]) -> Object:
    """The schema of a shape; maps with known fields go into ``definitions``, since the same ones stand in several places."""
    match shape:
        case Struct():
            if shape.what not in definitions:
                definitions[shape.what] = {}
                definitions[shape.what] = _struct(shape, definitions)
            return {"$ref": f"#/$defs/{shape.what.replace(' ', '%20')}"}
        case ListOf(item, empty):
            return {"type": "array", "items": _schema(item, definitions), **({} if empty else {"minItems": 1})}
        case MapOf(value, empty):
            return {"type": "object", "additionalProperties": _schema(value, definitions), **({} if empty else {"minProperties": 1})}
        case Either(scalar, other):
            return {"anyOf": [_schema(scalar, definitions), _schema(other, definitions)]}
        case _:
            return _scalar(shape)


def _scalar(shape: Shape) -> Object:
    match shape:
        case Anything():
            return {}
        case ApiObject():
            return {"type": "object", "required": ["apiVersion", "kind", "metadata"]}
        case Text():
            return _text(shape)
        case Number():
            return {"anyOf": [_number(shape), _HOLE]}
        case Flag(only_true):
            return {"anyOf": [{"const": True} if only_true else {"type": "boolean"}, _HOLE]}
        case Span():
            return {"anyOf": [{"type": "string", "pattern": r"^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}, _HOLE]}
        case Moment():
            return {"anyOf": [{"type": "string", "format": "date-time"}, _HOLE]}
        case Rate():
            return {"anyOf": [{"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?/(ms|s|m|h)$"}, _HOLE]}
        case Cel():
            return {"type": ["string", "boolean"]}
        case _:
            return {"type": "string"}


def _text(shape: Text) -> Object:
    if isinstance(shape, LabelValue):
        return {"type": ["string", "null"]}
    if shape.choices:
        return {"anyOf": [{"enum": list(shape.choices)}, _HOLE]}
    return {"type": "string", **({} if shape.empty else {"minLength": 1})}


def _number(shape: Number) -> Object:
    number: Object = {"type": "number" if shape.fraction else "integer"}
    if shape.minimum is not None:
        number["exclusiveMinimum" if shape.above else "minimum"] = shape.minimum
    if shape.maximum is not None:
        number["maximum"] = shape.maximum
    return number


def _struct(shape: Struct, definitions: dict[str, Object]) -> Object:
    schema: Object = {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: {"description": field.doc, **_schema(field.shape, definitions)} for field in shape.fields},
    }
    required = [field.name for field in shape.fields if field.required]
    if required:
        schema["required"] = required
    if shape.exactly_one:
        schema["oneOf"] = [{"required": [name]} for name in shape.exactly_one]
    if shape.at_least_one:
        schema["anyOf"] = [{"required": [name]} for name in shape.at_least_one]
    return schema


if __name__ == "__main__":
    sys.stdout.buffer.write(encode_pretty(json_schema()) + b"\n")
