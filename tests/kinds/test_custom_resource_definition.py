"""CustomResourceDefinition: what is right in one, what may change, what the server sets."""

import copy
from typing import Any

import pytest

from svcsim.kinds.apiextensions.custom_resource_definition import CUSTOM_RESOURCE_DEFINITION, custom_resource_definition
from svcsim.meta.objects import set_path
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from svcsim.schema.protobuf import decode_message, encode_message
from tests.kinds.helpers import change_findings, context, created, findings, row, warned

Object = dict[str, Any]
SCHEMA = "spec.versions[0].schema.openAPIV3Schema"
SPEC = f"{SCHEMA}.properties[spec]"
ESTABLISHED = [{"type": "Established", "status": "True"}]


def version(name: str = "v1", **more: Any) -> Object:
    return {"name": name, "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}, **more}


def definition(changed: Object | None = None, **spec: Any) -> Object:
    """A right one, with other values in its spec, and at dotted paths."""
    names = {"plural": "widgets", "kind": "Widget"}
    whole = {"group": "acme.io", "names": names, "scope": "Namespaced", "versions": [version()], **spec}
    made: Object = {"metadata": {"name": "widgets.acme.io"}, "spec": whole}
    for path, value in (changed or {}).items():
        set_path(made, path, value)
    return copy.deepcopy(made)


def with_schema(schema: Object, **more: Any) -> Object:
    return definition(versions=[version(schema={"openAPIV3Schema": schema}, **more)])


def with_spec(**spec: Any) -> Object:
    """One whose objects' spec has this schema."""
    return with_schema({"type": "object", "properties": {"spec": {"type": "object", **spec}}})


def test_a_definition_is_completed():
    made = created(CUSTOM_RESOURCE_DEFINITION, definition())
    assert made["spec"]["names"] == {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    assert made["spec"]["conversion"] == {"strategy": "None"}
    assert made["status"] == {"storedVersions": ["v1"]}


def test_a_webhook_is_served_on_the_port_of_https():
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": {"namespace": "a", "name": "b"}}}
    made = created(CUSTOM_RESOURCE_DEFINITION, definition(conversion={"strategy": "Webhook", "webhook": webhook}))
    assert made["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"] == 443


def test_the_table_shows_when_a_definition_was_made():
    assert row(CUSTOM_RESOURCE_DEFINITION, {"metadata": {"creationTimestamp": "2026-01-02T03:04:05Z"}}) == {
        "Created At": "2026-01-02T03:04:05Z"
    }


NAMES = [
    ({"metadata.name": "x.acme.io"}, ['metadata.name: Invalid value: "x.acme.io": must be spec.names.plural+"."+spec.group']),
    (
        {"spec.group": "acme", "metadata.name": "widgets.acme"},
        ['spec.group: Invalid value: "acme": should be a domain with at least one dot'],
    ),
    ({"spec.group": "a_b.c", "metadata.name": "widgets.a_b.c"}, ['spec.group: Invalid value: "a_b.c": a lowercase RFC 1123 subdomain']),
    ({"spec.group": "x.k8s.io", "metadata.name": "widgets.x.k8s.io"}, ["metadata.annotations[api-approved.kubernetes.io]: Required value"]),
    ({"spec.scope": "Any"}, ['spec.scope: Unsupported value: "Any": supported values: "Cluster", "Namespaced"']),
    ({"spec.versions": []}, ["spec.versions: Required value"]),
    (
        {"spec.names.plural": "Widgets", "metadata.name": "Widgets.acme.io"},
        ['spec.names.plural: Invalid value: "Widgets": a DNS-1035 label'],
    ),
    ({"spec.names.singular": "a.b"}, ['spec.names.singular: Invalid value: "a.b": a DNS-1035 label']),
    (
        {"spec.names.kind": "Wid get", "spec.names.singular": "w"},
        ["may have mixed case, but should otherwise match: a DNS-1035 label", "listKind"],
    ),
    ({"spec.names.listKind": "1List"}, ['spec.names.listKind: Invalid value: "1List": may have mixed case']),
    ({"spec.names.listKind": "Widget"}, ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same']),
    ({"spec.names.shortNames": ["w", "W"]}, ['spec.names.shortNames[1]: Invalid value: "W": a DNS-1035 label']),
    ({"spec.names.categories": ["All"]}, ['spec.names.categories[0]: Invalid value: "All": a DNS-1035 label']),
    (
        {"spec.preserveUnknownFields": True},
        ["spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve"],
    ),
]
VERSIONS = [
    ([version("V1")], ['spec.versions[0].name: Invalid value: "V1": a DNS-1035 label']),
    ([version(), version()], ["must contain unique version names", "must have exactly one version marked as storage version"]),
    ([version(storage=False)], ["must have exactly one version marked as storage version"]),
    ([version("v1"), version("v2")], ["must have exactly one version marked as storage version"]),
    ([version(schema={})], [f"{SCHEMA}: Required value: schemas are required"]),
    (
        [version(deprecationWarning="old")],
        ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    ),
    ([version(deprecated=True, deprecationWarning="")], ["must not be empty"]),
    ([version(deprecated=True, deprecationWarning="x" * 257)], ["must be <= 256 characters long"]),
    ([version(deprecated=True, deprecationWarning=" x")], ["must not have leading or trailing whitespace"]),
    ([version(deprecated=True, deprecationWarning="a\tb")], ["non-printable character found at index 1"]),
    (
        [version(additionalPrinterColumns=[{"name": "A", "type": "text", "jsonPath": ".a"}])],
        ['Columns[0].type: Invalid value: "text": must be one'],
    ),
    ([version(additionalPrinterColumns=[{"name": "A", "type": "string"}])], ["additionalPrinterColumns[0].jsonPath: Required value"]),
    (
        [version(additionalPrinterColumns=[{"name": "", "type": "string", "jsonPath": ".a"}])],
        ["additionalPrinterColumns[0].name: Required value"],
    ),
    (
        [version(additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": "a"}])],
        ["must be a simple json path starting with ."],
    ),
    ([version(additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ".a["}])], ["is an invalid path: "]),
    (
        [version(additionalPrinterColumns=[{"name": "A", "type": "string", "format": "x", "jsonPath": ".a"}])],
        ['format: Invalid value: "x"'],
    ),
    ([version(subresources={"scale": {"statusReplicasPath": ".status.r"}})], ["scale.specReplicasPath: Required value"]),
    ([version(subresources={"scale": {"specReplicasPath": ".spec.r"}})], ["scale.statusReplicasPath: Required value"]),
    (
        [version(subresources={"scale": {"specReplicasPath": "x", "statusReplicasPath": ".status.r"}})],
        ["must be a simple json path starting with ."],
    ),
    (
        [version(subresources={"scale": {"specReplicasPath": ".s.r", "statusReplicasPath": ".status.r"}})],
        ["should be a json path under .spec"],
    ),
    (
        [version(subresources={"scale": {"specReplicasPath": ".spec.r", "statusReplicasPath": ".s.r"}})],
        ["should be a json path under .status"],
    ),
    (
        [version(subresources={"scale": {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r", "labelSelectorPath": ".x.y"}})],
        ["should be a json path under either .spec or .status"],
    ),
    ([version(selectableFields=[{"jsonPath": ".spec.colour"}])], ["is an invalid path: does not refer to a valid field"]),
    ([version(selectableFields=[{"jsonPath": ".metadata.name"}])], ["must not point to fields in metadata"]),
    (
        [version(selectableFields=[{"jsonPath": f".a{n}"} for n in range(9)])],
        ["Too many: 9: must have at most 8 items", *["valid field"] * 9],
    ),
]
CONVERSIONS = [
    ({"strategy": "Some"}, ['spec.conversion.strategy: Unsupported value: "Some": supported values: "None", "Webhook"']),
    ({"strategy": "Webhook"}, ["webhookClientConfig: Required value: required when strategy", "conversionReviewVersions: Required value"]),
    (
        {"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://a"}}},
        ["webhookClientConfig: Forbidden: should not be set", "conversionReviewVersions: Forbidden: should not be set"],
    ),
    (
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {}}},
        ["webhookClientConfig: Required value: exactly one of url or service is required"],
    ),
    (
        {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"url": "https://a", "service": {"name": "a", "namespace": "b"}},
            },
        },
        ["exactly one of url or service is required"],
    ),
    (
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "http://a"}}},
        ["'https' is the only allowed"],
    ),
    (
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v9"], "clientConfig": {"url": "https://a"}}},
        ["must include at least one of v1, v1beta1"],
    ),
    (
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1", "v1"], "clientConfig": {"url": "https://a"}}},
        ["duplicate version"],
    ),
    (
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1", "V_"], "clientConfig": {"url": "https://a"}}},
        ["a DNS-1035 label"],
    ),
]
ADDRESSES = [
    ({"url": "http://a"}, ["url: Invalid value: \"http\": 'https' is the only allowed URL scheme"]),
    ({"url": "https://a b/"}, ['url: Required value: url must be a valid URL: parse "https://a b/": invalid character " " in host name']),
    ({"url": "https://a.b/c#d"}, ['url: Invalid value: "d": fragments are not permitted in the URL']),
    ({"url": "https://a.b/c?d"}, ['url: Invalid value: "d": query parameters are not permitted in the URL']),
    ({"url": "https://u@a.b/c"}, ['url: Invalid value: "u": user information is not permitted in the URL']),
    ({"url": "https:///x"}, ['url: Invalid value: "": host must be provided']),
    ({"service": {"name": "a", "namespace": "b", "port": 0}}, ["service.port: Invalid value: 0: port is not valid"]),
    ({"service": {"name": "a", "namespace": "b", "port": 70000}}, ["service.port: Invalid value: 70000: port is not valid"]),
    ({"service": {"name": "a", "namespace": "b", "path": "xy"}}, ["service.path: Invalid value: \"xy\": must start with a '/'"]),
    ({"service": {"name": "a", "namespace": "b", "path": "//x"}}, ['service.path: Invalid value: "//x": segment[0] may not be empty']),
    ({"service": {"name": "a", "namespace": "b", "path": "/x/A_b"}}, ['service.path: Invalid value: "/x/A_b": segment[1]: ']),
    ({"service": {"name": "", "namespace": ""}}, ["service.name: Required value: service", "service.namespace: Required value: service"]),
    ({"url": "https://a.b:8443/c"}, []),
    ({"service": {"name": "a", "namespace": "b", "port": 8443, "path": "/x/y-z/"}}, []),
]
TEXTS = {"type": "array", "items": {"type": "string"}}
NAMED = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "of": {"type": "string"}, "deep": {"type": "object"}},
}
KEYED = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": NAMED}
ROOTS = [
    ({}, [f"{SCHEMA}.type: Required value: must not be empty at the root"]),
    ({"type": "array", "items": {"type": "string"}}, [f'{SCHEMA}.type: Invalid value: "array": must be object at the root']),
    ({"type": "object", "nullable": True}, [f"{SCHEMA}.nullable: Forbidden: nullable cannot be true at the root"]),
    (
        {"type": "object", "additionalProperties": {"type": "string"}},
        [f"{SCHEMA}.additionalProperties: Forbidden: must not be used at the root"],
    ),
    ({"type": "object", "default": {}}, [f"{SCHEMA}.default: Forbidden: must not be set at the root"]),
    ({"type": "object", "x-kubernetes-embedded-resource": True}, ["embedded-resource: Forbidden: must not be used at the root"]),
    ({"type": "object", "x-kubernetes-int-or-string": True}, ["int-or-string: Forbidden: must not be used at the root"]),
    ({"type": "object", "properties": {"kind": {"type": "integer"}}}, ['properties[kind].type: Invalid value: "integer": must be string']),
    ({"type": "object", "properties": {"apiVersion": {"type": "integer"}}}, ["properties[apiVersion].type: Invalid value"]),
    (
        {"type": "object", "properties": {"metadata": {"type": "string"}}},
        ['properties[metadata].type: Invalid value: "string": must be object'],
    ),
    (
        {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}},
        ["properties[metadata]: Forbidden: must not specify anything other than name and generateName"],
    ),
]
FIELDS = [
    ({}, [f"{SPEC}.properties[x].type: Required value: must not be empty for specified object fields"]),
    ({"type": "array", "items": {}}, ["properties[x].items.type: Required value: must not be empty for specified array items"]),
    ({"type": "array"}, ["properties[x].items: Required value: must be specified"]),
    ({"type": "text"}, ['properties[x].type: Unsupported value: "text": supported values: "array", "boolean"']),
    ({"type": "null"}, ["type: Forbidden: type cannot be set to null, use nullable as an alternative"]),
    ({"type": "array", "items": [{"type": "string"}]}, ["items: Forbidden: items must be a schema object and not an array"]),
    ({**TEXTS, "uniqueItems": True}, ["uniqueItems cannot be set to true since the runtime complexity becomes quadratic"]),
    ({"type": "object", "additionalProperties": False}, ["additionalProperties cannot be set to false"]),
    (
        {"type": "object", "additionalProperties": {"type": "string"}, "properties": {"a": {"type": "string"}}},
        ["additionalProperties and properties are mutual exclusive"],
    ),
    (
        {"type": "object", "patternProperties": {"a": {"type": "string"}}},
        ["patternProperties: Forbidden: patternProperties is not supported"],
    ),
    ({"type": "object", "definitions": {"a": {"type": "string"}}}, ["definitions: Forbidden: definitions is not supported"]),
    ({"type": "object", "dependencies": {"a": ["b"]}}, ["dependencies: Forbidden: dependencies is not supported"]),
    ({"type": "object", "id": "a"}, ["id: Forbidden: id is not supported"]),
    ({"type": "object", "$ref": "#/a"}, ["$ref: Forbidden: $ref is not supported"]),
    ({**TEXTS, "additionalItems": {"type": "string"}}, ["additionalItems: Forbidden: additionalItems is not supported"]),
    ({"type": "string", "pattern": "("}, ['pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: ']),
    ({"type": "string", "pattern": "(?=a)"}, ["must be a valid regular expression, but isn't: "]),
    (
        {"type": "string", "x-kubernetes-list-type": "set"},
        ['type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
    ),
    ({"x-kubernetes-list-type": "set"}, ["type: Required value: must be array if x-kubernetes-list-type is specified"]),
    ({**TEXTS, "x-kubernetes-list-type": "bag"}, ['list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"']),
    ({**TEXTS, "x-kubernetes-list-map-keys": ["a"]}, ["list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"]),
    (
        {**TEXTS, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"]},
        ['list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
    ),
    ({**KEYED, "x-kubernetes-list-map-keys": []}, ["list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"]),
    ({**KEYED, "items": None}, ["items: Required value: must have a schema if x-kubernetes-list-type is map"]),
    ({**KEYED, "items": {"type": "string"}}, ['items.type: Invalid value: "string": must be object if parent array\'s']),
    (
        {**KEYED, "x-kubernetes-list-map-keys": ["none"]},
        ['list-map-keys[0]: Invalid value: "none": entries must all be names of item properties'],
    ),
    ({**KEYED, "x-kubernetes-list-map-keys": ["name", "name"]}, ['list-map-keys[1]: Duplicate value: "name"']),
    ({**KEYED, "x-kubernetes-list-map-keys": ["of"]}, ["so it must have a default or be a required property"]),
    ({**KEYED, "items": {**NAMED, "nullable": True}}, ["items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map"]),
    (
        {**KEYED, "x-kubernetes-list-map-keys": ["deep"], "items": {**NAMED, "required": ["deep"]}},
        ["must be a scalar type if parent array's x-kubernetes-list-type is map"],
    ),
    (
        {**KEYED, "items": {**NAMED, "properties": {"name": {"type": "string", "nullable": True}}}},
        ["properties[name].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable"],
    ),
    (
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
        ["map-type: Required value: must be atomic as item of a list"],
    ),
    (
        {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "granular"}},
        ['map-type: Invalid value: "granular": must be atomic as item of a list with x-kubernetes-list-type=set'],
    ),
    (
        {"type": "array", "x-kubernetes-list-type": "set", "items": {**TEXTS, "x-kubernetes-list-type": "set"}},
        ['list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set'],
    ),
    ({"type": "string", "x-kubernetes-map-type": "atomic"}, ["must be object if x-kubernetes-map-type is specified"]),
    ({"x-kubernetes-map-type": "atomic"}, ["type: Required value: must be object if x-kubernetes-map-type is specified"]),
    ({"type": "object", "x-kubernetes-map-type": "some"}, ['map-type: Unsupported value: "some": supported values: "atomic", "granular"']),
    ({"x-kubernetes-embedded-resource": True}, ["type: Required value: must be object if x-kubernetes-embedded-resource", "properties"]),
    (
        {"type": "string", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        ['type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
    ),
    (
        {"type": "object", "x-kubernetes-embedded-resource": True},
        ["properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve"],
    ),
    (
        {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
            "additionalProperties": {"type": "string"},
        },
        ["additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set"],
    ),
    (
        {"type": "integer", "x-kubernetes-int-or-string": True},
        ['type: Invalid value: "integer": must be empty if x-kubernetes-int-or-string is true'],
    ),
    (
        {"x-kubernetes-int-or-string": True, "allOf": [{"pattern": "a"}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}]},
        ["allOf[1].anyOf[0].type: Forbidden: must be empty", "allOf[1].anyOf[1].type: Forbidden: must be empty"],
    ),
    (
        {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}], "title": "a"}]},
        ["allOf[0].title: Forbidden: must be empty to be structural"],
    ),
    (
        {"type": "string", "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}]},
        ["allOf[0].anyOf[0].type: Forbidden", "allOf[0].anyOf[1].type: Forbidden"],
    ),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": False}, ["Invalid value: false: must be true or undefined"]),
    ({"type": "string", "allOf": [{"type": "string"}]}, ["allOf[0].type: Forbidden: must be empty to be structural"]),
    ({"type": "string", "anyOf": [{"title": "a"}]}, ["anyOf[0].title: Forbidden: must be empty to be structural"]),
    ({"type": "string", "oneOf": [{"description": "a"}]}, ["oneOf[0].description: Forbidden: must be empty to be structural"]),
    ({"type": "string", "not": {"default": "a"}}, ["not.default: Forbidden: must be undefined to be structural"]),
    ({"type": "string", "not": {"nullable": True}}, ["not.nullable: Forbidden: must be empty to be structural"]),
    ({"type": "object", "not": {"additionalProperties": {"minLength": 1}}}, ["not.additionalProperties: Forbidden: must be undefined"]),
    ({"type": "object", "anyOf": [{"x-kubernetes-preserve-unknown-fields": True}]}, ["Forbidden: must be empty to be structural"]),
    (
        {"type": "object", "anyOf": [{"properties": {"a": {"minimum": 1}}}]},
        ["properties[x].properties[a]: Required value: because it is defined in "],
    ),
    ({"type": "object", "anyOf": [{"items": {"minimum": 1}}]}, ["properties[x].items: Required value: because it is defined in "]),
    ({"type": "integer", "default": "a"}, ['properties[x].default: Invalid value: "string"', "must be of type integer"][:1]),
    ({"type": "integer", "default": 11, "maximum": 10}, ["properties[x].default: Invalid value: 11:"]),
    ({"type": "object", "default": {"a": 1}}, ['default: Invalid value: {"a":1}: must not have unknown fields: a']),
    ({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}, "default": {}}, ["default.a: Required value"]),
]
TOGETHER = [
    "rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
    "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try ",
]
EXPRESSIONS = [
    ({"rule": ""}, ["validations[0].rule: Required value"]),
    ({"rule": "  "}, ["validations[0].rule: Required value: rule is not specified"]),
    ({"rule": "self.none == 1"}, ["compilation failed: ERROR: <input>:1:5: undefined field 'none'"]),
    ({"rule": "self.x ="}, ["compilation failed: ERROR: <input>:1:8: Syntax error"]),
    ({"rule": "'a' + 1 == 2"}, ["found no matching overload for '_+_' applied to '(string, int)'"]),
    ({"rule": "nobody(self)"}, ["undeclared reference to 'nobody'"]),
    (
        {"rule": f"size([{','.join('1' * 10_000)}]) > 0"},
        ["compilation failed: expression has 20006 words and marks, more than 4000: split it into several, or shorten its lists"],
    ),
    ({"rule": f"size({{{','.join(f'{key}: 1' for key in range(2_000))}}}) > 0"}, ["compilation failed: expression has 8"]),
    ({"rule": "true", "messageExpression": f"[{','.join('1' * 5_000)}]"}, ["messageExpression compilation failed: expression has 10"]),
    ({"rule": "'text'"}, ["Invalid value: \"'text'\": cel expression must evaluate to a bool"]),
    ({"rule": "true", "message": " "}, ['message: Invalid value: " ": message must be non-empty if specified']),
    ({"rule": "true", "message": "a\nb"}, ["message must not contain line breaks"]),
    ({"rule": "true", "message": "a" * 2049}, ["must have a maximum length of 2048 characters"]),
    ({"rule": "true &&\ntrue"}, ["message: Required value: message must be specified if rule contains line breaks"]),
    (
        {"rule": "true", "reason": "Other"},
        ['reason: Unsupported value: "Other": supported values: "FieldValueDuplicate", "FieldValueForbidden"'],
    ),
    (
        {"rule": "true", "fieldPath": ".none"},
        ['fieldPath: Invalid value: ".none": fieldPath must be a valid path: does not refer to a'],
    ),
    ({"rule": "true", "fieldPath": "x"}, ['fieldPath: Invalid value: "x": fieldPath must be a valid path: expected [ or . but got: x']),
    ({"rule": "true", "fieldPath": "."}, ["fieldPath must be a valid path: unexpected end of JSON path"]),
    ({"rule": "true", "fieldPath": ".many[0]"}, ["fieldPath must be a valid path: expected single quoted string but got 0"]),
    ({"rule": "true", "fieldPath": "['x'"}, ["fieldPath must be a valid path: unexpected end of JSON path"]),
    ({"rule": "true", "fieldPath": "['x'."}, ["fieldPath must be a valid path: expected ] but got ."]),
    ({"rule": "true", "fieldPath": " "}, ["fieldPath must be non-empty if specified", "expected [ or . but got:  "]),
    ({"rule": "true", "fieldPath": "['x']"}, []),
    (
        {"rule": "true", "messageExpression": "1 +"},
        ['messageExpression: Invalid value: "1 +": messageExpression compilation failed: ERROR'],
    ),
    ({"rule": "true", "messageExpression": "1"}, ["messageExpression must evaluate to a string"]),
    ({"rule": "true", "messageExpression": " "}, ["messageExpression: Required value: must be non-empty if specified"]),
    ({"rule": "true", "optionalOldSelf": True}, ["optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"]),
    (
        {"rule": "self.texts.all(x, x.contains('a string'))"},
        [
            "rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems",
            *TOGETHER,
        ],
    ),
    ({"rule": "self.texts.all(x, x.matches('^(a+)+$'))"}, ["estimated rule cost exceeds budget by factor of more than 100x", *TOGETHER]),
    ({"rule": "self.many.all(a, a + 1 > 2 && a < 7)"}, ["estimated rule cost exceeds budget by factor of 1.2"]),
    ({"rule": "self.many.all(a, a > 0)"}, []),
    ({"rule": "self.few.all(a, self.few.all(b, a.contains(b)))"}, []),
    ({"rule": "self.dates.all(a, self.dates.exists(b, a <= b))"}, []),
    (
        {"rule": "self.many.all(a, self.many.all(b, a == b))"},
        ["rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x", *TOGETHER],
    ),
    (
        {"rule": "true", "messageExpression": "self.texts.exists(x, x.contains('a')) ? 'yes' : 'no'"},
        [
            "messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of ",
            "messageExpression: Forbidden: contributed to",
            TOGETHER[1][:60],
        ],
    ),
]


