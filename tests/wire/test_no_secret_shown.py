"""A secret's value is for those who read the secret: it stands in no log, no error, no event, and nothing that tells of the cluster."""

import base64
import json

import pytest

from svcsim.dialect import DIALECTS
from tests.process import environment, ran, served
from tests.wire.raw import APPLY, JSON_PATCH, MERGE, STRATEGIC, Wire
from tests.wire.reviewing import reviewing, send

CANARY = "canary-7d20-value"
ENCODED = base64.b64encode(CANARY.encode()).decode()
TOKEN = "canary-token-5e"
SECRETS = "/api/v1/namespaces/default/secrets"


def mistakes(domain):
    """Requests about a secret that is there, each with the value in it, and each no good."""
    data = {"password": ENCODED}
    yield "POST", SECRETS, {"metadata": {"name": "UPPER"}, "data": data}, ""
    yield "POST", SECRETS, {"metadata": {"name": "a"}, "data": data}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "data": {"not a key!": ENCODED}}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "data": {"a": CANARY}}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "data": [CANARY]}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "data": {"a": {"b": CANARY}}}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "stringData": {"a": [CANARY]}}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "type": f"{domain}/tls", "data": data}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "type": f"{domain}/dockerconfigjson", "data": {".dockerconfigjson": ENCODED}}, ""
    yield "POST", SECRETS, {"metadata": {"name": "b"}, "type": f"{domain}/basic-auth", "data": {"a": ENCODED}}, ""
    yield "PUT", f"{SECRETS}/a", {"metadata": {"name": "a"}, "type": "other", "data": data}, ""
    yield "PUT", f"{SECRETS}/a", {"metadata": {"name": "other"}, "data": data}, ""
    yield "PUT", f"{SECRETS}/fixed", {"metadata": {"name": "fixed"}, "immutable": True, "data": data}, ""
    yield "PATCH", f"{SECRETS}/a", {"data": {"a": CANARY}}, MERGE
    yield "PATCH", f"{SECRETS}/a", {"data": CANARY}, STRATEGIC
    yield "PATCH", f"{SECRETS}/a", {"data": {"a": CANARY}}, STRATEGIC
    yield "PATCH", f"{SECRETS}/a", [{"op": "add", "path": "/data/a", "value": CANARY}], JSON_PATCH
    yield "PATCH", f"{SECRETS}/a", [{"op": "test", "path": "/data/password", "value": CANARY}], JSON_PATCH
    yield "PATCH", f"{SECRETS}/a", [{"op": "add", "path": "/nowhere/at/all", "value": CANARY}], JSON_PATCH
    applied = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"password": "b3RoZXI="}}
    yield "PATCH", f"{SECRETS}/a?fieldManager=one", applied, APPLY
    yield "POST", SECRETS, f'{{"metadata": {{"name": "b"}}, "data": {{"a": "{ENCODED}" }}'.encode(), ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_said_of_a_secret_that_is_no_good_says_nothing_of_its_value(tmp_path, dialect):
    with served(tmp_path / "home", dialect, "--nodes", "1") as server:
        wire = Wire(server)
        wire.create(SECRETS, {"metadata": {"name": "a"}, "data": {"password": ENCODED}})
        wire.create(SECRETS, {"metadata": {"name": "fixed"}, "immutable": True, "data": {"password": "eA=="}})
        for method, path, body, content_type in mistakes(wire.dialect.domain):
            answer = wire.ask(method, path, body, **({"content_type": content_type} if content_type else {}))
            assert answer.status >= 400, (method, path, body, answer.body)
            assert CANARY.encode() not in answer.body, (body, answer.body)
            assert ENCODED.encode() not in answer.body, (body, answer.body)

        container = {
            "name": "c",
            "image": "i",
            "env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "a", "key": "password"}}}],
        }
        wire.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "p"}, "spec": {"containers": [container]}})
        missing = {**container, "env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "a", "key": "absent"}}}]}
        wire.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "q"}, "spec": {"containers": [missing]}})
        with wire.hurried():
            wire.until("/api/v1/namespaces/default/pods/p", lambda pod: pod["status"].get("phase") == "Running")
            wire.until("/api/v1/namespaces/default/events", lambda events: any("absent" in one["message"] for one in events["items"]))
        for path in ("/api/v1/events", "/api/v1/pods", "/metrics", "/readyz?verbose", "/svcsim/v1/status", "/svcsim/v1/faults"):
            told = wire.ask("GET", path).body
            assert CANARY.encode() not in told, path
            assert ENCODED.encode() not in told, path

        for command in (["describe", "secret", "a"], ["get", "secrets", "-o", "wide"], ["events"], ["status"], ["config", "view"]):
            shown = told_by(tmp_path / "home", *command)
            assert CANARY not in shown, command
            assert ENCODED not in shown, command
            assert server.token not in shown, command
        manifest = tmp_path / "a.json"
        changed = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"password": "b3RoZXI="}}
        manifest.write_text(json.dumps(changed))
        shown = told_by(tmp_path / "home", "diff", "-f", str(manifest))
        assert "***" in shown
        assert ENCODED not in shown
        manifest.write_text(json.dumps({**changed, "data": {"password": CANARY}}))
        shown = told_by(tmp_path / "home", "apply", "-f", str(manifest))
        assert CANARY not in shown, shown
        wire.close()
    for hidden in (CANARY, ENCODED, server.token):
        assert hidden not in server.log


def told_by(home, *command):
    """All that a command says."""
    done = ran(*command, env=environment(home))
    return done.stdout + done.stderr


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_token_is_told_of_whatever_became_of_it(tmp_path, dialect):
    with reviewing(tmp_path / "webhook") as remote:
        file = remote.config(tmp_path, token="canary-own-9c")
        with served(tmp_path / "home", dialect, "--nodes", "0", "--authentication-token-webhook-config-file", str(file)) as server:
            wire = Wire(server)
            remote.decide = lambda spec: {"error": f"{spec['token']} is unknown"}
            told = [wire.ask("GET", "/version", token=TOKEN).body]
            remote.answer = lambda handler, review: send(handler, 403, json.dumps(review).encode())
            told.append(wire.ask("GET", "/version", token=f"{TOKEN}-2").body)
            remote.answer = lambda handler, review: send(handler, 200, json.dumps({**review, "kind": review["spec"]["token"]}).encode())
            told.append(wire.ask("GET", "/version", token=f"{TOKEN}-3").body)
            told += [wire.ask("GET", path).body for path in ("/metrics", "/svcsim/v1/status", "/api/v1/events")]
            told.append(wire.ask("GET", f"/api/v1/pods?token={TOKEN}-4", token="x").body)
            wire.close()
        for text in (*told, server.log.encode()):
            assert TOKEN.encode() not in text, text
            assert b"canary-own" not in text, text
