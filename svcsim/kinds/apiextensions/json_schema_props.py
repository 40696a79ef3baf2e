"""JSONSchemaProps: the schema of a custom resource, a JSON schema with extensions of its own.

The extensions carry the dialect's prefix, so the type is made for one. Some fields are spelled in one of two ways (a schema or a truth
value, a schema or a list): in protobuf these are messages.
"""

from typing import NamedTuple

from svcsim.kinds.shared.types import STRINGS, map_list
from svcsim.meta.types import Json, Object
from svcsim.schema.types import Alternatives, Bool, Field, Float, Int, List, Map, Raw, Ref, Str, Struct, Type

VALIDATION_RULE = Struct(
    "ValidationRule",
    Field(1, "rule", Str(), "Expression in CEL that is true of a valid value, which it calls self", required=True),
    Field(2, "message", Str(), "What is told where the rule is broken"),
    Field(3, "messageExpression", Str(), "Expression in CEL that makes that message"),
    Field(4, "reason", Str(), "Machine-readable reason that is told where the rule is broken", presence=True),
    Field(5, "fieldPath", Str(), "The field that is named where the rule is broken, from the value on"),
    Field(6, "optionalOldSelf", Bool(), "Whether a rule that names oldSelf is asked of new values, too, for which oldSelf is empty"),
    doc="A rule about a value, written in CEL",
)
_EXTERNAL_DOCUMENTATION = Struct(
    "ExternalDocumentation",
    Field(1, "description", Str(), "Description of the document"),
    Field(2, "url", Str(), "Where the document is"),
    doc="Refers to a document about something",
)


class _Made(NamedTuple):
    """Breaks the circle: the type contains itself."""

    structs: list[Struct]

    def get(self) -> Struct:
        return self.structs[0]


def json_schema_props(prefix: str) -> Struct:
    """The type, with extensions of that prefix: ``x-kubernetes-``."""
    made = _Made([])
    schema = Ref(target=made.get)
    schemas = List(schema, list_type="atomic")
    by_name = Map(schema)
    or_bool = _or_bool(schema)
    fields = (
        Field(1, "id", Str(), "Identifier of the schema"),
        Field(2, "$schema", Str(), "The schema of this schema"),
        Field(3, "$ref", Str(), "Refers to another schema; not allowed"),
        Field(4, "description", Str(), "Description of the value"),
        Field(5, "type", Str(), "Type of the value: object, array, string, integer, number or boolean"),
        Field(6, "format", Str(), "Format of the value, such as date-time"),
        Field(7, "title", Str(), "Title of the value"),
        Field(8, "default", Raw(json=True), "What the value is where it is left out"),
        Field(9, "maximum", Float(), "Largest number"),
        Field(10, "exclusiveMaximum", Bool(), "Whether the number must be smaller than the maximum", presence=False),
        Field(11, "minimum", Float(), "Smallest number"),
        Field(12, "exclusiveMinimum", Bool(), "Whether the number must be larger than the minimum", presence=False),
        Field(13, "maxLength", Int(bits=64), "Largest number of characters"),
        Field(14, "minLength", Int(bits=64), "Smallest number of characters"),
        Field(15, "pattern", Str(), "Regular expression that is to be found in the text"),
        Field(16, "maxItems", Int(bits=64), "Largest number of items"),
        Field(17, "minItems", Int(bits=64), "Smallest number of items"),
        Field(18, "uniqueItems", Bool(), "Whether items must differ; not allowed", presence=False),
        Field(19, "multipleOf", Float(), "What the number is a multiple of"),
        Field(20, "enum", List(Raw(json=True), list_type="atomic"), "All values there are"),
        Field(21, "maxProperties", Int(bits=64), "Largest number of fields"),
        Field(22, "minProperties", Int(bits=64), "Smallest number of fields"),
        Field(23, "required", STRINGS, "Fields that must be there"),
        Field(24, "items", _or_array(schema), "Schema of the items"),
        Field(25, "allOf", schemas, "Schemas that must all hold"),
        Field(26, "oneOf", schemas, "Schemas of which exactly one must hold"),
        Field(27, "anyOf", schemas, "Schemas of which at least one must hold"),
        Field(28, "not", schema, "A schema that must not hold"),
        Field(29, "properties", by_name, "Schemas of the fields"),
        Field(30, "additionalProperties", or_bool, "Schema of the values of a map, or whether there may be any"),
        Field(31, "patternProperties", by_name, "Schemas of fields by their names' pattern; not allowed"),
        Field(32, "dependencies", Map(_or_strings(schema)), "What else must be there beside a field; not allowed"),
        Field(33, "additionalItems", or_bool, "Schema of further items; not allowed"),
        Field(34, "definitions", by_name, "Schemas to refer to; not allowed"),
        Field(35, "externalDocs", _EXTERNAL_DOCUMENTATION, "A document about the value"),
        Field(36, "example", Raw(json=True), "An example of the value"),
        Field(37, "nullable", Bool(), "Whether the value may be null", presence=False),
        Field(38, f"{prefix}preserve-unknown-fields", Bool(), "Keeps fields that the schema doesn't name"),
        Field(39, f"{prefix}embedded-resource", Bool(), "Whether the value is an object of the API", presence=False),
        Field(40, f"{prefix}int-or-string", Bool(), "Whether the value is a whole number or a text", presence=False),
        Field(41, f"{prefix}list-map-keys", STRINGS, "Fields that tell the items of a list of type map apart"),
        Field(42, f"{prefix}list-type", Str(), "How a list is merged: atomic, set or map", presence=True),
        Field(43, f"{prefix}map-type", Str(), "How a map is merged: granular or atomic", presence=True),
        Field(44, f"{prefix}validations", map_list(VALIDATION_RULE, "rule"), "Rules about the value, written in CEL", patch="merge"),
    )
    made.structs.append(Struct("JSONSchemaProps", *fields, doc="A JSON schema of a custom resource or of a part of it"))
    return made.get()


def _or_bool(schema: Type) -> Alternatives:
    message = Struct("JSONSchemaPropsOrBool", Field(1, "allows", Bool(), presence=True), Field(2, "schema", schema))

    def wrap(value: Json) -> Json:
        return {"allows": True, "schema": value} if isinstance(value, dict) else {"allows": value}

    def unwrap(value: Object) -> Json:
        return value.get("schema", value.get("allows", False))

    return Alternatives(message=message, wrap=wrap, unwrap=unwrap)


def _or_array(schema: Type) -> Alternatives:
    message = Struct("JSONSchemaPropsOrArray", Field(1, "schema", schema), Field(2, "jSONSchemas", List(schema), presence=True))

    def wrap(value: Json) -> Json:
        return {"jSONSchemas": value} if isinstance(value, list) else {"schema": value}

    def unwrap(value: Object) -> Json:
        return value.get("schema", value.get("jSONSchemas"))

    return Alternatives(message=message, wrap=wrap, unwrap=unwrap)


def _or_strings(schema: Type) -> Alternatives:
    message = Struct("JSONSchemaPropsOrStringArray", Field(1, "schema", schema), Field(2, "property", List(Str()), presence=True))

    def wrap(value: Json) -> Json:
        return {"property": value} if isinstance(value, list) else {"schema": value}

    def unwrap(value: Object) -> Json:
        return value.get("schema", value.get("property"))

    return Alternatives(message=message, wrap=wrap, unwrap=unwrap)
