"""What somebody's bindings come to, laid out so that one decision is a few looks into a table however many bindings there are."""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALL, NonResourceRule, ResourceRule
from svcsim.auth.rbac.bindings import Bound
from svcsim.auth.rbac.rules import allows_path, combined


class _Grant(NamedTuple):
    """Verbs on one resource, by one rule."""

    order: int
    verbs: frozenset[str]
    names: frozenset[str] | None
    source: str


class Grants:
    """Everything that some bindings allow."""

    def __init__(self, bindings: Iterable[Bound]) -> None:
        self._by_resource: dict[tuple[str, str], list[_Grant]] = {}
        self._by_path: list[tuple[NonResourceRule, str]] = []
        self.rules: list[ResourceRule] = []
        self.errors: dict[str, None] = {}
        """Why some of the roles couldn't be followed, each once."""
        self.size = 0
        """How many places of tables it takes."""
        for bound in bindings:
            if bound.error:
                self.errors[bound.error] = None
            for rule in bound.resources:
                self._add(rule, bound.source)
            self._by_path += ((rule, bound.source) for rule in bound.paths)
            self.size += 1 + sum(len(rule.paths) + len(rule.verbs) for rule in bound.paths)

    def _add(self, rule: ResourceRule, source: str) -> None:
        self.rules.append(rule)
        grant = _Grant(len(self.rules), frozenset(rule.verbs), frozenset(rule.names) if rule.names else None, source)
        for group in rule.groups:
            for resource in rule.resources:
                self._by_resource.setdefault((group, resource), []).append(grant)
        self.size += len(rule.groups) * len(rule.resources) + len(rule.verbs) + len(rule.names)

    @property
    def paths(self) -> tuple[NonResourceRule, ...]:
        """What is allowed on paths, rule by rule."""
        return tuple(rule for rule, _ in self._by_path)

    def source_of(self, asked: Attributes) -> str | None:
        """The binding that allows a request; None where none does. Where several do, the first."""
        if not asked.is_resource:
            return next((source for rule, source in self._by_path if allows_path(rule, asked)), None)
        found: _Grant | None = None
        for key in _keys(asked):
            for grant in self._by_resource.get(key, ()):
                if found is not None and grant.order >= found.order:
                    break
                if (asked.verb in grant.verbs or ALL in grant.verbs) and (grant.names is None or asked.name in grant.names):
                    found = grant
                    break
        return None if found is None else found.source


def _keys(asked: Attributes) -> tuple[tuple[str, str], ...]:
    """Under which a rule stands that may allow this."""
    group, resource, subresource = asked.group, asked.resource, asked.subresource
    if not subresource:
        return ((group, resource), (group, ALL), (ALL, resource), (ALL, ALL))
    named, every = combined(resource, subresource), f"{ALL}/{subresource}"
    return ((group, named), (group, ALL), (ALL, named), (ALL, ALL), (group, every), (ALL, every))
