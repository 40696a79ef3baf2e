"""Whether a user's rights cover some rules, and which they don't: users can't grant rights that they don't have themselves.

A rule is split into single rights (one verb on one resource of one group, of one name if it has names), and each is checked like a request;
only a star covers a star. Missing rights that differ only in their verbs are reported together.
"""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import NonResourceRule, ResourceRule, Rules
from svcsim.auth.rbac.bindings import Bound
from svcsim.auth.rbac.grants import Grants
from svcsim.auth.rbac.role_rules import laid_out
from svcsim.auth.rbac.rules import non_resource_rules, resource_rules
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object, User

_NOBODY = User("", ())


class Right(NamedTuple):
    """Verbs on resources or on paths, as a rule has them."""

    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``{APIGroups:[""], Resources:["pods"], Verbs:["get"]}``: a rule in one line."""
        parts = zip(("APIGroups", "Resources", "NonResourceURLs", "ResourceNames", "Verbs"), self, strict=True)
        return "{" + ", ".join(f"{name}:[{' '.join(map(quoted, values))}]" for name, values in parts if values) + "}"

    def as_rule(self) -> Object:
        """As it stands in a role."""
        names = ("apiGroups", "resources", "nonResourceURLs", "resourceNames", "verbs")
        return {name: list(values) for name, values in zip(names, self, strict=True) if values}


def rules_of(role: Object) -> Rules:
    """The rules of a role, or of anything with ``rules``."""
    return Rules(tuple(resource_rules(role)), tuple(non_resource_rules(role)))


def single_uncovered(has: Rules, role: Object) -> list[Right]:
    """The rights of a role that others' rules don't give, one by one."""
    grants = Grants([Bound({"metadata": {}}, (), laid_out(has.resources, has.non_resources))])
    return [right for right in _rights(role) if not _covers(grants, right)]


def uncovered(has: Rules, role: Object) -> list[Right]:
    """The rights of a role that others' rules don't give; those that differ in their verbs alone together."""
    verbs: dict[Right, dict[str, None]] = {}
    for right in single_uncovered(has, role):
        verbs.setdefault(right._replace(verbs=()), {}).update(dict.fromkeys(right.verbs))
    return [where._replace(verbs=tuple(which)) for where, which in verbs.items()]


def _rights(role: Object) -> Iterator[Right]:
    """Every single right, but those of a rule that has too many of them: it counts as one, which only a rule for everything covers."""
    left = limits.RIGHTS_COMPARED
    for rule in resource_rules(role):
        left -= prod(map(len, (rule.groups, rule.resources, rule.verbs, rule.names or ("",))))
        yield from _of_resources(rule) if left >= 0 else (Right(rule.groups, rule.resources, (), rule.names, rule.verbs),)
    for paths in non_resource_rules(role):
        left -= len(paths.paths) * len(paths.verbs)
        yield from _of_paths(paths) if left >= 0 else (Right(paths=paths.paths, verbs=paths.verbs),)


def _of_resources(rule: ResourceRule) -> Iterator[Right]:
    for group, resource, name, verb in product(rule.groups, rule.resources, rule.names or ("",), rule.verbs):
        yield Right((group,), (resource,), (), (name,) if name else (), (verb,))


def _of_paths(rule: NonResourceRule) -> Iterator[Right]:
    for path, verb in product(rule.paths, rule.verbs):
        yield Right(paths=(path,), verbs=(verb,))


def _covers(grants: Grants, right: Right) -> bool:
    """A right is asked about like the request it would allow; one that is many is everything."""
    if max(map(len, right)) > 1:
        asked = Attributes(_NOBODY, "*", path="*") if right.paths else Attributes(_NOBODY, "*", "*", resource="*")
    elif right.paths:
        asked = Attributes(_NOBODY, right.verbs[0], path=right.paths[0])
    else:
        resource, _, subresource = right.resources[0].partition("/")
        name = right.names[0] if right.names else ""
        asked = Attributes(_NOBODY, right.verbs[0], right.groups[0], resource=resource, subresource=subresource, name=name)
    return grants.allow(asked)
