"""Roles and bindings over the wire: who may do what, in which words others are refused, and that nobody gives more than they have."""

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.meta.types import Json, Object
from tests.process import environment, ran, served
from tests.wire.raw import Answer, Wire
from tests.wire.test_auth import issue

NS = "/api/v1/namespaces/default"


class Somebody(NamedTuple):
    """A user who is known by a certificate."""

    wire: Wire
    name: str
    tls: ssl.SSLContext

    def ask(self, method: str, path: str, body: Json = None) -> Answer:
        connection = self.wire.connect(self.tls)
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        found = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def may(self, verb: str, resource: str, group: str = "", namespace: str = "default", **more: str) -> bool:
        spec = {"resourceAttributes": {"verb": verb, "resource": resource, "group": group, "namespace": namespace, **more}}
        api = self.wire.dialect.group("authorization")
        answer = self.ask("POST", f"/apis/{api}/v1/selfsubjectaccessreviews", {"spec": spec})
        assert answer.status == 201, answer.body
        return answer.json["status"]["allowed"]


@pytest.fixture
def known(wire: Wire, tmp_path: Path) -> Callable[..., Somebody]:
    def make(name: str, *groups: str) -> Somebody:
        directory = tmp_path / name
        directory.mkdir()
        return Somebody(wire, name, issue(wire.server.pki, directory, name, *groups))

    return make


class Rbac:
    """Writes roles and bindings, as whoever it is told."""

    def __init__(self, wire: Wire) -> None:
        self.group = wire.dialect.group("rbac.authorization")
        self.root = f"/apis/{self.group}/v1"

    def cluster_role(self, name: str, *rules: Object, **fields: Json) -> tuple[str, Object]:
        return f"{self.root}/clusterroles", {"metadata": {"name": name}, "rules": list(rules), **fields}

    def role(self, name: str, *rules: Object) -> tuple[str, Object]:
        return f"{self.root}/namespaces/default/roles", {"metadata": {"name": name}, "rules": list(rules)}

    def bound(self, name: str, role: str, *users: str, cluster: bool = True, kind: str = "ClusterRole") -> tuple[str, Object]:
        path = f"{self.root}/clusterrolebindings" if cluster else f"{self.root}/namespaces/default/rolebindings"
        subjects = [{"kind": "User", "name": user, "apiGroup": self.group} for user in users]
        return path, {"metadata": {"name": name}, "roleRef": {"apiGroup": self.group, "kind": kind, "name": role}, "subjects": subjects}


@pytest.fixture
def rbac(wire: Wire) -> Iterator[Rbac]:
    found = Rbac(wire)
    yield found
    for plural in ("clusterroles", "clusterrolebindings", "namespaces/default/roles", "namespaces/default/rolebindings"):
        for item in wire.get(f"{found.root}/{plural}").get("items", []):
            if item["metadata"]["name"].startswith("t-"):
                wire.delete(f"{found.root}/{plural}/{item['metadata']['name']}")


PODS: Object = {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}


def test_what_is_bound_may_be_done_and_nothing_else(wire: Wire, rbac: Rbac, known: Callable[..., Somebody]):
    jane = known("jane", "dev")
    refused = jane.ask("GET", f"{NS}/pods")
    assert (refused.status, refused.message) == (
        403,
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    )
    wire.create(*rbac.cluster_role("t-pods", PODS))
    wire.create(*rbac.bound("t-pods", "t-pods", "jane", cluster=False))
    assert jane.ask("GET", f"{NS}/pods").status == 200
    assert jane.ask("GET", "/api/v1/pods").status == 403
    assert jane.ask("DELETE", f"{NS}/pods/a").message == (
        'pods "a" is forbidden: User "jane" cannot delete resource "pods" in API group "" in the namespace "default"'
    )
    assert (jane.may("list", "pods"), jane.may("list", "pods", namespace=""), jane.may("create", "pods")) == (True, False, False)
    wire.delete(f"{rbac.root}/namespaces/default/rolebindings/t-pods")
    assert jane.ask("GET", f"{NS}/pods").status == 403


def test_a_role_that_is_gone_is_told_in_the_refusal(wire: Wire, rbac: Rbac, known: Callable[..., Somebody]):
    wire.create(*rbac.bound("t-gone", "t-nowhere", "jane"))
    refused = known("jane").ask("GET", f"{NS}/pods")
    assert refused.message.endswith(f'in the namespace "default": RBAC: clusterrole.{rbac.group} "t-nowhere" not found')