def check(found: list[str], expected: list[str]) -> None:
    """As many findings as expected, each with its text."""
    assert len(found) == len(expected), found
    for text in expected:
        assert any(text in one for one in found), (text, found)


@pytest.mark.parametrize(("changed", "expected"), NAMES)
def test_names_of_a_definition(changed: Object, expected: list[str]):
    check(findings(CUSTOM_RESOURCE_DEFINITION, definition(changed)), expected)


@pytest.mark.parametrize(("versions", "expected"), VERSIONS)
def test_versions_of_a_definition(versions: list[Object], expected: list[str]):
    check(findings(CUSTOM_RESOURCE_DEFINITION, definition(versions=versions)), expected)


@pytest.mark.parametrize(("conversion", "expected"), CONVERSIONS)
def test_conversion_of_a_definition(conversion: Object, expected: list[str]):
    check(findings(CUSTOM_RESOURCE_DEFINITION, definition(conversion=conversion)), expected)


@pytest.mark.parametrize(("address", "expected"), ADDRESSES)
def test_where_a_definition_has_its_webhook(address: Object, expected: list[str]):
    conversion = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": address}}
    path = "spec.conversion.webhookClientConfig."
    check(findings(CUSTOM_RESOURCE_DEFINITION, definition(conversion=conversion)), [path + one for one in expected])


