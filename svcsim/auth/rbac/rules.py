"""The rules of a role, and what each allows: the meaning of RBAC in one place, free of where roles come from.

A rule allows a request whose verb, group, resource and name it lists, each list by itself; a star stands for all. Of resources, ``pods`` is
the resource without its subresources, ``pods/log`` one of them, ``*/scale`` that subresource of every resource. Names narrow a rule to
objects of that name, so that a request without one (a list, a create) isn't among them.
"""

from collections.abc import Iterator

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALL, NonResourceRule, ResourceRule
from svcsim.meta.types import Object


def resource_rules(role: Object) -> Iterator[ResourceRule]:
    """What a Role or ClusterRole allows on resources, rule by rule."""
    for rule in role.get("rules") or ():
        if rule.get("resources"):
            verbs, groups, resources, names = (tuple(rule.get(name) or ()) for name in ("verbs", "apiGroups", "resources", "resourceNames"))
            yield ResourceRule(verbs, groups, resources, names)


def non_resource_rules(role: Object) -> Iterator[NonResourceRule]:
    """What a ClusterRole allows on paths, rule by rule."""
    for rule in role.get("rules") or ():
        if rule.get("nonResourceURLs"):
            yield NonResourceRule(tuple(rule.get("verbs") or ()), tuple(rule["nonResourceURLs"]))


def combined(resource: str, subresource: str) -> str:
    """A resource as rules name it."""
    return f"{resource}/{subresource}" if subresource else resource


def allows_path(rule: NonResourceRule, asked: Attributes) -> bool:
    """Whether the rule allows a request about a path."""
    return _lists(rule.verbs, asked.verb) and any(path_matches(path, asked.path) for path in rule.paths)


def path_matches(pattern: str, path: str) -> bool:
    """``/healthz`` is that path, ``/apis/*`` all that begin with ``/apis/``."""
    return pattern == path or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def _lists(values: tuple[str, ...], wanted: str) -> bool:
    return wanted in values or ALL in values
