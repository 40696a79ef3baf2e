"""What makes admission policies and their bindings right: expressions that can be compiled, in their places."""

import re
from collections.abc import Iterator

from svcsim.kinds.admissionregistration.expression_rules import expression_rules
from svcsim.kinds.admissionregistration.expressions import BOOL, OBJECT, OPERATIONS, STRING, STRING_OR_NULL, Scope
from svcsim.kinds.admissionregistration.match_rules import (
    FAILURE_POLICIES,
    constraint_rules,
    match_condition_rules,
    mutable_operations,
    variable_rules,
)
from svcsim.kinds.shared.checks import named, one_of, repeated
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required
from svcsim.meta.names import dns_subdomain, qualified_name
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS = ("Audit", "Deny", "Warn")
_REINVOCATION_POLICIES = ("IfNeeded", "Never")
_MAX_AUDIT_ANNOTATIONS = 20
_MAX_VALUE_EXPRESSION = 5 * 1024
_LINE_BREAK = re.compile(r"[\n\r]")
_NOTHING = "validations or auditAnnotations must contain at least one item"
_BOTH = (
    "must not contain both Deny and Warn "
    "(repeating the same validation failure information in the API response and headers serves no purpose)"
)


def _head(spec: Object, path: str, stored: frozenset[str]) -> Iterator[FieldError]:
    """What all policies begin with."""
    yield from one_of(*FAILURE_POLICIES)(spec["failurePolicy"], f"{path}.failurePolicy")
    yield from constraint_rules(spec, path)
    scope = _scope(spec, stored)._replace(variables=None)
    yield from match_condition_rules(spec.get("matchConditions") or (), f"{path}.matchConditions", scope)
    yield from variable_rules(spec.get("variables") or (), f"{path}.variables", scope)


def _scope(spec: Object, stored: frozenset[str]) -> Scope:
    variables = {variable["name"]: variable["expression"] for variable in spec.get("variables") or ()}
    return Scope(spec.get("paramKind") is not None, variables=variables or None, types={}, stored=stored)


def validating_policy(spec: Object, stored: frozenset[str]) -> Iterator[FieldError]:
    """All that is wrong with what a policy is about, and what it refuses."""
    path = "spec"
    yield from _head(spec, path, stored)
    validations, annotations, scope = spec.get("validations") or (), spec.get("auditAnnotations") or (), _scope(spec, stored)
    if not validations and not annotations:
        yield from (required(f"{path}.{field}", _NOTHING) for field in ("validations", "auditAnnotations"))
    for index, validation in enumerate(validations):
        yield from _validation(validation, f"{path}.validations[{index}]", scope)
    if len(annotations) > _MAX_AUDIT_ANNOTATIONS:
        detail = f"must not have more than {_MAX_AUDIT_ANNOTATIONS} auditAnnotations"
        yield invalid_value(f"{path}.auditAnnotations", annotations, detail)
        return
    for index, annotation in enumerate(annotations):
        where = f"{path}.auditAnnotations[{index}]"
        yield from _value_expression(annotation["valueExpression"], f"{where}.valueExpression", scope)
    keys = (annotation["key"] for annotation in annotations)
    yield from (duplicate(f"{path}.auditAnnotations[{index}].key", key) for index, key in repeated(keys))


def _validation(validation: Object, path: str, scope: Scope) -> Iterator[FieldError]:
    expression, message_expression = validation["expression"], validation.get("messageExpression") or ""
    if not expression.strip():
        yield required(f"{path}.expression", "expression is not specified")
    else:
        yield from expression_rules(expression, f"{path}.expression", scope, BOOL)
    if message_expression.strip():
        yield from expression_rules(message_expression, f"{path}.messageExpression", scope._replace(authorizer=False), STRING)
    elif message_expression:
        yield invalid_value(f"{path}.messageExpression", message_expression, "must be non-empty if specified")
    message = validation.get("message") or ""
    if message and not message.strip():
        yield invalid_value(f"{path}.message", message, "message must be non-empty if specified")
    elif _LINE_BREAK.search(message.strip()):
        yield invalid_value(f"{path}.message", message, "message must not contain line breaks")
    if validation.get("reason") is not None:
        yield from one_of(*_REASONS)(validation["reason"], f"{path}.reason")


