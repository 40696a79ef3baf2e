"""The combined rights of a user's bindings: a decision is a few looks into a table, however many bindings there are.

The table is filled on demand: for each requested group and resource, it has the rules about it from all the bindings. So the first request
after a change costs one look at each binding, not a full evaluation of all of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import ALL, Decision, NonResourceRule, ResourceRule, Verdict
from svcsim.auth.premise import Premise
from svcsim.auth.rbac.bindings import Bound
from svcsim.auth.rbac.role_rules import Grant
from svcsim.auth.rbac.rules import allows_path, combined

_PLACES_EACH = 6
"""The size of a binding: itself, and the text of a decision by it."""


class _Found(NamedTuple):
    """A rule about what was asked for: where it stands among all, and whose it is."""

    binding: int
    place: int
    grant: Grant


class Grants:
    """Everything that some bindings allow."""

    def __init__(self, bindings: Iterable[Bound], premise: Premise | None = None) -> None:
        """``premise`` is what the bindings, and what they come to, rest on."""
        self._bindings = tuple(bindings)
        self._premise = premise
        self._by_key: dict[tuple[str, str], tuple[_Found, ...]] = {}
        self._decisions: dict[int, Decision] = {}
        """By the binding."""
        self.size = _PLACES_EACH * len(self._bindings) + limits.RBAC_ASKED_KEPT
        """How many places of tables it takes at the most."""

    @property
    def errors(self) -> dict[str, None]:
        """Why some of the roles couldn't be followed, each once."""
        return dict.fromkeys(bound.error for bound in self._bindings if bound.error)

    @property
    def rules(self) -> tuple[ResourceRule, ...]:
        """What is allowed on resources, rule by rule."""
        return tuple(rule for bound in self._bindings for rule in bound.rules.resources)

    @property
    def paths(self) -> tuple[NonResourceRule, ...]:
        """What is allowed on paths, rule by rule."""
        return tuple(rule for bound in self._bindings for rule in bound.paths)

    def decision(self, asked: Attributes) -> Decision | None:
        """That the first binding allows a request which does, and which that is; None where none does."""
        number = self._first(asked)
        if number is None:
            return None
        known = self._decisions.get(number)
        if known is None:  # what is told of it is the same each time, and costs more than finding it
            known = self._decisions[number] = Decision(
                Verdict.ALLOW, f"RBAC: allowed by {self._bindings[number].source}", premise=self._premise
            )
        return known

    def allow(self, asked: Attributes) -> bool:
        """Whether any of the bindings allows a request."""
        return self._first(asked) is not None

    def _first(self, asked: Attributes) -> int | None:
        if not asked.is_resource:
            paths = (number for number, bound in enumerate(self._bindings) if any(allows_path(rule, asked) for rule in bound.paths))
            return next(paths, None)
        first: _Found | None = None
        for key in _keys(asked):
            for found in self._about(key):
                if first is not None and (found.binding, found.place) >= (first.binding, first.place):
                    break
                grant = found.grant
                if (asked.verb in grant.verbs or ALL in grant.verbs) and (grant.names is None or asked.name in grant.names):
                    first = found
                    break
        return None if first is None else first.binding

    def _about(self, key: tuple[str, str]) -> tuple[_Found, ...]:
        known = self._by_key.get(key)
        if known is not None:
            return known
        found = tuple(
            [
                _Found(number, place, grant)
                for number, bound in enumerate(self._bindings)
                for place, grant in bound.rules.by_resource.get(key, ())
            ]
        )
        if len(key[0]) + len(key[1]) <= limits.RBAC_ASKED_CHARS:
            if len(self._by_key) >= limits.RBAC_ASKED_KEPT:
                self._by_key.clear()
            self._by_key[key] = found
        return found


def _keys(asked: Attributes) -> tuple[tuple[str, str], ...]:
    """Under which a rule stands that may allow this."""
    group, resource, subresource = asked.group, asked.resource, asked.subresource
    if not subresource:
        return ((group, resource), (group, ALL), (ALL, resource), (ALL, ALL))
    named, every = combined(resource, subresource), f"{ALL}/{subresource}"
    return ((group, named), (group, ALL), (ALL, named), (ALL, ALL), (group, every), (ALL, every))