def test_what_everybody_may(wire: Wire, known: Callable[..., Somebody]):
    jane = known("jane")
    for path in ("/api", "/apis", "/apis/apps/v1", "/openapi/v2", "/version", "/healthz"):
        assert jane.ask("GET", path).status == 200, path
    for path in ("/metrics", "/healthz/ping", "/"):
        assert jane.ask("GET", path).status == 403, path
    for path, status in (("/version", 200), ("/healthz", 200), ("/apis", 403), ("/api/v1", 403)):
        assert wire.ask("GET", path, token="").status == status, path
    group = wire.dialect.group("authorization")
    review = jane.ask("POST", f"/apis/{group}/v1/selfsubjectrulesreviews", {"spec": {"namespace": "default"}}).json["status"]
    assert not review["incomplete"]
    assert [rule["resources"] for rule in review["resourceRules"]] == [
        ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        ["selfsubjectreviews"],
    ]
    assert "/api/*" in [path for rule in review["nonResourceRules"] for path in rule["nonResourceURLs"]]


def test_a_decision_names_the_binding(wire: Wire, rbac: Rbac):
    wire.create(*rbac.cluster_role("t-pods", PODS))
    wire.create(*rbac.bound("t-pods", "t-pods", "jane"))
    spec = {"user": "jane", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "x"}}
    path = f"/apis/{wire.dialect.group('authorization')}/v1/subjectaccessreviews"
    status = wire.ask("POST", path, {"spec": spec}).json["status"]
    assert status == {"allowed": True, "reason": 'RBAC: allowed by ClusterRoleBinding "t-pods" of ClusterRole "t-pods" to User "jane"'}


class Escalation(NamedTuple):
    jane: Somebody
    rbac: Rbac
    wire: Wire

    def grants(self, name: str, *rules: Object) -> None:
        self.wire.create(*self.rbac.cluster_role(f"t-{name}", *rules))
        self.wire.create(*self.rbac.bound(f"t-{name}", f"t-{name}", "jane"))


@pytest.fixture
def escalation(wire: Wire, rbac: Rbac, known: Callable[..., Somebody]) -> Escalation:
    """Jane may write roles and bindings, and get and list pods."""
    found = Escalation(known("jane", "dev"), rbac, wire)
    found.grants("writer", {"verbs": ["create", "update", "patch", "get"], "apiGroups": [rbac.group], "resources": ["*"]})
    found.grants("pods", PODS)
    return found


HERE = 'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'


def test_nobody_makes_a_role_of_more_than_they_have(escalation: Escalation):
    jane, rbac, wire = escalation
    assert jane.ask("POST", *rbac.cluster_role("t-same", PODS)).status == 201
    assert jane.ask("POST", *rbac.role("t-same", {**PODS, "resourceNames": ["a"]})).status == 201
    more = {"verbs": ["get", "delete", "create"], "apiGroups": ["", "apps"], "resources": ["pods"]}
    refused = jane.ask("POST", *rbac.cluster_role("t-more", more, {"verbs": ["get"], "nonResourceURLs": ["/metrics"]}))
    assert refused.status == 403
    assert refused.message.splitlines() == [
        *f'clusterroles.{rbac.group} "t-more" is forbidden: {HERE}'.splitlines(),
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "delete" "create"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ]
    assert jane.ask("POST", *rbac.role("t-more", more)).status == 403
    path = f"{rbac.root}/clusterroles/t-same"
    role = wire.get(path)
    assert jane.ask("PUT", path, {**role, "rules": [more]}).status == 403
    assert jane.ask("PUT", path, {**role, "metadata": {**role["metadata"], "labels": {"a": "b"}}}).status == 200
    assert wire.ask("PATCH", path, {"rules": [more]}, headers={"Content-Type": "application/merge-patch+json"}).status == 200
    escalation.grants(
        "escalate", {"verbs": ["escalate"], "apiGroups": [rbac.group], "resources": ["clusterroles"], "resourceNames": ["t-any"]}
    )
    assert jane.ask("POST", *rbac.cluster_role("t-any", more)).status == 201
    assert jane.ask("POST", *rbac.cluster_role("t-other", more)).status == 403


def test_stars_are_covered_by_stars_alone(escalation: Escalation):
    jane, rbac, _ = escalation
    for rule in (
        {**PODS, "verbs": ["*"]},
        {**PODS, "resources": ["*"]},
        {**PODS, "apiGroups": ["*"]},
        {**PODS, "resources": ["pods/log"]},
        {"verbs": ["get"], "nonResourceURLs": ["/api/*", "*"]},
    ):
        assert jane.ask("POST", *rbac.cluster_role("t-star", rule)).status == 403, rule
    assert jane.ask("POST", *rbac.cluster_role("t-path", {"verbs": ["get"], "nonResourceURLs": ["/api/v1", "/apis/*"]})).status == 201


