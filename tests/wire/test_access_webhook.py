"""Permission that a server outside of the cluster gives, for users whom another one knows."""

import json
from contextlib import contextmanager

import pytest

from svcsim.dialect import DIALECTS
from tests.outbound.tls import Authority
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.reviewing import reviewing, send

PODS = "/api/v1/namespaces/default/pods"


@contextmanager
def deciding(tmp_path, dialect, *options, mode="Webhook", clients=None, **user):
    """A cluster whose users and permissions others know: the server that decides, and a way to ask the cluster."""
    with reviewing(tmp_path / "who") as knows, reviewing(tmp_path / "may", clients=clients) as decides:
        knows.decide = lambda spec: {"authenticated": True, "user": {"username": spec["token"], "uid": "7", "extra": {"team": ["blue"]}}}
        files = (knows.config(tmp_path / "who"), decides.config(tmp_path / "may", **user))
        named = ("--authentication-token-webhook-config-file", str(files[0]), "--authorization-webhook-config-file", str(files[1]))
        named = ("--authorization-mode", mode, *named)
        with served(tmp_path / "home", dialect, "--nodes", "0", *named, *options) as server:
            wire = Wire(server)
            yield decides, wire
            wire.close()


@pytest.mark.parametrize(("version", "groups"), [("v1", "groups"), ("v1beta1", "group")])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_the_server_allows_may_be_and_is_remembered(tmp_path, dialect, version, groups):
    with deciding(tmp_path, dialect, *(("--authorization-webhook-version", version) if version == "v1" else ())) as (decides, wire):
        decides.decide = lambda spec: {"allowed": spec.get("resourceAttributes", {}).get("verb") == "list", "reason": "only lists"}
        path = f"{PODS}?labelSelector=app%20in%20(a,b),!c&fieldSelector=spec.nodeName!=x"
        for _ in range(2):
            assert wire.ask("GET", path, token="alice").status == 200
        assert decides.asked == [
            {
                "kind": "SubjectAccessReview",
                "apiVersion": f"{wire.dialect.group('authorization')}/{version}",
                "metadata": {},
                "spec": {
                    "user": "alice",
                    "uid": "7",
                    groups: ["system:authenticated"],
                    "extra": {"team": ["blue"]},
                    "resourceAttributes": {
                        "namespace": "default",
                        "verb": "list",
                        "version": "v1",
                        "resource": "pods",
                        "fieldSelector": {"requirements": [{"key": "spec.nodeName", "operator": "NotIn", "values": ["x"]}]},
                        "labelSelector": {
                            "requirements": [
                                {"key": "app", "operator": "In", "values": ["a", "b"]},
                                {"key": "c", "operator": "DoesNotExist"},
                            ]
                        },
                    },
                },
            }
        ]
        answer = wire.ask("GET", f"{PODS}/a/log", token="alice")
        assert (answer.status, answer.message) == (
            403,
            'pods "a" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default": only lists',
        )
        asked = decides.asked[-1]["spec"]["resourceAttributes"]
        assert asked == {"namespace": "default", "verb": "get", "version": "v1", "resource": "pods", "subresource": "log", "name": "a"}
        assert wire.ask("GET", "/metrics", token="alice").status == 403
        assert decides.asked[-1]["spec"]["nonResourceAttributes"] == {"path": "/metrics", "verb": "get"}
        assert len(decides.asked) == 3


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_review_of_access_says_what_the_server_says(tmp_path, dialect):
    ours = Authority("clients")
    certificate, key = ours.issue("api-server")
    for name, content in (("client.crt", certificate), ("client.key", key)):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    shown = {"client-certificate": str(tmp_path / "client.crt"), "client-key": str(tmp_path / "client.key")}
    with deciding(tmp_path, dialect, "--authorization-webhook-version", "v1", clients=ours.pem, **shown) as (decides, wire):
        group = f"{wire.dialect.group('authorization')}/v1"

        def may(user, verb="get"):
            spec = {"user": user, "resourceAttributes": {"verb": verb, "resource": "secrets", "namespace": "default"}}
            answer = wire.ask(
                "POST", f"/apis/{group}/subjectaccessreviews", {"kind": "SubjectAccessReview", "apiVersion": group, "spec": spec}
            )
            return answer.json["status"]

        decides.decide = lambda spec: {"mallory": {"allowed": False, "denied": True, "reason": "never"}, "alice": {"allowed": True}}.get(
            spec["user"], {}
        )
        assert may("alice") == {"allowed": True}
        assert may("mallory") == {"allowed": False, "denied": True, "reason": "never"}
        assert may("bob") == {"allowed": False}
        decides.answer = lambda handler, _: send(handler, 403, b"no")
        status = may("carol")
        assert status["allowed"] is False
        assert "incident" in status["evaluationError"]
        rules = wire.ask(
            "POST",
            f"/apis/{group}/selfsubjectrulesreviews",
            {"kind": "SelfSubjectRulesReview", "apiVersion": group, "spec": {"namespace": "a"}},
        ).json["status"]
        assert (rules["incomplete"], rules["evaluationError"]) == (True, "webhook authorizer does not support user rule resolution")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_may_be_where_nobody_can_say(tmp_path, dialect):
    with deciding(tmp_path, dialect) as (decides, wire):

        def spoiled(status, **other):
            return lambda handler, review: send(handler, 200, json.dumps({**review, "status": status, **other}).encode())

        ways = [
            lambda handler, _: send(handler, 200, b"no JSON"),
            lambda handler, _: send(handler, 302, b"", Location="https://127.0.0.1/"),
            spoiled({"allowed": True, "denied": True}),
            spoiled({"allowed": "true"}),
            spoiled({"allowed": True}, apiVersion="v1"),
            spoiled({"allowed": True, "reason": 7}),
            spoiled([]),
        ]
        for number, way in enumerate(ways):
            decides.answer = way
            answer = wire.ask("GET", PODS, token=f"user-{number}")
            assert (answer.status, answer.reason) == (500, "InternalError"), number
            assert wire.ask("GET", PODS).status == 200, "administrators are asked nobody about"
        decides.answer, decides.decide = decides.reply, lambda _: {"allowed": True}
        assert wire.ask("GET", PODS, token="user-0").status == 200, "a failure is not remembered"
        decides.answer = spoiled(None)
        assert wire.ask("GET", PODS, token="somebody").status == 403