def _value_expression(expression: str, path: str, scope: Scope) -> Iterator[FieldError]:
    if not expression.strip():
        yield required(path, "valueExpression is not specified")
    elif len(expression.strip()) > _MAX_VALUE_EXPRESSION:
        yield required(path, f"must not exceed {_MAX_VALUE_EXPRESSION} bytes in length")
    else:
        yield from expression_rules(expression.strip(), path, scope, STRING_OR_NULL)


def annotation_keys(policy: Object, context: Context) -> Iterator[FieldError]:
    """Audit annotations are named after the policy."""
    for index, annotation in enumerate(policy["spec"].get("auditAnnotations") or ()):
        key = f"{policy['metadata'].get('name', '')}/{annotation['key']}"
        yield from named(qualified_name)(key, f"spec.auditAnnotations[{index}].key")


def warning_rules(warning: Json, path: str) -> Iterator[FieldError]:
    """What type checking has to say of an expression names it, and says something."""
    if not warning["warning"]:
        yield required(f"{path}.warning")
    if not warning["fieldRef"].strip():
        yield required(f"{path}.fieldRef")


def mutating_policy(spec: Object, stored: frozenset[str]) -> Iterator[FieldError]:
    """All that is wrong with what a policy is about, and what it changes."""
    path = "spec"
    yield from _head(spec, path, stored)
    yield from mutable_operations(spec.get("matchConstraints"), f"{path}.matchConstraints")
    mutations = spec.get("mutations") or ()
    if not mutations:
        yield required(f"{path}.mutations", "mutations must contain at least one item")
    for index, mutation in enumerate(mutations):
        yield from _mutation(mutation, f"{path}.mutations[{index}]", _scope(spec, stored))
    if not spec.get("reinvocationPolicy"):
        yield required(f"{path}.reinvocationPolicy")
    else:
        yield from one_of(*_REINVOCATION_POLICIES)(spec["reinvocationPolicy"], f"{path}.reinvocationPolicy")


_PATCHES = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}
"""The types of patches, and the fields that hold them."""
_RESULTS = {"ApplyConfiguration": OBJECT, "JSONPatch": OPERATIONS}


def _mutation(mutation: Object, path: str, scope: Scope) -> Iterator[FieldError]:
    kind = mutation["patchType"]
    if not kind:
        yield required(f"{path}.patchType")
        return
    if kind not in _PATCHES:
        yield from one_of(*_PATCHES)(kind, f"{path}.patchType")
        return
    for name in _PATCHES.values():
        if name != _PATCHES[kind] and mutation.get(name) is not None:
            yield invalid_value(f"{path}.{name}", f"{{{name}}}", f"must not be specified when patchType is {kind}")
    wanted = mutation.get(_PATCHES[kind])
    where = f"{path}.{_PATCHES[kind]}"
    if wanted is None:
        yield required(where, f"must be specified when patchType is {kind}")
    elif not (wanted.get("expression") or "").strip():
        yield required(f"{where}.expression", "expression is not specified")
    else:
        yield from expression_rules(wanted["expression"], f"{where}.expression", scope._replace(constructs=True), _RESULTS[kind])


def binding_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """The rules of every binding: it names a policy."""
    name = spec.get("policyName")
    if not name:
        yield required(f"{path}.policyName")
    yield from named(dns_subdomain)(name, f"{path}.policyName")


def action_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """What follows where a policy isn't met: something, and nothing twice."""
    actions = spec.get("validationActions") or []
    for index, action in enumerate(actions):
        yield from one_of(*_ACTIONS)(action, f"{path}.validationActions[{index}]")
    yield from (duplicate(f"{path}.validationActions[{index}]", action) for index, action in repeated(actions))
    if "Deny" in actions and "Warn" in actions:
        yield invalid_value(f"{path}.validationActions", actions, _BOTH)


def mutating_binding_rules(spec: Json, path: str) -> Iterator[FieldError]:
    yield from mutable_operations(spec.get("matchResources"), f"{path}.matchResources")
