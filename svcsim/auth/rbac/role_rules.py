"""What a role says, laid out for decisions: made once for each role, and shared by everybody who has it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.auth.authorization import NonResourceRule, ResourceRule
from svcsim.auth.rbac.rules import non_resource_rules, resource_rules
from svcsim.meta.types import Object


class Grant(NamedTuple):
    """Verbs on a resource, by one rule."""

    verbs: frozenset[str]
    names: frozenset[str] | None


class RoleRules(NamedTuple):
    """A role's rules as they stand, and those on resources by group and resource."""

    resources: tuple[ResourceRule, ...] = ()
    paths: tuple[NonResourceRule, ...] = ()
    by_resource: Mapping[tuple[str, str], tuple[tuple[int, Grant], ...]] = MappingProxyType({})
    """Each with its place among the rules."""
    size: int = 1
    """How many places of tables it takes."""


def role_rules(role: Object) -> RoleRules:
    """The rules of a Role or ClusterRole."""
    return laid_out(tuple(resource_rules(role)), tuple(non_resource_rules(role)))


def laid_out(resources: tuple[ResourceRule, ...], paths: tuple[NonResourceRule, ...]) -> RoleRules:
    """These rules, as those of one role."""
    table: dict[tuple[str, str], tuple[tuple[int, Grant], ...]] = {}
    for place, rule in enumerate(resources):
        grant = Grant(frozenset(rule.verbs), frozenset(rule.names) if rule.names else None)
        for group in dict.fromkeys(rule.groups):
            for resource in dict.fromkeys(rule.resources):
                table[group, resource] = (*table.get((group, resource), ()), (place, grant))
    size = len(table) + sum(len(rule.verbs) + len(rule.names) for rule in resources) + sum(len(rule.paths) for rule in paths)
    return RoleRules(resources, paths, table, size + 1)
