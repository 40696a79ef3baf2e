"""The RBAC authorizer: allowed is what a binding gives; on everything else it has no opinion.

The combined rights of a user's bindings are cached until a role or a binding changes: they are the same for thousands of requests, and the
cost of combining them grows with the number of bindings.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeAlias

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Decision, Rules, Verdict
from svcsim.auth.premise import UntilChanged
from svcsim.auth.rbac.bindings import Bindings, Bound
from svcsim.auth.rbac.grants import Grants
from svcsim.meta.types import User

_Who: TypeAlias = tuple[str, tuple[str, ...], str]
"""A user's name and groups, and a namespace; empty for what is bound everywhere."""


_PLACES_EACH = 10
"""What an entry takes beside its texts and its grants."""


class Rbac:
    """Decides by the roles and bindings of the cluster."""

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._known: OrderedDict[_Who, Grants] = OrderedDict()
        """The latest used last."""
        self._size = 0
        self._unchanged = UntilChanged()
        bindings.on_change(self._forget)

    async def authorize(self, attributes: Attributes) -> Decision:
        """Allow what a binding gives, and say which."""
        user = attributes.user
        everywhere = self._everywhere(user)
        decision = everywhere.decision(attributes)
        within = None
        if decision is None and attributes.namespace and attributes.is_resource:
            within = self._within(user, attributes.namespace)
            decision = within.decision(attributes)
        if decision is not None:
            return decision
        errors = {**everywhere.errors, **(within.errors if within is not None else {})}
        return Decision(Verdict.NO_OPINION, f"RBAC: {_aggregate(errors)}" if errors else "")

    async def rules_for(self, user: User, namespace: str) -> Rules:
        """All that the user's bindings give, everywhere and in the namespace."""
        everywhere, within = self._everywhere(user), self._within(user, namespace)
        return Rules((*everywhere.rules, *within.rules), everywhere.paths, error=_aggregate({**everywhere.errors, **within.errors}))

    def _everywhere(self, user: User) -> Grants:
        return self._grants(user, "", lambda: self._bindings.cluster_wide(user))

    def _within(self, user: User, namespace: str) -> Grants:
        return self._grants(user, namespace, lambda: self._bindings.within(user, namespace))

    def _grants(self, user: User, namespace: str, bound: Callable[[], Iterable[Bound]]) -> Grants:
        who = (user.name, user.groups, namespace)
        found = self._known.get(who)
        if found is not None:
            self._known.move_to_end(who)
            return found
        found = self._known[who] = Grants(bound(), self._unchanged)
        self._size += _places(who, found)
        while self._size > limits.RBAC_GRANTS and len(self._known) > 1:
            self._size -= _places(*self._known.popitem(last=False))
        return found

    def _forget(self) -> None:
        self._known.clear()
        self._size = 0
        self._unchanged.fall()
        self._unchanged = UntilChanged()


def _places(who: _Who, grants: Grants) -> int:
    """How many places of tables it takes to remember. Whoever asks says for how long a name, and of how many groups."""
    name, groups, namespace = who
    chars = len(name) + len(namespace) + sum(map(len, groups))
    return grants.size + len(groups) + 4 * chars // limits.RBAC_GRANT_BYTES + _PLACES_EACH


def _aggregate(errors: Iterable[str]) -> str:
    """Several errors as one: ``[a, b]``."""
    told = list(errors)
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]" if told else ""