_DEMAND = 'protected groups must have approval annotation "api-approved.kubernetes.io"'
_NO_APPROVAL = f"Required value: {_DEMAND}, see https://"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (None, [_NO_APPROVAL]),
        ("", [_NO_APPROVAL]),
        *(
            (said, [f'Invalid value: "{said}": {_DEMAND} with either a URL'])
            for said in ("maybe", "https://", "/path", "http://[", "https://a b")
        ),
        ("unapproved, experimental", []),
        ("https://example.com/1", []),
    ],
)
def test_who_approves_of_a_definition_in_a_group_of_the_apis_own(said: str | None, expected: list[str]):
    made = definition({"spec.group": "x.k8s.io", "metadata.name": "widgets.x.k8s.io"})
    if said is not None:
        made["metadata"]["annotations"] = {"api-approved.kubernetes.io": said}
    path = "metadata.annotations[api-approved.kubernetes.io]: "
    check(findings(CUSTOM_RESOURCE_DEFINITION, made), [path + one for one in expected])
    assert change_findings(CUSTOM_RESOURCE_DEFINITION, made, made) == []
    approved = copy.deepcopy(made)
    approved["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved"}
    check(change_findings(CUSTOM_RESOURCE_DEFINITION, approved, made), [path + one for one in expected])


