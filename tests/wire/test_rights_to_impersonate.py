"""Roles to ask as others, over the wire: each lets one be what it names and nothing beside it; whom one asks as has their own rights."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.process import environment, ran
from tests.wire.raw import Answer, Wire
from tests.wire.test_impersonation import Headers, ask
from tests.wire.test_kubectl import Kubectl
from tests.wire.test_rbac import Rbac, Somebody, known, rbac

__all__ = ["known", "rbac"]

JANE = ("Impersonate-User", "x")


def rule(group: str, resource: str, *names: str) -> Object:
    return {"verbs": ["impersonate"], "apiGroups": [group], "resources": [resource], "resourceNames": list(names)}


class Helper:
    """Somebody who may be some others."""

    def __init__(self, wire: Wire, rbac: Rbac, user: Somebody) -> None:
        self.wire, self.rbac, self.user = wire, rbac, user
        self.told = wire.dialect.group("authentication")

    def may(self, *rules: Object) -> None:
        self.wire.create(*self.rbac.cluster_role("t-be", *rules))
        self.wire.create(*self.rbac.bound("t-be", "t-be", "helper"))

    def asks(self, *headers: tuple[str, str], path: str = "/version") -> Answer:
        return ask(self.wire, "GET", path, headers, tls=self.user.tls)

    def is_whom(self, *headers: tuple[str, str]) -> Object:
        review = {"kind": "SelfSubjectReview", "apiVersion": f"{self.told}/v1", "metadata": {}}
        answer = ask(self.wire, "POST", f"/apis/{self.told}/v1/selfsubjectreviews", headers, review, tls=self.user.tls)
        assert answer.status == 201, answer.body
        return answer.json["status"]["userInfo"]

    def refused(self, headers: Headers, named: str, resource: str, group: str = "", where: str = "at the cluster scope") -> None:
        answer = self.asks(*headers)
        of = f"{resource.partition('/')[0]}.{group}" if group else resource.partition("/")[0]
        assert (answer.status, answer.reason) == (403, "Forbidden")
        assert answer.message == (
            f'{of} "{named}" is forbidden: User "helper" cannot impersonate resource "{resource}" in API group "{group}" {where}'
        )


@pytest.fixture
def helper(wire: Wire, rbac: Rbac, known: Callable[..., Somebody]) -> Helper:
    return Helper(wire, rbac, known("helper", "helpers"))


def test_one_user(helper: Helper):
    helper.may(rule("", "users", "x"))
    assert helper.is_whom(JANE) == {"username": "x", "groups": ["system:authenticated"]}
    told = helper.told
    helper.refused((("Impersonate-User", "y"),), "y", "users")
    helper.refused((("Impersonate-User", "X"),), "X", "users")
    helper.refused((JANE, ("Impersonate-Group", "system:masters")), "system:masters", "groups")
    helper.refused((JANE, ("Impersonate-Group", "helpers")), "helpers", "groups")
    helper.refused((JANE, ("Impersonate-Uid", "1")), "1", "uids", told)
    helper.refused((JANE, ("Impersonate-Extra-Scopes", "all")), "all", "userextras/scopes", told)
    helper.refused((("Impersonate-User", "system:serviceaccount:a:x"),), "x", "serviceaccounts", where='in the namespace "a"')


def test_one_group_and_it_takes_the_user_too(helper: Helper):
    helper.may(rule("", "groups", "dev"))
    helper.refused((JANE, ("Impersonate-Group", "dev")), "x", "users")
    helper.wire.create(*helper.rbac.cluster_role("t-user", rule("", "users", "x")))
    helper.wire.create(*helper.rbac.bound("t-user", "t-user", "helper"))
    assert helper.is_whom(JANE, ("Impersonate-Group", "dev"))["groups"] == ["dev", "system:authenticated"]
    helper.refused((JANE, ("Impersonate-Group", "dev"), ("Impersonate-Group", "system:masters")), "system:masters", "groups")
    helper.refused((JANE, ("Impersonate-Group", "dev,system:masters")), "dev,system:masters", "groups")


def test_one_uid(helper: Helper):
    helper.may(rule("", "users", "x"), rule(helper.told, "uids", "7"))
    assert helper.is_whom(JANE, ("Impersonate-Uid", "7"))["uid"] == "7"
    helper.refused((JANE, ("Impersonate-Uid", "8")), "8", "uids", helper.told)


def test_one_value_of_one_further_thing(helper: Helper):
    helper.may(rule("", "users", "x"), rule(helper.told, "userextras/scopes", "view", "edit"))
    both = (("Impersonate-Extra-Scopes", "view"), ("Impersonate-Extra-Scopes", "edit"))
    assert helper.is_whom(JANE, *both)["extra"] == {"scopes": ["view", "edit"]}
    helper.refused((JANE, *both, ("Impersonate-Extra-Scopes", "admin")), "admin", "userextras/scopes", helper.told)
    helper.refused((JANE, ("Impersonate-Extra-Other", "view")), "view", "userextras/other", helper.told)
    helper.refused((JANE, ("Impersonate-Extra-Scopes%2fx", "view")), "view", "userextras/scopes/x", helper.told)


def test_accounts_of_one_namespace(helper: Helper):
    helper.wire.create(*helper.rbac.role("t-be", {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["serviceaccounts"]}))
    helper.wire.create(*helper.rbac.bound("t-be", "t-be", "helper", cluster=False, kind="Role"))
    robot = "system:serviceaccount:default:robot"
    assert helper.is_whom(("Impersonate-User", robot)) == {
        "username": robot,
        "groups": ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    }
    other = (("Impersonate-User", "system:serviceaccount:kube:robot"),)
    helper.refused(other, "robot", "serviceaccounts", where='in the namespace "kube"')
    helper.refused((("Impersonate-User", "robot"),), "robot", "users")
    masters = (("Impersonate-User", robot), ("Impersonate-Group", "system:masters"))
    helper.refused(masters, "system:masters", "groups")


def test_nobody_becomes_an_administrator_by_it(helper: Helper):
    """Neither by the right to be any user, nor by spelling the group otherwise, nor by being one's own."""
    helper.may(rule("", "users"))
    for user in ("x", "helper", "root", "system:admin"):
        for group in ("system:masters", " system:masters ", "\tsystem:masters"):
            answer = helper.asks(("Impersonate-User", user), ("Impersonate-Group", group), path="/api/v1/nodes")
            assert (answer.status, 'cannot impersonate resource "groups"' in answer.message) == (403, True)
        answer = helper.asks(("Impersonate-User", user), path="/api/v1/nodes")
        assert (answer.status, f'nodes is forbidden: User "{user}" cannot list' in answer.message) == (403, True)


