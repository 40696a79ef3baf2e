"""Audit events that are sent to a server outside: a real one, over TLS, that keeps what it was sent."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from svcsim.dialect import DIALECTS
from tests.outbound.tls import Authority
from tests.process import served
from tests.waiting import until
from tests.wire.raw import Wire

POLICY = """
apiVersion: {group}/v1
kind: Policy
rules:
- level: None
  users: ["system:kube-controller-manager", "system:kube-scheduler", "system:kubelet", "system:informers", "system:apiserver",
          "system:kube-apiserver"]
- level: Request
"""


@pytest.fixture
def receiver(tmp_path):
    """A server that takes lists of events; while ``refusing`` it answers 503. Gives it, and the client configuration that leads to it."""
    authority = Authority()
    seen = SimpleNamespace(lists=[], tokens=[], refusing=0, refused=0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if seen.refusing:
                seen.refusing -= 1
                seen.refused += 1
            else:
                seen.lists.append(json.loads(body))
                seen.tokens.append(self.headers["Authorization"])
            self.send_response(503 if seen.refused and not seen.lists else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing: a test has no use for it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = authority.server_context(tmp_path, "127.0.0.1").wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    (tmp_path / "ca.pem").write_bytes(authority.pem)
    config = tmp_path / "webhook.yaml"
    config.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: audit\n"
        f"clusters: [{{name: it, cluster: {{server: 'https://127.0.0.1:{server.server_address[1]}/events', "
        "certificate-authority: ca.pem}}]\n"
        "users: [{name: us, user: {token: the-audit-token}}]\n"
        "contexts: [{name: audit, context: {cluster: it, user: us}}]\n"
    )
    config.chmod(0o600)
    seen.config = config
    yield seen
    server.shutdown()
    server.server_close()
    thread.join()


def items(seen) -> list[dict]:
    return [item for one in seen.lists for item in one["items"]]


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_events_come_in_lists_with_the_credentials_of_the_configuration(tmp_path, receiver, dialect):
    policy, group = tmp_path / "policy.yaml", DIALECTS[dialect].group("audit")
    policy.write_text(POLICY.format(group=group))
    options = (
        "--audit-policy-file",
        str(policy),
        "--audit-webhook-config-file",
        str(receiver.config),
        "--audit-webhook-batch-max-wait",
        "200ms",
    )
    with served(tmp_path / "home", dialect, "--nodes", "0", *options) as server:
        wire = Wire(server)
        wire.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "a"}, "data": {"b": "c"}})
        uri, who = "/api/v1/namespaces/default/configmaps", server.dialect.administrator

        def ours() -> list[dict]:
            asked = [one for one in items(receiver) if (one["requestURI"], one["verb"]) == (uri, "create")]
            return [one for one in asked if one["user"]["username"] == who]

        until(lambda: len(ours()) == 2)
        wire.close()
        assert wire.complaints() == []
    received, complete = ours()
    assert (received["stage"], complete["stage"]) == ("RequestReceived", "ResponseComplete")
    assert received["stageTimestamp"] == received["requestReceivedTimestamp"]
    assert complete["requestObject"]["data"] == {"b": "c"}
    assert "kind" not in complete
    assert {(one["kind"], one["apiVersion"]) for one in receiver.lists} == {("EventList", f"{group}/v1")}
    assert set(receiver.tokens) == {"Bearer the-audit-token"}


def test_a_receiver_that_was_away_is_sent_the_same_again(tmp_path, receiver):
    receiver.refusing = 2
    options = ("--audit-webhook-batch-max-wait", "50ms", "--audit-webhook-initial-backoff", "50ms")
    with served(tmp_path / "home", "svcapi", "--nodes", "0", "--audit-webhook-config-file", str(receiver.config), *options) as server:
        wire = Wire(server)
        assert wire.ask("GET", "/api/v1/namespaces/default").status == 200
        until(lambda: any(one["requestURI"] == "/api/v1/namespaces/default" for one in items(receiver)))
        wire.close()
    assert receiver.refused == 2


def test_what_nobody_waited_for_is_sent_when_the_server_stops(tmp_path, receiver):
    options = ("--audit-webhook-config-file", str(receiver.config), "--audit-webhook-batch-max-wait", "1h")
    with served(tmp_path / "home", "svcapi", "--nodes", "0", *options) as server:
        wire = Wire(server)
        wire.ask("GET", "/api/v1/namespaces/default?last=1")
        wire.close()
    assert [one["stage"] for one in items(receiver) if one["requestURI"].endswith("?last=1")] == ["ResponseComplete"]