@pytest.mark.parametrize(("schema", "expected"), ROOTS)
def test_the_root_of_a_schema(schema: Object, expected: list[str]):
    check(findings(CUSTOM_RESOURCE_DEFINITION, with_schema(schema)), expected)


@pytest.mark.parametrize(("field", "expected"), FIELDS)
def test_parts_of_a_schema(field: Object, expected: list[str]):
    check(findings(CUSTOM_RESOURCE_DEFINITION, with_spec(properties={"x": field})), expected)


@pytest.mark.parametrize(("rule", "expected"), EXPRESSIONS)
def test_validation_rules_of_a_schema(rule: Object, expected: list[str]):
    text = {"type": "string"}
    lists = {
        "many": {"type": "array", "items": {"type": "integer"}},
        "texts": {"type": "array", "items": text},
        "few": {"type": "array", "maxItems": 50, "items": {**text, "maxLength": 20}},
        "dates": {"type": "array", "maxItems": 500, "items": {**text, "format": "date-time"}},
    }
    check(
        findings(
            CUSTOM_RESOURCE_DEFINITION,
            with_spec(properties={"x": {"type": "integer"}, **lists}, **{"x-kubernetes-validations": [rule]}),
        ),
        expected,
    )


def test_what_was_before_is_unknown_of_items_that_have_no_keys():
    rules = {"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    bounded = {"type": "array", "maxItems": 3, "items": {"type": "string", **rules}}
    (found,) = findings(CUSTOM_RESOURCE_DEFINITION, with_spec(properties={"x": bounded}))
    assert found.endswith(f"oldSelf cannot be used on the uncorrelatable portion of the schema within {SPEC}.properties[x].items")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}}}},
        {"type": "object", "properties": {"x": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}}},
        {
            "type": "object",
            "properties": {
                "x": {
                    "x-kubernetes-int-or-string": True,
                    "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "^[0-9]"}, {"anyOf": [{"maximum": 9}]}],
                }
            },
        },
        {"type": "object", "properties": {"x": {"type": "integer", "oneOf": [{"minimum": 3}, {"maximum": 1}], "not": {"enum": [7]}}}},
        {"type": "object", "properties": {"x": {"type": "object", "additionalProperties": True, "default": {}}}},
        {"type": "object", "properties": {"x": KEYED, "y": {**TEXTS, "x-kubernetes-list-type": "set", "default": ["a"]}}},
    ],
)
def test_right_schemas(schema: Object):
    assert findings(CUSTOM_RESOURCE_DEFINITION, with_schema(schema)) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"spec.group": "other.io"}, ['spec.group: Invalid value: "other.io": field is immutable']),
        ({"spec.scope": "Cluster"}, ['spec.scope: Invalid value: "Cluster": field is immutable']),
        ({"spec.names.kind": "Gadget"}, ['spec.names.kind: Invalid value: "Gadget": field is immutable']),
        ({"spec.names.plural": "gadgets"}, ['spec.names.plural: Invalid value: "gadgets": field is immutable']),
        ({"spec.names.shortNames": ["g"]}, []),
        (
            {"status.storedVersions": ["v1", "v0"]},
            ['status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously'],
        ),
    ],
)
def test_what_may_change_once_a_definition_is_established(changed: Object, expected: list[str]):
    old = created(CUSTOM_RESOURCE_DEFINITION, definition())
    old["status"]["conditions"] = ESTABLISHED
    new = copy.deepcopy(old)
    for path, value in changed.items():
        set_path(new, path, value)
    _rules, rule = CUSTOM_RESOURCE_DEFINITION.strategy.update_rules
    check([f"{one.path}: {one.message}" for one in rule(new, old, context())], expected)
    if "status.storedVersions" not in changed:
        old["status"]["conditions"] = []
        assert list(rule(new, old, context())) == []


