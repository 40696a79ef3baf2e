"""The file of an audit policy: read whole at the start, and refused in one line where it can't be followed."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_yaml_strict
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.errors import FieldError, StatusError, invalid_part, invalid_value, required, unsupported
from svcsim.meta.files import read_file
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json, Object
from svcsim.server.audit.policy import ALL, LEVELS, STAGES, GroupResources, Level, Policy, Recording, Rule

OPTION = "--audit-policy-file"
_STRINGS, _BOOLEAN, _OBJECTS, _OBJECT, _STRING = "a list of strings", "true or false", "a list of maps", "a map", "a string"
_POLICY = {
    "apiVersion": _STRING,
    "kind": _STRING,
    "metadata": _OBJECT,
    "rules": _OBJECTS,
    "omitStages": _STRINGS,
    "omitManagedFields": _BOOLEAN,
}
_RULE = {
    "level": _STRING,
    "users": _STRINGS,
    "userGroups": _STRINGS,
    "verbs": _STRINGS,
    "resources": _OBJECTS,
    "namespaces": _STRINGS,
    "nonResourceURLs": _STRINGS,
    "omitStages": _STRINGS,
    "omitManagedFields": _BOOLEAN,
}
_RESOURCES = {"group": _STRING, "resources": _STRINGS, "resourceNames": _STRINGS}
_IS: dict[str, Callable[[Json], bool]] = {
    _STRING: lambda value: isinstance(value, str),
    _BOOLEAN: lambda value: isinstance(value, bool),
    _OBJECT: lambda value: isinstance(value, dict),
    _STRINGS: lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    _OBJECTS: lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
}

Findings: TypeAlias = Iterator[FieldError]


def read_policy(path: Path, dialect: Dialect) -> Policy:
    """The policy that a file holds. Raises `ConfigurationError`."""
    try:
        value, duplicates = decode_yaml_strict(read_file(path))
    except OSError as error:
        raise ConfigurationError(f"{OPTION}: can't read {path}: {(error.strerror or str(error)).lower()}") from error
    except StatusError as error:
        raise ConfigurationError(f"{OPTION} {path}: {error.message}") from error
    if not isinstance(value, dict):
        raise ConfigurationError(f"{OPTION} {path}: expected a map with apiVersion, kind and rules")
    found = [*duplicates, *(f"{finding.path}: {finding.message}" for finding in chain(_shape(value), _head(value, dialect)))]
    if not found:
        found = [f"{finding.path}: {finding.message}" for finding in _rule_findings(value)]
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise ConfigurationError(f"{OPTION} {path}: {found[0]}{more}")
    return _policy(value)


def _shape(value: Object) -> Findings:
    """Fields that nobody knows, and those of another type than they have."""
    yield from _fields(value, _POLICY, "")
    for index, rule in enumerate(_maps(value.get("rules"))):
        yield from _fields(rule, _RULE, f"rules[{index}].")
        for place, resources in enumerate(_maps(rule.get("resources"))):
            yield from _fields(resources, _RESOURCES, f"rules[{index}].resources[{place}].")


def _maps(value: Json) -> list[Object]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _fields(value: Object, known: dict[str, str], prefix: str) -> Findings:
    for name, inner in value.items():
        if name not in known:
            yield invalid_part(f"{prefix}{name}", "there is no such field")
        elif inner is not None and not _IS[known[name]](inner):
            yield invalid_value(f"{prefix}{name}", inner, f"must be {known[name]}")


def _head(value: Object, dialect: Dialect) -> Findings:
    version = f"{dialect.group('audit')}/v1"
    if value.get("apiVersion") != version:
        yield unsupported("apiVersion", value.get("apiVersion") or "", (version,))
    if value.get("kind") != "Policy":
        yield unsupported("kind", value.get("kind") or "", ("Policy",))
    if not value.get("rules"):
        yield required("rules", "a policy without rules would record nothing")


def _rule_findings(value: Object) -> Findings:
    yield from _stages(value, "omitStages")
    for index, rule in enumerate(value["rules"]):
        where = f"rules[{index}]"
        level = rule.get("level") or ""
        if not level:
            yield required(f"{where}.level", f"one of {', '.join(LEVELS)}")
        elif level not in LEVELS:
            yield unsupported(f"{where}.level", level, LEVELS)
        yield from _paths(rule, where)
        for place, resources in enumerate(rule.get("resources") or ()):
            yield from _resources(resources, f"{where}.resources[{place}]")
        yield from _stages(rule, f"{where}.omitStages")


def _stages(value: Object, where: str) -> Findings:
    for index, stage in enumerate(value.get("omitStages") or ()):
        if stage not in STAGES:
            yield invalid_value(f"{where}[{index}]", stage, f"allowed stages are {','.join(STAGES)}")


def _paths(rule: Object, where: str) -> Findings:
    paths: list[str] = rule.get("nonResourceURLs") or []
    for index, path in enumerate(paths):
        if path != ALL and not path.startswith("/"):
            yield invalid_value(f"{where}.nonResourceURLs[{index}]", path, "non-resource URL rules must begin with a '/' character")
        if ALL in path[:-1]:
            why = "non-resource URL wildcards '*' must be the final character of the rule"
            yield invalid_value(f"{where}.nonResourceURLs[{index}]", path, why)
    if paths and (rule.get("resources") or rule.get("namespaces")):
        yield invalid_value(f"{where}.nonResourceURLs", paths, "rules cannot apply to both regular resources and non-resource URLs")


def _resources(given: Object, where: str) -> Findings:
    group = given.get("group") or ""
    if group:
        yield from (invalid_value(f"{where}.group", group, why) for why in dns_subdomain(group))
    if given.get("resourceNames") and not given.get("resources"):
        yield invalid_value(f"{where}.resourceNames", given["resourceNames"], "using resourceNames requires at least one resource")


def _policy(value: Object) -> Policy:
    """A policy that is known to be good."""
    stages = tuple(value.get("omitStages") or ())
    without_managers = bool(value.get("omitManagedFields"))
    return Policy(
        tuple(_rule(rule, stages, without_managers=without_managers) for rule in value["rules"]),
        Recording(Level.NONE, frozenset(stages), without_managers),
    )


def _rule(value: Object, stages: tuple[str, ...], *, without_managers: bool) -> Rule:
    def listed(name: str) -> tuple[str, ...]:
        return tuple(value.get(name) or ())

    own = value.get("omitManagedFields")
    return Rule(
        Recording(
            Level(LEVELS.index(value["level"])),
            frozenset((*stages, *listed("omitStages"))),
            without_managers if own is None else own,
        ),
        listed("users"),
        listed("userGroups"),
        listed("verbs"),
        tuple(_group_resources(one) for one in value.get("resources") or ()),
        listed("namespaces"),
        listed("nonResourceURLs"),
    )


def _group_resources(value: Object) -> GroupResources:
    return GroupResources(value.get("group") or "", tuple(value.get("resources") or ()), tuple(value.get("resourceNames") or ()))
