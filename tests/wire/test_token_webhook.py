"""Bearer tokens that a server outside of the cluster knows, from the client's header to that server and back."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import kubernetes
import pytest

from svcsim.dialect import DIALECTS
from svcsim.wall import stopwatch, wall_sleep
from tests.outbound.tls import Authority
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.reviewing import hang_up, reviewing, send

pytestmark = pytest.mark.usefixtures("left_to_the_collector")

ALICE = {"username": "alice", "uid": "4711", "groups": ["dev", "ops"], "extra": {"example.com/team": ["blue", "green"]}}


def known(spec):
    if spec["token"].startswith("good"):
        return {"authenticated": True, "user": ALICE}
    return {"authenticated": False, "error": f"no such token: {spec['token']}"} if spec["token"].startswith("told") else {}


@contextmanager
def asking(tmp_path, dialect, *options, clients=None, **user):
    """A cluster that asks a webhook, and that webhook."""
    with reviewing(tmp_path / "webhook", clients=clients) as remote:
        remote.decide = known
        file = remote.config(tmp_path, **user)
        with served(
            tmp_path / "home", dialect, "--nodes", "0", "--authentication-token-webhook-config-file", str(file), *options
        ) as server:
            wire = Wire(server)
            yield remote, wire
            wire.close()


def who(wire, token):
    review = {"kind": "SelfSubjectReview", "apiVersion": f"{wire.dialect.group('authentication')}/v1"}
    path = f"/apis/{wire.dialect.group('authentication')}/v1/selfsubjectreviews"
    return wire.ask("POST", path, review, token=token)


def reviewed(wire, token, audiences=()):
    group = f"{wire.dialect.group('authentication')}/v1"
    review = {"kind": "TokenReview", "apiVersion": group, "spec": {"token": token, "audiences": list(audiences)}}
    return wire.ask("POST", f"/apis/{group}/tokenreviews", review).json["status"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_who_has_a_token_is_who_the_webhook_says(tmp_path, dialect):
    with asking(tmp_path, dialect, token="the-server-s-own") as (remote, wire):
        status = reviewed(wire, "good-1")
        assert (status["authenticated"], status["user"]) == (True, {**ALICE, "groups": ["dev", "ops", "system:authenticated"]})
        api_server = wire.dialect.default_service
        group = wire.dialect.group("authentication")
        audiences = [f"https://{api_server}.default.svc.cluster.local"]
        asked = {
            "kind": "TokenReview",
            "apiVersion": f"{group}/v1beta1",
            "metadata": {},
            "spec": {"token": "good-1", "audiences": audiences},
        }
        assert remote.asked == [asked]
        assert remote.heads[0]["authorization"] == "Bearer the-server-s-own"
        assert remote.heads[0]["content-type"] == "application/json"
        assert remote.paths[0].partition("?")[0] == "/review"

        answer = wire.ask("GET", "/api/v1/namespaces/default/pods", token="good-1")
        assert (answer.status, answer.message.partition(" cannot")[0]) == (403, 'pods is forbidden: User "alice"')
        assert wire.ask("GET", "/apis", token="good-1").status == 200
        assert len(remote.asked) == 1, "the decision of before was remembered"

        # Others come first, and are not asked about.
        assert wire.ask("GET", "/api/v1/namespaces/default/pods").status == 200
        assert len(remote.asked) == 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_refused_token_is_401_in_the_webhook_s_words(tmp_path, dialect):
    with asking(tmp_path, dialect) as (remote, wire):
        answer = wire.ask("GET", "/version", token="told-7a8b9c")
        assert (answer.status, answer.reason, answer.message) == (401, "Unauthorized", "no such token: …")
        assert reviewed(wire, "told-7a8b9c") == {"user": {}, "error": "no such token: …"}
        answer = wire.ask("GET", "/version", token="unknown")
        assert (answer.status, answer.message) == (401, "Unauthorized")
        assert wire.ask("GET", "/version", token="unknown").status == 401
        assert [review["spec"]["token"] for review in remote.asked] == ["told-7a8b9c", "unknown"], "refusals are remembered too"
        assert "7a8b9c" not in wire.server.log


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_version_that_is_sent_can_be_chosen_and_must_be_echoed(tmp_path, dialect):
    with asking(tmp_path, dialect, "--authentication-token-webhook-version", "v1") as (remote, wire):
        assert wire.ask("GET", "/version", token="good").status == 200
        assert remote.asked[0]["apiVersion"] == f"{wire.dialect.group('authentication')}/v1"

        for other in (
            {"apiVersion": f"{wire.dialect.group('authentication')}/v1beta1"},
            {"apiVersion": "authentication.example.com/v1"},
            {"kind": "TokenReviews"},
        ):
            status = {"authenticated": True, "user": ALICE}
            remote.answer = lambda handler, review, other=other, status=status: send(
                handler, 200, json.dumps({**review, **other, "status": status}).encode()
            )
            assert wire.ask("GET", "/version", token="good-but-otherwise").status == 401
        remote.answer = remote.reply
        assert wire.ask("GET", "/version", token="good-but-otherwise").status == 200, "what failed was not remembered"
        assert "expected webhook response of" in wire.server.log
        # What stands in the answer's spec is nothing to go by.
        remote.answer = lambda handler, review: send(handler, 200, json.dumps({**review, "spec": {"token": "good"}, "status": {}}).encode())
        assert wire.ask("GET", "/version", token="bad").status == 401


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_token_is_good_for_the_audiences_that_the_webhook_names(tmp_path, dialect):
    with asking(tmp_path, dialect) as (remote, wire):
        own = f"https://{wire.dialect.default_service}.default.svc.cluster.local"

        def of(*audiences):
            return lambda _: {"authenticated": True, "user": ALICE, "audiences": list(audiences)}

        remote.decide = of("vault")
        assert wire.ask("GET", "/version", token="good-for-vault").status == 401
        assert reviewed(wire, "good-for-vault", ["vault", "other"])["audiences"] == ["vault"]
        assert remote.asked[-1]["spec"]["audiences"] == ["vault", "other"]
        remote.decide = of("vault", own)
        assert wire.ask("GET", "/version", token="good-for-both").status == 200
        remote.decide = known
        assert "authenticated" not in reviewed(wire, "good-for-us", ["vault"]), "where it names none, it is for the API server"
        assert reviewed(wire, "good-for-us")["audiences"] == [own]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_webhook_that_wants_a_certificate_gets_one(tmp_path, dialect):
    ours = Authority("clients")
    certificate, key = ours.issue("api-server")
    files = {"client-certificate": tmp_path / "client.crt", "client-key": tmp_path / "client.key"}
    for path, content in zip(files.values(), (certificate, key), strict=True):
        path.write_bytes(content)
        path.chmod(0o600)
    with asking(tmp_path, dialect, clients=ours.pem, **{"client-certificate": "client.crt", "client-key": str(files["client-key"])}) as (
        _,
        wire,
    ):
        assert wire.ask("GET", "/version", token="good").status == 200
    with asking(tmp_path / "again", dialect, clients=ours.pem) as (remote, wire):
        assert wire.ask("GET", "/version", token="good").status == 401
        assert remote.asked == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_whatever_the_webhook_does_the_answer_is_401_and_others_are_let_in(tmp_path, dialect):
    with asking(tmp_path, dialect) as (remote, wire):

        def raw(status, body, **headers):
            return lambda handler, _: send(handler, status, body, **headers)

        def spoiled(status):
            return lambda handler, review: send(handler, 200, json.dumps({**review, "status": status}).encode())

        ways = [
            raw(200, b"no JSON"),
            raw(200, b"[]"),
            raw(200, b"x" * (2 * 1024 * 1024)),
            raw(302, b"", Location=f"https://127.0.0.1:{remote.port}/elsewhere"),
            raw(403, b"{}"),
            spoiled([]),
            spoiled({"authenticated": "yes", "user": ALICE}),
            spoiled({"authenticated": True}),
            spoiled({"authenticated": True, "user": {"username": ""}}),
            spoiled({"authenticated": True, "user": {"username": 7}}),
            spoiled({"authenticated": True, "user": {**ALICE, "groups": "system:masters"}}),
            spoiled({"authenticated": True, "user": {**ALICE, "extra": {"a": "b"}}}),
            spoiled({"authenticated": True, "user": ALICE, "audiences": "x"}),
            hang_up,
        ]
        for number, way in enumerate(ways):
            remote.answer = way
            answer = wire.ask("GET", "/version", token=f"good-{number}")
            assert (answer.status, answer.message) == (401, "Unauthorized"), number
            assert wire.ask("GET", "/api/v1/namespaces").status == 200
        assert not [path for path in remote.paths if "elsewhere" in path], "a redirect is not followed"


def test_a_webhook_in_trouble_is_asked_again(tmp_path):
    with asking(tmp_path, "kubernetes") as (remote, wire):
        troubles = iter([500, 502, 429])

        def recovering(handler, review):
            status = next(troubles, None)
            if status is None:
                remote.reply(handler, review)
            else:
                send(handler, status, b"{}")

        remote.answer = recovering
        assert wire.ask("GET", "/version", token="good").status == 200
        assert len(remote.asked) == 4


def test_a_webhook_that_is_not_there_locks_nobody_else_out(tmp_path):
    with reviewing(tmp_path / "webhook") as gone:
        file = gone.config(tmp_path)
    with served(tmp_path / "home", "kubernetes", "--nodes", "0", "--authentication-token-webhook-config-file", str(file)) as server:
        wire = Wire(server)
        began = stopwatch()
        assert wire.ask("GET", "/version", token="good").status == 401
        assert stopwatch() - began < 5, "who can't be reached is not waited for"
        assert wire.ask("GET", "/api/v1/namespaces").status == 200
        assert "connection refused" in server.log
        wire.close()


def test_decisions_last_for_their_time_in_the_cluster_s_time(tmp_path):
    with asking(tmp_path, "kubernetes", "--clock", "paused", "--authentication-token-webhook-cache-ttl", "2m") as (remote, wire):

        def step(by):
            answer = wire.ask("PUT", "/svcsim/v1/clock", {"step": by})
            assert answer.status == 200, answer.body

        for token in ("good", "bad"):
            wire.ask("GET", "/version", token=token)
        step(119)
        for token in ("good", "bad"):
            wire.ask("GET", "/version", token=token)
        assert len(remote.asked) == 2
        step(2)
        for token in ("good", "bad"):
            wire.ask("GET", "/version", token=token)
        assert len(remote.asked) == 4


def test_many_who_ask_the_same_at_once_have_it_asked_once(tmp_path):
    with asking(tmp_path, "kubernetes") as (remote, wire):

        def slow(handler, review):
            wall_sleep(0.5)
            remote.reply(handler, review)

        remote.answer = slow
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: wire.ask("GET", "/version", token="good").status, range(8)))
        assert answers == [200] * 8
        assert len(remote.asked) == 1


def test_a_python_client_gets_in_by_such_a_token(tmp_path):
    with asking(tmp_path, "kubernetes") as (remote, wire):
        remote.decide = lambda _: {"authenticated": True, "user": {"username": "root", "groups": ["system:masters"]}}
        authority = tmp_path / "ca.pem"
        authority.write_text(wire.server.ca_pem)
        configuration = kubernetes.client.Configuration(host=wire.server.url)
        configuration.ssl_ca_cert = str(authority)
        configuration.api_key = {"authorization": "Bearer good"}
        with kubernetes.client.ApiClient(configuration) as client:
            names = [one.metadata.name for one in kubernetes.client.CoreV1Api(client).list_namespace().items]
        assert "kube-system" in names
        assert remote.asked


def test_a_server_with_another_name_can_be_meant(tmp_path):
    with reviewing(tmp_path / "webhook", "hooks.example.com") as remote:
        remote.decide = known
        file = remote.config(tmp_path, cluster={"tls-server-name": "hooks.example.com"}, username="us", password="secret")
        with served(tmp_path / "home", "kubernetes", "--nodes", "0", "--authentication-token-webhook-config-file", str(file)) as server:
            wire = Wire(server)
            assert wire.ask("GET", "/version", token="good").status == 200
            assert remote.heads[0]["authorization"] == f"Basic {base64.b64encode(b'us:secret').decode()}"
            wire.close()