def test_a_status_names_the_stored_version():
    status = next(sub for sub in CUSTOM_RESOURCE_DEFINITION.subresources if sub.name == "status")
    new = {**definition(), "status": {"storedVersions": []}}
    (finding,) = status.update_rules[0](new, new, context())
    assert finding.message == "Invalid value: []: must have the storage version v1"
    assert change_findings(CUSTOM_RESOURCE_DEFINITION, definition(), definition(), "status") == []


def test_a_version_that_becomes_the_stored_one_is_remembered():
    new = created(CUSTOM_RESOURCE_DEFINITION, definition(versions=[version("v1", storage=False), version("v2")]))
    new["status"] = {"storedVersions": ["v1"]}
    CUSTOM_RESOURCE_DEFINITION.strategy.update(new, {}, context())
    assert new["status"]["storedVersions"] == ["v1", "v2"]


@pytest.mark.parametrize(
    ("kind", "prefix", "other"),
    [(CUSTOM_RESOURCE_DEFINITION, "kubernetes", "svcapi"), (custom_resource_definition("x-svcapi-"), "svcapi", "kubernetes")],
)
def test_extensions_of_schemas_are_spelled_as_the_dialect_does(kind, prefix: str, other: str):
    schema = {"type": "object", f"x-{prefix}-preserve-unknown-fields": True, f"x-{other}-preserve-unknown-fields": True}
    read, unknown = compile_struct(object_struct(kind.schema)).decode(with_schema(schema))
    assert unknown == [f"{SCHEMA}.x-{other}-preserve-unknown-fields"]
    assert read["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {"type": "object", f"x-{prefix}-preserve-unknown-fields": True}


def test_a_definition_is_the_same_in_protobuf():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "additionalProperties": {"type": "string"}},
            "b": {"type": "object", "additionalProperties": True},
            "c": {"type": "array", "items": {"type": "integer", "default": 3, "enum": [1, None, "x"]}},
            "d": {"type": "number", "minimum": 0.5, "x-kubernetes-validations": [{"rule": "self > 1.0"}]},
            "e": {"type": "object", "dependencies": {"a": ["b"], "c": {"type": "string"}}},
        },
    }
    struct = object_struct(CUSTOM_RESOURCE_DEFINITION.schema)
    read, unknown = compile_struct(struct).decode(with_schema(schema))
    assert unknown == []
    again, _ = compile_struct(struct).decode(decode_message(encode_message(read, struct), struct))
    assert again == read


