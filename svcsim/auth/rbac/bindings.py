"""Bindings by whom they bind, so that nobody's decision looks at the bindings of others.

Everything is read from listers, which follow each commit: what a binding or a role says counts for the next request.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from svcsim.auth.authorization import NonResourceRule, ResourceRule
from svcsim.auth.rbac.rules import non_resource_rules, resource_rules
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
    """A binding of somebody, and what it comes to."""

    source: str
    """What a decision says of it: ``ClusterRoleBinding "x" of ClusterRole "y" to Group "z"``."""
    resources: tuple[ResourceRule, ...]
    paths: tuple[NonResourceRule, ...] = ()
    error: str = ""
    """Why its role can't be followed."""


class Bindings:
    """The bindings of a cluster, and the roles they refer to."""

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._group = dialect.group("rbac.authorization")
        self._roles, self._cluster_roles = self._lister(listers, "roles"), self._lister(listers, "clusterroles")
        self._bindings, self._cluster_bindings = self._lister(listers, "rolebindings"), self._lister(listers, "clusterrolebindings")
        self._bindings.add_index(_SUBJECT, _subjects_in_namespace)
        self._cluster_bindings.add_index(_SUBJECT, _subjects)

    def _lister(self, listers: Listers, plural: str) -> Lister:
        return listers.of(f"{plural}.{self._group}")

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever what somebody may do may have changed."""
        for lister in (self._roles, self._cluster_roles, self._bindings, self._cluster_bindings):
            lister.on_change(lambda _: listener())

    def cluster_wide(self, user: User) -> Iterator[Bound]:
        """What binds the user everywhere."""
        for binding, subject in _of(user, self._cluster_bindings, ""):
            yield self._bound(binding, f"ClusterRoleBinding {quoted(name_of(binding))}", subject)

    def within(self, user: User, namespace: str) -> Iterator[Bound]:
        """What binds the user in one namespace only."""
        for binding, subject in _of(user, self._bindings, namespace):
            bound = self._bound(binding, f"RoleBinding {quoted(f'{name_of(binding)}/{namespace}')}", subject)
            yield bound._replace(paths=())

    def role(self, reference: Object, namespace: str) -> Object | None:
        """The Role or ClusterRole that is meant."""
        if reference["kind"] == _CLUSTER_ROLE:
            return self._cluster_roles.get("", reference["name"])
        return self._roles.get(namespace, reference["name"])

    def _bound(self, binding: Object, named: str, subject: Object) -> Bound:
        reference, namespace = binding["roleRef"], namespace_of(binding)
        source = f"{named} of {reference['kind']} {quoted(reference['name'])} to {_described(subject, namespace)}"
        role = self.role(reference, namespace)
        if role is None:
            return Bound(source, (), (), not_found(GroupResource(self._group, reference["kind"].lower()), reference["name"]).message)
        return Bound(source, tuple(resource_rules(role)), tuple(non_resource_rules(role)))


def _of(user: User, bindings: Lister, namespace: str) -> Iterator[tuple[Object, Object]]:
    """Each binding that names the user or a group of theirs, once, with the first subject that does."""
    wanted = (_key("User", user.name), *(_key("Group", group) for group in user.groups))
    seen: dict[str, None] = {}
    for key in wanted:
        for binding in bindings.by(_SUBJECT, f"{namespace}/{key}" if namespace else key):
            if name_of(binding) not in seen:
                seen[name_of(binding)] = None
                yield binding, next(one for one in binding["subjects"] if _subject_key(one, namespace) in wanted)


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
