"""The evaluation held against another one that is as simple as can be: every binding, every rule, every list."""

import asyncio
import tempfile
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from svcsim.meta.types import Object, User
from tests.auth.rbac.objects import access, rule, subject

VERBS, GROUPS, RESOURCES = ("get", "list", "*"), ("core", "apps", "*"), ("pods", "pods/log", "jobs", "*/log", "*")
NAMES, PATHS, SPACES = ("a", "b"), ("/metrics", "/apis/*", "*", "/apis"), ("", "one", "two")
SUBJECTS = (
    "User:jane",
    "User:joe",
    "Group:dev",
    "Group:ops",
    "ServiceAccount:one/bot",
    "ServiceAccount:bot",
    "User:system:serviceaccount:two:bot",
)
USERS = (
    User("jane", ("dev",)),
    User("joe", ("ops", "dev")),
    User("system:serviceaccount:one:bot", ()),
    User("system:serviceaccount:two:bot", ("dev",)),
    User("dev", ()),
)


def some(values: tuple[str, ...], least: int = 1) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(values), min_size=least, max_size=2, unique=True).map(" ".join)


RULES = st.one_of(
    st.builds(rule, some(VERBS), some(RESOURCES), some(GROUPS), some(NAMES, 0)),
    st.builds(lambda verbs, paths: rule(verbs, paths=paths), some(VERBS), some(PATHS)),
)


class Role(NamedTuple):
    space: str
    rules: list[Object]


class Binding(NamedTuple):
    space: str
    role: int
    subjects: list[str]


ROLES = st.lists(st.builds(Role, st.sampled_from(SPACES), st.lists(RULES, max_size=3)), min_size=1, max_size=4)
BINDINGS = st.lists(
    st.builds(Binding, st.sampled_from(SPACES), st.integers(0, 4), st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=2)), max_size=6
)
ASKED = st.tuples(
    st.sampled_from(USERS),
    st.sampled_from(("get", "list", "watch")),
    st.sampled_from(("pods", "pods/log", "jobs.apps", "jobs.apps/log", "/metrics", "/apis", "/apis/x")),
    st.sampled_from(SPACES),
    st.sampled_from(("", "a", "c")),
)


def naive(roles: list[Role], bindings: list[Binding], user: User, verb: str, what: str, space: str, name: str) -> bool:
    """Whether any rule of any binding allows it."""
    for binding in bindings:
        if binding.role >= len(roles) or (binding.space and (binding.space != space or what.startswith("/"))):
            continue
        role = roles[binding.role]
        if role.space and role.space != binding.space:
            continue
        if any(_is(user, subject(one), binding.space) for one in binding.subjects) and any(
            _allows(one, verb, what, name) for one in role.rules
        ):
            return True
    return False


def _is(user: User, who: Object, space: str) -> bool:
    if who["kind"] == "User":
        return user.name == who["name"]
    if who["kind"] == "Group":
        return who["name"] in user.groups
    space = who.get("namespace") or space
    return bool(space) and user.name == f"system:serviceaccount:{space}:{who['name']}"


def _allows(one: Object, verb: str, what: str, name: str) -> bool:
    if not {verb, "*"} & set(one["verbs"]):
        return False
    if what.startswith("/"):
        return any(path == what or (path.endswith("*") and what.startswith(path[:-1])) for path in one.get("nonResourceURLs", []))
    full, slash, below = what.partition("/")
    resource, _, group = full.partition(".")
    if not {group, "*"} & set(one.get("apiGroups", [])):
        return False
    wanted = {resource + slash + below, "*"} | ({f"*/{below}"} if below else set())
    return bool(wanted & set(one.get("resources", []))) and (not one.get("resourceNames") or name in one["resourceNames"])


@given(ROLES, BINDINGS, st.lists(ASKED, min_size=1, max_size=12), BINDINGS, st.lists(st.lists(RULES, max_size=3), min_size=4, max_size=4))
@settings(deadline=None, max_examples=150)
def test_a_decision_is_what_every_rule_of_every_binding_says(roles, bindings, asked, later, rules_later):
    changed = [Role(role.space, rules) for role, rules in zip(roles, rules_later, strict=False)]

    async def decide() -> None:
        with tempfile.TemporaryDirectory() as directory:
            async with access(Path(directory)) as found:
                for state, current in ((bindings, roles), (later, roles), (later, changed)):  # what was remembered has to be forgotten
                    for number, (space, rules) in enumerate(current):
                        await found.role(f"r{number}", *rules, namespace=space)
                    for number, (space, role, subjects) in enumerate(state):
                        kind = "Role" if role < len(roles) and roles[role].space else "ClusterRole"
                        await found.bind(f"b{number}", f"r{role}", *subjects, namespace=space, kind=kind if space else "ClusterRole")
                    for user, verb, what, space, name in asked:
                        where = "" if what.startswith("/") else space
                        there = _visible(roles, state)
                        assert await found.may(user, verb, what, where, name) == naive(current, there, user, verb, what, where, name)
                    for number, (space, *_) in enumerate(state):
                        await found.drop("rolebindings" if space else "clusterrolebindings", space, f"b{number}")

    asyncio.run(decide())


def _visible(roles: list[Role], bindings: list[Binding]) -> list[Binding]:
    """Those whose reference leads to a role: a cluster-wide binding never names one of a namespace."""
    return [one for one in bindings if one.role < len(roles) and not (roles[one.role].space and not one.space)]
