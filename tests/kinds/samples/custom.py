"""Full objects of the group apiextensions. ``{extension}`` is the prefix of a schema's extensions, ``{name}`` a fresh name."""

from typing import Any

_AMOUNT = {
    "type": "number",
    "format": "double",
    "title": "Amount",
    "description": "An amount",
    "default": 2.5,
    "maximum": 9.5,
    "exclusiveMaximum": True,
    "minimum": 1.5,
    "exclusiveMinimum": True,
    "multipleOf": 0.5,
    "example": 3,
    "externalDocs": {"description": "More of it", "url": "https://example.com/amounts"},
}
_WORD = {
    "type": "string",
    "format": "hostname",
    "maxLength": 63,
    "minLength": 1,
    "pattern": "^[a-z]+$",
    "enum": ["red", "green"],
    "nullable": True,
    "not": {"pattern": "^no"},
}
_RULE = {
    "rule": "!oldSelf.hasValue() || self.size >= oldSelf.value().size",
    "message": "it doesn't shrink",
    "messageExpression": "'it was larger than ' + string(self.size)",
    "reason": "FieldValueForbidden",
    "fieldPath": ".size",
    "optionalOldSelf": True,
}
_SPEC = {
    "type": "object",
    "required": ["size"],
    "minProperties": 1,
    "maxProperties": 20,
    "{extension}map-type": "granular",
    "{extension}validations": [_RULE],
    "allOf": [{"required": ["size"]}],
    "oneOf": [{"required": ["word"]}, {"required": ["amount"]}],
    "properties": {
        "size": {"type": "integer", "format": "int64", "minimum": 0},
        "colour": {"type": "string"},
        "amount": _AMOUNT,
        "word": _WORD,
        "port": {"{extension}int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "any": {"type": "object", "additionalProperties": True},
        "notes": {"type": "object", "{extension}preserve-unknown-fields": True},
        "template": {"type": "object", "{extension}embedded-resource": True, "{extension}preserve-unknown-fields": True},
        "parts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 5,
            "{extension}list-type": "map",
            "{extension}list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        },
        "tags": {"type": "array", "{extension}list-type": "set", "items": {"type": "string"}},
    },
}
_SCHEMA = {
    "$schema": "https://json-schema.org/draft-04/schema#",
    "type": "object",
    "description": "A widget",
    "properties": {
        "spec": _SPEC,
        "status": {"type": "object", "properties": {"size": {"type": "integer"}, "selector": {"type": "string"}}},
    },
}
_NAMES = {
    "plural": "{name}",
    "singular": "{name}",
    "shortNames": ["{name}s"],
    "kind": "{name}",
    "listKind": "{name}-list",
    "categories": ["full"],
}

FULL: dict[str, dict[str, Any]] = {
    "apiextensions/v1 CustomResourceDefinition": {
        "metadata": {"name": "{name}.full.example.com"},
        "spec": {
            "group": "full.example.com",
            "names": _NAMES,
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": _SCHEMA},
                    "subresources": {
                        "status": {},
                        "scale": {
                            "specReplicasPath": ".spec.size",
                            "statusReplicasPath": ".status.size",
                            "labelSelectorPath": ".status.selector",
                        },
                    },
                    "additionalPrinterColumns": [
                        {
                            "name": "Size",
                            "type": "integer",
                            "format": "int64",
                            "description": "How large it is",
                            "priority": 1,
                            "jsonPath": ".spec.size",
                        }
                    ],
                    "selectableFields": [{"jsonPath": ".spec.colour"}],
                },
                {
                    "name": "v1beta1",
                    "served": True,
                    "storage": False,
                    "deprecated": True,
                    "deprecationWarning": "use v1 instead",
                    "schema": {"openAPIV3Schema": {"type": "object", "{extension}preserve-unknown-fields": True}},
                },
            ],
            "conversion": {
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {
                        "caBundle": "Q0VSVA==",
                        "service": {"namespace": "default", "name": "converter", "path": "/convert", "port": 8443},
                    },
                },
            },
        },
    }
}
