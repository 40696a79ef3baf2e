"""What roles and bindings allow, and the words that say why."""

import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Decision, NonResourceRule, ResourceRule, Rules, Verdict
from svcsim.meta.types import User
from tests.auth.rbac.objects import Access, access, rule

JANE = User("jane", ("dev", "system:authenticated"))
JOE = User("joe", ("system:authenticated",))
BOT = User("system:serviceaccount:ci:bot", ("system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"))


@pytest.fixture
async def given(tmp_path: Path) -> AsyncIterator[Access]:
    async with access(tmp_path) as found:
        yield found


@pytest.mark.parametrize(
    ("one", "verb", "what", "name", "allowed"),
    [
        (rule("get", "pods"), "get", "pods", "", True),
        (rule("get", "pods"), "get", "pods", "a", True),
        (rule("get", "pods"), "GET", "pods", "", False),
        (rule("get", "pods"), "list", "pods", "", False),
        (rule("get", "pods"), "get", "pods/log", "a", False),
        (rule("get", "pods/log"), "get", "pods/log", "a", True),
        (rule("get", "pods/log"), "get", "pods", "a", False),
        (rule("get", "pods/*"), "get", "pods/log", "a", False),
        (rule("get", "*"), "get", "pods/log", "a", True),
        (rule("get", "*/log"), "get", "pods/log", "a", True),
        (rule("get", "*/log"), "get", "pods", "a", False),
        (rule("update", "*/scale", "apps"), "update", "deployments.apps/scale", "a", True),
        (rule("update", "*/scale", "*"), "update", "deployments.apps/scale", "a", True),
        (rule("update", "*/scale", "batch"), "update", "deployments.apps/scale", "a", False),
        (rule("*", "*", "*"), "anything", "whatever.example.com/part", "x", True),
        (rule("get", "pods", "apps"), "get", "pods", "", False),
        (rule("get", "pods", "core apps"), "get", "pods.apps", "", True),
        (rule("get", "pods", names="a b"), "get", "pods", "b", True),
        (rule("get", "pods", names="a b"), "get", "pods", "c", False),
        (rule("list", "pods", names="a"), "list", "pods", "", False),
        (rule("get", paths="/metrics"), "get", "/metrics", "", True),
        (rule("get", paths="/metrics"), "get", "/metrics/", "", False),
        (rule("get", paths="/metrics"), "post", "/metrics", "", False),
        (rule("get", paths="/apis/*"), "get", "/apis/apps/v1", "", True),
        (rule("get", paths="/apis/*"), "get", "/apis", "", False),
        (rule("*", paths="*"), "delete", "/anything", "", True),
        (rule("get", "*", "*"), "get", "/metrics", "", False),
        (rule("get", paths="*"), "get", "pods", "", False),
    ],
)
async def test_what_a_rule_allows(given: Access, one: dict[str, list[str]], verb: str, what: str, name: str, allowed: bool):
    await given.role("r", one)
    await given.bind("b", "r", "User:jane")
    assert await given.may(JANE, verb, what, "" if what.startswith("/") else "default", name) == allowed
    assert not await given.may(JOE, verb, what, "default", name)


async def test_a_binding_in_a_namespace_counts_there_alone_and_for_no_paths(given: Access):
    await given.role("everything", rule("*", "*", "*"), rule("*", paths="*"))
    await given.bind("b", "everything", "User:jane", namespace="space")
    assert await given.may(JANE, "delete", "pods", "space", "a")
    assert not await given.may(JANE, "delete", "pods", "other", "a")
    assert not await given.may(JANE, "list", "pods")
    assert not await given.may(JANE, "get", "/metrics")


async def test_a_role_of_another_namespace_is_no_role(given: Access):
    await given.role("reader", rule("get", "pods"), namespace="there")
    await given.bind("b", "reader", "User:jane", namespace="here", kind="Role")
    refused = await given.decide(JANE, "get", "pods", "here")
    assert refused == Decision(Verdict.NO_OPINION, 'RBAC: role.rbac.authorization.k8s.io "reader" not found')
    await given.role("reader", rule("get", "pods"), namespace="here")
    assert await given.may(JANE, "get", "pods", "here")


async def test_who_is_bound(given: Access):
    await given.role("r", rule("get", "pods"))
    for name, who in (
        ("g", "Group:dev"),
        ("s", "ServiceAccount:ci/bot"),
        ("own", "ServiceAccount:bot"),
    ):
        await given.bind(name, "r", who)
    assert await given.may(JANE, "get", "pods", "default")
    assert not await given.may(JOE, "get", "pods", "default")
    assert await given.may(BOT, "get", "pods", "default")
    assert not await given.may(User("system:serviceaccount::bot", ()), "get", "pods", "default"), "an account of no namespace is nobody"
    assert not await given.may(User("dev", ()), "get", "pods", "default"), "a group's name is no user's"
    await given.bind("local", "r", "ServiceAccount:bot", namespace="space")
    assert await given.may(User("system:serviceaccount:space:bot", ()), "get", "pods", "space")
    await given.bind("as a user", "r", "User:system:serviceaccount:a:b")
    assert await given.may(User("system:serviceaccount:a:b", ()), "get", "pods", "default"), "an account can be named as a user"


