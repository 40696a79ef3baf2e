"""What makes right which requests are meant, by whom parameters are brought, and under what conditions."""

import re
from collections.abc import Iterable, Iterator

from svcsim.kinds.admissionregistration.expression_rules import expression_rules
from svcsim.kinds.admissionregistration.expressions import BOOL, Scope
from svcsim.kinds.shared.checks import each, named, one_of, repeated
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, too_many, unsupported
from svcsim.meta.names import dns_1035_label, dns_subdomain, path_segment, qualified_name
from svcsim.meta.types import Json, Object

FAILURE_POLICIES = ("Fail", "Ignore")
MATCH_POLICIES = ("Equivalent", "Exact")
_ALL = "*"
_OPERATIONS = (_ALL, "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = (_ALL, "Cluster", "Namespaced")
_MAX_CONDITIONS = 64
_IDENTIFIER = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*", re.ASCII)
_RESERVED = (
    *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"),
    *("loop", "package", "namespace", "return", "var", "void", "while"),
)


def rule_rules(rule: Json, path: str) -> Iterator[FieldError]:
    """Operations, groups, versions and resources, of each at least one; all of them is said alone."""
    operations = rule.get("operations") or []
    yield from _some(operations, f"{path}.operations", "operations")
    for index, operation in enumerate(operations):
        yield from one_of(*_OPERATIONS)(operation, f"{path}.operations[{index}]")
    yield from _some(rule.get("apiGroups") or [], f"{path}.apiGroups", "API groups")
    versions = rule.get("apiVersions") or []
    yield from _some(versions, f"{path}.apiVersions", "API versions")
    yield from (required(f"{path}.apiVersions[{index}]") for index, version in enumerate(versions) if not version)
    yield from _resources(rule.get("resources") or [], f"{path}.resources")
    if rule.get("scope") is not None:
        yield from one_of(*_SCOPES)(rule["scope"], f"{path}.scope")


def _some(values: list[str], path: str, what: str) -> Iterator[FieldError]:
    if not values:
        yield required(path)
    if len(values) > 1 and _ALL in values:
        yield invalid_value(path, values, f"if '*' is present, must not specify other {what}")


def _resources(resources: list[str], path: str) -> Iterator[FieldError]:
    """``pods/*`` and ``*/scale`` leave no room for what they include."""
    if not resources:
        yield required(path)
    all_subresources_of: set[str] = set()
    subresource_of_all: set[str] = set()
    last_alone = ""
    for index, one in enumerate(resources):
        where = f"{path}[{index}]"
        if not one:
            yield required(where)
            continue
        resource, slash, subresource = one.partition("/")
        if not slash:
            last_alone = one
            continue
        if resource in all_subresources_of:
            yield invalid_value(where, one, f"if '{resource}/*' is present, must not specify {one}")
        if subresource in subresource_of_all:
            yield invalid_value(where, one, f"if '*/{subresource}' is present, must not specify {one}")
        if subresource == _ALL:
            all_subresources_of.add(resource)
        if resource == _ALL:
            subresource_of_all.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        yield invalid_value(path, resources, "if '*/*' is present, must not specify other resources")
    if _ALL in resources and last_alone not in ("", _ALL):
        yield invalid_value(path, resources, "if '*' is present, must not specify other resources without subresources")


def match_resources_rules(match: Json, path: str) -> Iterator[FieldError]:
    """The policy, and the names of objects; what rules and selectors say of themselves comes beside this."""
    yield from one_of(*MATCH_POLICIES)(match.get("matchPolicy") or "", f"{path}.matchPolicy")
    for field in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(match.get(field) or ()):
            names = rule.get("resourceNames") or []
            where = f"{path}.{field}[{index}].resourceNames"
            yield from each(named(path_segment))(names, where)
            yield from (duplicate(f"{where}[{position}]", name) for position, name in repeated(names))


def constraint_rules(spec: Object, path: str) -> Iterator[FieldError]:
    """The rules of a policy's ``matchConstraints``, which must match something."""
    match = spec.get("matchConstraints")
    if match is None:
        yield required(f"{path}.matchConstraints")
    elif not match.get("resourceRules"):
        yield required(f"{path}.matchConstraints.resourceRules")


def mutable_operations(match: Object | None, path: str) -> Iterator[FieldError]:
    """What is deleted can't be changed any more."""
    allowed = tuple(operation for operation in _OPERATIONS if operation != "DELETE")
    for rule in (match or {}).get("resourceRules") or ():
        for operation in rule.get("operations") or ():
            if operation not in allowed:
                yield unsupported(f"{path}.resourceRules.operations", operation, allowed)


def param_kind_rules(kind: Json, path: str) -> Iterator[FieldError]:
    version, name = kind.get("apiVersion") or "", kind.get("kind") or ""
    if not version:
        yield required(f"{path}.apiVersion")
    elif version.count("/") > 1:
        yield invalid_value(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    else:
        group, _, bare = version.rpartition("/")
        if findings := dns_subdomain(group) if group else []:
            yield invalid_value(f"{path}.apiVersion", group, ",".join(findings))
        if not bare:
            yield invalid_value(f"{path}.apiVersion", version, "version must be specified")
        elif findings := dns_1035_label(bare):
            yield invalid_value(f"{path}.apiVersion", bare, ",".join(findings))
    if not name:
        yield required(f"{path}.kind")
    elif findings := dns_1035_label(name.lower()):
        yield invalid_value(f"{path}.kind", name, "may have mixed case, but should otherwise match: " + ",".join(findings))


def param_ref_rules(reference: Json, path: str) -> Iterator[FieldError]:
    """By name or by selector, one of both."""
    name, selector, action = reference.get("name"), reference.get("selector"), reference.get("parameterNotFoundAction")
    yield from named(path_segment)(name, f"{path}.name")
    if name and selector is not None:
        yield from (forbidden_field(f"{path}.{field}", "name and selector are mutually exclusive") for field in ("name", "selector"))
    if not name and selector is None:
        yield required(path, "one of name or selector must be specified")
    if not action:
        yield required(f"{path}.parameterNotFoundAction")
    else:
        yield from one_of("Deny", "Allow")(action, f"{path}.parameterNotFoundAction")


def match_condition_rules(conditions: Iterable[Object], path: str, scope: Scope) -> Iterator[FieldError]:
    found = list(conditions)
    if len(found) > _MAX_CONDITIONS:
        yield too_many(path, len(found), _MAX_CONDITIONS)
        return
    for index, condition in enumerate(found):
        where, name, expression = f"{path}[{index}]", condition["name"], condition["expression"].strip()
        if not expression:
            yield required(f"{where}.expression")
        else:
            yield from expression_rules(expression, f"{where}.expression", scope, BOOL)
        if not name:
            yield required(f"{where}.name")
        yield from named(qualified_name)(name, f"{where}.name")
    names = (condition["name"] for condition in found)
    yield from (duplicate(f"{path}[{index}].name", name) for index, name in repeated(names) if name)


def variable_rules(variables: Iterable[Object], path: str, scope: Scope) -> Iterator[FieldError]:
    """The rules of variables, which may use those before them."""
    known: dict[str, str] = {}
    scope = scope._replace(variables=known)
    for index, variable in enumerate(variables):
        where, name, expression = f"{path}[{index}]", variable["name"], variable["expression"]
        if not name.strip():
            yield required(f"{where}.name", "name is not specified")
        elif not _IDENTIFIER.fullmatch(name) or name in _RESERVED:
            yield invalid_value(f"{where}.name", name, "name is not a valid CEL identifier")
        if not expression.strip():
            yield required(f"{where}.expression", "expression is not specified")
        else:
            yield from expression_rules(expression, f"{where}.expression", scope)
        known[name] = expression