def test_nobody_binds_a_role_of_more_than_they_have(escalation: Escalation):
    jane, rbac, _ = escalation
    assert jane.ask("POST", *rbac.bound("t-mine", "t-pods", "joe")).status == 201
    refused = jane.ask("POST", *rbac.bound("t-all", "cluster-admin", "jane"))
    assert refused.status == 403
    assert refused.message.splitlines() == [
        *f'clusterrolebindings.{rbac.group} "t-all" is forbidden: {HERE}'.splitlines(),
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
        '{NonResourceURLs:["*"], Verbs:["*"]}',
    ]
    assert jane.ask("POST", *rbac.bound("t-all", "cluster-admin", "jane", cluster=False)).status == 403
    missing = jane.ask("POST", *rbac.bound("t-none", "t-nowhere", "jane"))
    assert (missing.status, missing.message) == (404, f'clusterrole.{rbac.group} "t-nowhere" not found')
    escalation.grants("bind", {"verbs": ["bind"], "apiGroups": [rbac.group], "resources": ["clusterroles"], "resourceNames": ["view"]})
    assert jane.ask("POST", *rbac.bound("t-view", "view", "joe")).status == 201
    assert jane.ask("POST", *rbac.bound("t-edit", "edit", "joe")).status == 403


def test_gathering_rules_is_for_those_who_may_do_everything(escalation: Escalation):
    jane, rbac, wire = escalation
    gathers = {"clusterRoleSelectors": [{"matchLabels": {"t-gathered": "true"}}]}
    refused = jane.ask("POST", *rbac.cluster_role("t-gathers", aggregationRule=gathers))
    words = "must have cluster-admin privileges to use the aggregationRule"
    assert refused.message == f'clusterroles.{rbac.group} "t-gathers" is forbidden: {words}'
    wire.create(*rbac.cluster_role("t-gathers", aggregationRule=gathers))
    rules = [PODS, {"verbs": ["get"], "apiGroups": ["apps"], "resources": ["deployments"]}]
    for name, rule in zip("ba", rules, strict=True):
        path, role = rbac.cluster_role(f"t-{name}", rule, PODS)
        wire.create(path, {**role, "metadata": {**role["metadata"], "labels": {"t-gathered": "true"}}})
    path = f"{rbac.root}/clusterroles/t-gathers"
    wire.until(path, lambda role: role.get("rules") == [rules[1], PODS])
    wire.delete(f"{rbac.root}/clusterroles/t-a")
    wire.until(path, lambda role: role.get("rules") == [PODS])


def test_a_rule_of_more_rights_than_can_be_compared_has_to_be_covered_whole(escalation: Escalation):
    jane, rbac, _ = escalation
    many = [f"r{number}" for number in range(300)]
    rule = {"verbs": many, "apiGroups": many, "resources": many, "resourceNames": many}
    assert jane.ask("POST", *rbac.cluster_role("t-many", rule)).status == 403
    escalation.grants("all", {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
    assert jane.ask("POST", *rbac.cluster_role("t-many", rule)).status == 201


@pytest.mark.parametrize("mode", ["AlwaysDeny", "RBAC"])
def test_a_cluster_lives_whatever_its_users_are_judged_by(tmp_path: Path, mode: str):
    """Its components have their roles in every mode: who wants to see what a mode does to clients needs a cluster behind it."""
    with served(tmp_path / "home", "kubernetes", "--authorization-mode", mode, "--nodes", "1", "--clock", "x20") as server:
        wire = Wire(server)
        container = {"name": "a", "image": "nginx"}
        spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}}
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
        wire.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "web"}, "spec": {**spec, "template": template}})
        wire.until("/apis/apps/v1/namespaces/default/deployments/web", lambda obj: (obj.get("status") or {}).get("readyReplicas") == 1)
        joe = Somebody(wire, "joe", issue(server.pki, tmp_path, "joe"))
        assert joe.ask("GET", "/api").status == (200 if mode == "RBAC" else 403)
        if mode == "AlwaysDeny":
            assert joe.ask("GET", "/api").message == 'forbidden: User "joe" cannot get path "/api": Everything is forbidden.'
        assert joe.ask("GET", "/healthz").status == 200
        wire.close()
        assert wire.complaints() == []


@pytest.mark.parametrize(("modes", "words"), [("Nobody", "takes some of"), ("RBAC,RBAC", "each once"), ("", "takes some of")])
def test_a_mode_that_is_none_is_refused(tmp_path: Path, modes: str, words: str):
    done = ran("up", "--foreground", "--authorization-mode", modes, env=environment(tmp_path))
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_where_everybody_may_do_everything_nobody_is_anonymous(tmp_path: Path):
    with served(tmp_path / "home", "kubernetes", "--authorization-mode", "AlwaysAllow", "--nodes", "0") as server:
        wire = Wire(server)
        joe = Somebody(wire, "joe", issue(server.pki, tmp_path, "joe"))
        assert joe.ask("GET", "/api/v1/namespaces/default/secrets").status == 200
        assert wire.ask("GET", "/api/v1/namespaces/default/secrets", token="").status == 401
        wire.close()