def test_refusals_are_forgotten_sooner_than_permissions_in_the_cluster_s_time(tmp_path):
    with deciding(tmp_path, "kubernetes", "--clock", "paused", "--authentication-token-webhook-cache-ttl", "24h") as (decides, wire):
        decides.decide = lambda spec: {"allowed": spec["user"] == "alice"}

        def asked_after(seconds):
            assert not seconds or wire.ask("PUT", "/svcsim/v1/clock", {"step": seconds}).status == 200
            decides.asked.clear()
            assert [wire.ask("GET", PODS, token=user).status for user in ("alice", "bob")] == [200, 403]
            return [review["spec"]["user"] for review in decides.asked]

        assert asked_after(0) == ["alice", "bob"]
        assert asked_after(29) == []
        assert asked_after(2) == ["bob"]
        assert asked_after(270) == ["alice", "bob"]


def test_it_is_asked_what_the_roles_say_nothing_of(tmp_path):
    with deciding(tmp_path, "kubernetes", mode="RBAC,Webhook") as (decides, wire):
        decides.decide = lambda spec: {"allowed": spec["user"] == "alice"}
        group = "/apis/rbac.authorization.k8s.io/v1"
        subjects = [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]
        role = {"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"}
        wire.create(f"{group}/namespaces/default/rolebindings", {"metadata": {"name": "b"}, "subjects": subjects, "roleRef": role})
        assert [wire.ask("GET", PODS, token=user).status for user in ("alice", "bob", "carol")] == [200, 200, 403]
        assert [review["spec"]["user"] for review in decides.asked] == ["alice", "carol"]