def test_whom_one_asks_as_has_their_rights_and_no_others(helper: Helper):
    wire, rbac = helper.wire, helper.rbac
    helper.may(rule("", "users", "x"), {"verbs": ["list"], "apiGroups": [""], "resources": ["nodes"]})
    wire.create(*rbac.cluster_role("t-maps", {"verbs": ["list"], "apiGroups": [""], "resources": ["configmaps"]}))
    wire.create(*rbac.bound("t-maps", "t-maps", "x"))
    maps = "/api/v1/namespaces/default/configmaps"
    assert (helper.asks(path="/api/v1/nodes").status, helper.asks(path=maps).status) == (200, 403)
    assert (helper.asks(JANE, path="/api/v1/nodes").status, helper.asks(JANE, path=maps).status) == (403, 200)


def test_the_audit_shows_both(helper: Helper):
    helper.may(rule("", "users", "x"))
    path = f"/api/v1/namespaces/{helper.wire.fresh('seen')}/configmaps"
    assert helper.asks(JANE, path=path).status == 403
    told = ran("audit", "--namespace", path.split("/")[4], env=environment(helper.wire.server.home)).stdout
    assert "helper as x" in told.splitlines()[1]
    assert "client certificate" in told


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on the PATH")
def test_kubectl_asks_as_whom_a_role_lets(kubernetes_server: Wire, tmp_path: Path):
    wire = kubernetes_server
    rbac, told = Rbac(wire), wire.dialect.group("authentication")
    rules = (rule("", "users", "x"), rule("", "groups", "dev"), rule(told, "uids", "7"), rule(told, "userextras/scopes", "view"))
    made = [rbac.cluster_role("kubectl-be", *rules), rbac.bound("kubectl-be", "kubectl-be", "system:serviceaccount:default:default")]
    for path, obj in made:
        wire.create(path, obj)
    try:
        config = json.loads(wire.server.kubeconfig.read_text())
        request = {"apiVersion": f"{told}/v1", "kind": "TokenRequest", "spec": {}}
        token = wire.create("/api/v1/namespaces/default/serviceaccounts/default/token", request)["status"]["token"]
        kubectl = Kubectl(wire, tmp_path, "default")

        def as_in(**user: object) -> tuple[str, str]:
            config["users"][0]["user"] = {"token": token, **user}
            (tmp_path / "config").write_text(json.dumps(config))
            return "--kubeconfig", str(tmp_path / "config")

        flags = ("--as=x", "--as-group=dev", "--as-uid=7")
        found = json.loads(kubectl.run(*as_in(), "auth", "whoami", "-o", "json", *flags))["status"]["userInfo"]
        assert found == {"username": "x", "uid": "7", "groups": ["dev", "system:authenticated"]}
        extra = {"as": "x", "as-user-extra": {"scopes": ["view"]}}
        assert json.loads(kubectl.run(*as_in(**extra), "auth", "whoami", "-o", "json"))["status"]["userInfo"]["extra"] == {
            "scopes": ["view"]
        }
        refused = kubectl.run(*as_in(**{**extra, "as-user-extra": {"scopes": ["all"]}}), "auth", "can-i", "get", "pods", fails=True)
        assert 'cannot impersonate resource "userextras/scopes" in API group' in refused
        refused = kubectl.run(*as_in(), "auth", "can-i", "get", "pods", "--as=x", "--as-group=system:masters", fails=True)
        assert 'groups "system:masters" is forbidden: User "system:serviceaccount:default:default" cannot impersonate' in refused
    finally:
        for path, obj in made:
            wire.delete(f"{path}/{obj['metadata']['name']}")