async def test_a_decision_says_by_which_binding(given: Access):
    await given.role("r", rule("get", "pods"))
    await given.bind("everywhere", "r", "Group:dev", "User:jane")
    allowed = await given.decide(JANE, "get", "pods", "default")
    assert allowed.reason == 'RBAC: allowed by ClusterRoleBinding "everywhere" of ClusterRole "r" to Group "dev"'
    await given.bind("here", "r", "ServiceAccount:bot", namespace="ci")
    allowed = await given.decide(BOT, "get", "pods", "ci")
    assert allowed.reason == 'RBAC: allowed by RoleBinding "here/ci" of ClusterRole "r" to ServiceAccount "bot/ci"'
    assert await given.decide(JOE, "get", "pods", "default") == Decision(Verdict.NO_OPINION)


async def test_every_role_that_is_missing_is_told_once(given: Access):
    await given.bind("b", "gone", "User:jane")
    await given.bind("c", "gone", "User:jane")
    await given.bind("d", "lost", "User:jane", namespace="space", kind="Role")
    reason = (await given.decide(JANE, "get", "pods", "space")).reason
    gone, lost = (f'{kind}.rbac.authorization.k8s.io "{name}" not found' for kind, name in (("clusterrole", "gone"), ("role", "lost")))
    assert reason == f"RBAC: [{gone}, {lost}]"


async def test_changes_count_for_the_next_request(given: Access):
    await given.role("r", rule("get", "pods"))
    assert not await given.may(JANE, "get", "pods", "default")
    await given.bind("b", "r", "User:jane")
    assert await given.may(JANE, "get", "pods", "default")
    await given.role("r", rule("list", "pods"))
    assert not await given.may(JANE, "get", "pods", "default")
    assert await given.may(JANE, "list", "pods", "default")
    await given.bind("b", "r", "User:joe")
    assert not await given.may(JANE, "list", "pods", "default")
    assert await given.may(JOE, "list", "pods", "default")
    await given.drop("clusterrolebindings", "", "b")
    assert not await given.may(JOE, "list", "pods", "default")
    await given.bind("b", "r", "User:joe", namespace="default")
    assert await given.may(JOE, "list", "pods", "default")
    await given.drop("clusterroles", "", "r")
    assert not await given.may(JOE, "list", "pods", "default")


async def test_what_somebody_may_do_can_be_listed(given: Access):
    await given.role("r", rule("get list", "pods", names="a"), rule("get", paths="/metrics"))
    await given.bind("b", "r", "User:jane")
    await given.role("s", rule("*", "jobs", "batch"), namespace="space")
    await given.bind("c", "s", "Group:dev", namespace="space", kind="Role")
    everywhere = ResourceRule(("get", "list"), ("",), ("pods",), ("a",))
    paths = (NonResourceRule(("get",), ("/metrics",)),)
    assert await given.authorizer.rules_for(JANE, "default") == Rules((everywhere,), paths)
    assert await given.authorizer.rules_for(JANE, "space") == Rules((everywhere, ResourceRule(("*",), ("batch",), ("jobs",))), paths)
    await given.bind("d", "gone", "User:jane")
    assert (await given.authorizer.rules_for(JANE, "default")).error == 'clusterrole.rbac.authorization.k8s.io "gone" not found'


async def test_what_is_remembered_has_a_bound(given: Access, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "RBAC_GRANTS", 50)
    await given.role("r", *(rule("get", f"kind{number}") for number in range(10)))
    await given.bind("b", "r", "Group:dev")
    for number in range(20):
        assert await given.may(User(f"user{number}", ("dev",)), "get", f"kind{number % 10}", f"space{number}")
    assert 1 <= len(given.authorizer._known) < 5


async def test_what_is_remembered_is_bounded_in_bytes_whatever_is_asked_for(given: Access) -> None:
    """Anybody may ask for namespaces with names of a million letters, or have a thousand groups told of them."""
    large, few = 1_000_000, 100
    tracemalloc.start()
    try:
        for number in range(few):
            groups = tuple(f"{number}-{index}-" + "g" * (large // 100) for index in range(100))
            for user, namespace in ((JOE, f"{number}" + "n" * large), (User("u", groups), "default")):
                asked = Attributes(user, "get", "", "v1", "pods", namespace=namespace, name="a")
                assert (await given.authorizer.authorize(asked)).verdict is Verdict.NO_OPINION
        assert tracemalloc.get_traced_memory()[0] < limits.RBAC_GRANTS * limits.RBAC_GRANT_BYTES + 2 * large
    finally:
        tracemalloc.stop()