def test_a_rule_that_is_stored_is_kept_whatever_it_is():
    def with_rule(rule: str) -> Object:
        validations = {"x-kubernetes-validations": [{"rule": rule}]}
        return created(CUSTOM_RESOURCE_DEFINITION, with_spec(properties={"x": {"type": "integer"}}, **validations))

    changed, _ = CUSTOM_RESOURCE_DEFINITION.strategy.update_rules
    old, new = with_rule("self.x == 'a'"), with_rule("self.x == 'a'")
    new["spec"]["names"]["shortNames"] = ["w"]
    assert list(changed(new, old, context())) == []
    (finding,) = changed(with_rule("self.x == 'b'"), old, context())
    assert "found no matching overload for '_==_' applied to '(int, string)'" in finding.message


def test_all_rules_of_a_schema_together_may_not_cost_too_much():
    def with_rules(count: int) -> Object:
        lists = {"type": "array", "items": {"type": "integer"}, "maxItems": 1_000_000}
        rules = [{"rule": f"self.l.all(a, a > {n})"} for n in range(count)]
        return with_spec(properties={"l": lists}, **{"x-kubernetes-validations": rules})

    assert findings(CUSTOM_RESOURCE_DEFINITION, with_rules(10)) == []
    found = findings(CUSTOM_RESOURCE_DEFINITION, with_rules(30))
    assert [".rule: Forbidden: contributed to estimated rule cost total" in one for one in found] == [True] * 4 + [False]
    assert " for entire OpenAPIv3 schema exceeds budget by factor of 1." in found[-1]
    changed, _ = CUSTOM_RESOURCE_DEFINITION.strategy.update_rules
    stored = created(CUSTOM_RESOURCE_DEFINITION, with_rules(30))
    assert list(changed(stored, stored, context())) == []


UNKNOWN = {
    "a": {"type": "string", "format": "int33"},
    "b": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string", "format": "odd"}}},
    "c": {"type": "string", "format": "int33"},
}
KNOWN = {
    "d": {"type": "string", "format": "date-time"},
    "e": {"type": "string", "format": "datetime"},
    "f": {"type": "string", "format": "password"},
    "g": {"type": "integer", "format": "int33"},
    "h": {"type": "number", "format": "double"},
}


def test_formats_of_text_that_nobody_knows_are_warned_of_once_each():
    told = ['unrecognized format "int33"', 'unrecognized format "odd"']
    assert warned(CUSTOM_RESOURCE_DEFINITION, with_spec(properties={**UNKNOWN, **KNOWN})) == told
    assert warned(CUSTOM_RESOURCE_DEFINITION, with_spec(properties=KNOWN)) == []


def test_formats_that_were_there_before_are_not_warned_of_again():
    before, after = with_spec(properties={"a": UNKNOWN["a"]}), with_spec(properties=UNKNOWN)
    (warnings,) = CUSTOM_RESOURCE_DEFINITION.strategy.update_warnings
    assert list(warnings(after, before)) == ['unrecognized format "odd"']
    assert list(warnings(after, after)) == []
