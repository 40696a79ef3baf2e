"""Bindings by whom they bind, so that nobody's decision looks at the bindings of others.

Everything is read from listers, which follow each commit: what a binding or a role says counts for the next request.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.auth.authorization import NonResourceRule
from svcsim.auth.rbac.role_rules import RoleRules, role_rules
from svcsim.auth.service_account_names import user_of_account
from svcsim.dialect import Dialect
from svcsim.meta.errors import not_found
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import GroupResource, Object, User
from svcsim.registry.lister import Lister, Listers

_SUBJECT = "subject"
_CLUSTER_ROLE = "ClusterRole"


class Bound(NamedTuple):
    """A binding of a user, and its rights."""

    binding: Object
    wanted: tuple[str, ...]
    """The keys of those whom it may bind."""
    rules: RoleRules
    error: str = ""
    """Why its role can't be followed."""

    @property
    def paths(self) -> tuple[NonResourceRule, ...]:
        """On paths only what is bound everywhere counts."""
        return () if namespace_of(self.binding) else self.rules.paths

    @property
    def source(self) -> str:
        """What a decision says of it: ``ClusterRoleBinding "x" of ClusterRole "y" to Group "z"``."""
        binding, reference, namespace = self.binding, self.binding["roleRef"], namespace_of(self.binding)
        name = name_of(binding)
        named = f"RoleBinding {quoted(f'{name}/{namespace}')}" if namespace else f"ClusterRoleBinding {quoted(name)}"
        subject = next(one for one in binding["subjects"] if _subject_key(one, namespace) in self.wanted)
        return f"{named} of {reference['kind']} {quoted(reference['name'])} to {_described(subject, namespace)}"


class _Read(NamedTuple):
    role: Object
    rules: RoleRules


class Bindings:
    """The bindings of a cluster, and the roles they refer to."""

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._group = dialect.group("rbac.authorization")
        self._roles, self._cluster_roles = self._lister(listers, "roles"), self._lister(listers, "clusterroles")
        self._bindings, self._cluster_bindings = self._lister(listers, "rolebindings"), self._lister(listers, "clusterrolebindings")
        self._rules: OrderedDict[int, _Read] = OrderedDict()
        """By the identity of the role, which is kept beside them; the latest used last."""
        self._size = 0
        self._bindings.add_index(_SUBJECT, _subjects_in_namespace)
        self._cluster_bindings.add_index(_SUBJECT, _subjects)

    def _lister(self, listers: Listers, plural: str) -> Lister:
        return listers.of(f"{plural}.{self._group}")

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever the rights of any user may have changed."""
        for lister in (self._roles, self._cluster_roles, self._bindings, self._cluster_bindings):
            lister.on_change(lambda _: listener())

    def cluster_wide(self, user: User) -> Iterator[Bound]:
        """What binds the user everywhere."""
        return self._bound(user, self._cluster_bindings, "")

    def within(self, user: User, namespace: str) -> Iterator[Bound]:
        """What binds the user in one namespace only."""
        return self._bound(user, self._bindings, namespace)

    def role(self, reference: Object, namespace: str) -> Object | None:
        """The Role or ClusterRole that is meant."""
        if reference["kind"] == _CLUSTER_ROLE:
            return self._cluster_roles.get("", reference["name"])
        return self._roles.get(namespace, reference["name"])

    def _bound(self, user: User, bindings: Lister, namespace: str) -> Iterator[Bound]:
        """Each binding that names the user or a group of theirs, once."""
        wanted = (_key("User", user.name), *(_key("Group", group) for group in user.groups))
        seen: dict[str, None] = {}
        for key in wanted:
            for binding in bindings.by(_SUBJECT, f"{namespace}/{key}" if namespace else key):
                name = name_of(binding)
                if name not in seen:
                    seen[name] = None
                    reference = binding["roleRef"]
                    role = self.role(reference, namespace)
                    if role is None:
                        missing = not_found(GroupResource(self._group, reference["kind"].lower()), reference["name"])
                        yield Bound(binding, wanted, RoleRules(), missing.message)
                    else:
                        yield Bound(binding, wanted, self._read(role))

    def _read(self, role: Object) -> RoleRules:
        """A role's rules. They are read once, for as long as it stays as it is; the lister has another object for one that changed."""
        known = self._rules.get(id(role))
        if known is not None and known.role is role:
            self._rules.move_to_end(id(role))
            return known.rules
        found = self._rules[id(role)] = _Read(role, role_rules(role))
        self._size += found.rules.size - (0 if known is None else known.rules.size)
        while self._size > limits.RBAC_ROLE_RULES and len(self._rules) > 1:
            self._size -= self._rules.popitem(last=False)[1].rules.size
        return found.rules


def _subjects(binding: Object) -> Iterable[str]:
    return tuple(dict.fromkeys(key for one in binding.get("subjects") or () if (key := _subject_key(one, ""))))


def _subjects_in_namespace(binding: Object) -> Iterable[str]:
    namespace = namespace_of(binding)
    return tuple(dict.fromkeys(f"{namespace}/{key}" for one in binding.get("subjects") or () if (key := _subject_key(one, namespace))))


def _subject_key(subject: Object, namespace: str) -> str:
    """By whom a subject is found; empty for one that is nobody: an account of no namespace."""
    if subject["kind"] != "ServiceAccount":
        return _key(subject["kind"], subject["name"])
    namespace = subject.get("namespace") or namespace
    return _key("User", user_of_account(namespace, subject["name"])) if namespace else ""


def _key(kind: str, name: str) -> str:
    return f"{kind}:{name}"


def _described(subject: Object, namespace: str) -> str:
    name = subject["name"]
    if subject["kind"] == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    return f"{subject['kind']} {quoted(name)}"
