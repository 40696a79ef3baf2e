"""What a file says of admission plugins: who the server is to webhooks, and what server decides about images."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.admitting import ALLOWED, Hooks, admitting
from tests.wire.raw import Answer, Wire
from tests.wire.reviewing import Reviewing, hang_up, reviewing, send
from tests.wire.test_start_refused import private, refused

PODS = "/api/v1/namespaces/default/pods"
OPTION = "--admission-control-config-file"


def config(dialect: str, *plugins: Object) -> str:
    version = f"{DIALECTS[dialect].group('apiserver.config')}/v1"
    return json.dumps({"apiVersion": version, "kind": "AdmissionConfiguration", "plugins": list(plugins)})


def of_webhooks(dialect: str, name: str, file: str) -> Object:
    known = DIALECTS[dialect]
    kind = {"apiVersion": f"{known.group('apiserver.config')}/v1", "kind": "WebhookAdmissionConfiguration"}
    return {"name": name, "configuration": {**kind, known.webhook_config_field: file}}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_webhooks_are_told_who_asks(tmp_path: Path, dialect: str) -> None:
    users = tmp_path / "users.json"
    file = private(tmp_path / "admission.json", config(dialect, of_webhooks(dialect, "ValidatingAdmissionWebhook", "users.json")))
    private(users, json.dumps({"users": [{"name": "127.0.0.1:1", "user": {"token": "nobody"}}, {"name": "*", "user": {"token": "all"}}]}))
    with admitting(tmp_path, dialect, OPTION, str(file)) as hooks:
        for kind in ("validating", "mutating"):
            hooks.configure(kind, "c", hooks.webhook(ALLOWED, f"/{kind}"))
        assert _made(hooks).status == 201
        told = {
            path.partition("?")[0]: head.get("authorization") for path, head in zip(hooks.remote.paths, hooks.remote.heads, strict=True)
        }
        assert told == {"/validating": "Bearer all", "/mutating": None}


def _made(hooks: Hooks) -> Answer:
    return hooks.wire.ask("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": hooks.wire.fresh("map")}})


@contextmanager
def deciding(tmp_path: Path, dialect: str, **policy: object) -> Iterator[tuple[Reviewing, Wire]]:
    """A cluster whose images a server decides about."""
    with reviewing(tmp_path / "policy") as remote:
        remote.config(tmp_path)
        content = {"imagePolicy": {DIALECTS[dialect].webhook_config_field: "webhook.json", **policy}}
        private(tmp_path / "policy.json", json.dumps(content))
        file = private(tmp_path / "admission.json", config(dialect, {"name": "ImagePolicyWebhook", "path": "policy.json"}))
        options = ("--nodes", "0", "--enable-admission-plugins", "ImagePolicyWebhook", OPTION, str(file), "--clock", "paused")
        with served(tmp_path / "home", dialect, *options) as server:
            wire = Wire(server)
            yield remote, wire
            wire.close()


def pod(wire: Wire, image: str, **annotations: str) -> Answer:
    spec = {"containers": [{"name": "c", "image": image}], "initContainers": [{"name": "first", "image": "first:1"}]}
    return wire.ask("POST", PODS, {"metadata": {"name": wire.fresh("pod"), "annotations": annotations}, "spec": spec})


def judge(spec: Object) -> Object:
    images = [one["image"] for one in spec["containers"]]
    if "silent:1" in images:
        return {"allowed": False}
    return {"allowed": "bad:1" not in images, "reason": "it is bad"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_server_decides_about_images(tmp_path: Path, dialect: str) -> None:
    with deciding(tmp_path, dialect, allowTTL=50, denyTTL=10) as (remote, wire):
        remote.decide = judge
        group = wire.dialect.group("imagepolicy")
        key = f"breakglass.image-policy.{wire.dialect.group_suffix}/ticket"
        assert pod(wire, "good:1", **{key: "17", "other": "x"}).status == 201
        (review,) = remote.asked
        assert {name: review[name] for name in ("apiVersion", "kind")} == {"apiVersion": f"{group}/v1alpha1", "kind": "ImageReview"}
        images = [{"image": "good:1"}, {"image": "first:1"}]
        assert review["spec"] == {"containers": images, "namespace": "default", "annotations": {key: "17"}}
        told = pod(wire, "bad:1")
        assert (told.status, told.message.partition("forbidden: ")[2]) == (
            403,
            "image policy webhook backend denied one or more images: it is bad",
        )
        assert pod(wire, "silent:1").message.endswith("one or more images rejected by webhook backend")
        asked = len(remote.asked)
        pod(wire, "bad:1")
        assert len(remote.asked) == asked, "what was decided is remembered"
        wire.ask("PUT", "/svcsim/v1/clock", {"step": 11})
        pod(wire, "bad:1")
        assert len(remote.asked) == asked + 1


def test_nobody_is_let_in_once_the_client_waits_no_longer(tmp_path: Path) -> None:
    """Though images may be run where the server can't be asked."""
    with deciding(tmp_path, "kubernetes", defaultAllow=True) as (remote, wire):
        release = threading.Event()

        def hang(handler: object, review: Object) -> None:
            release.wait(30)
            hang_up(handler, review)

        remote.answer = hang
        spec = {"containers": [{"name": "c", "image": "slow:1"}]}
        answer = wire.ask("POST", f"{PODS}?timeout=1s", {"metadata": {"name": "late"}, "spec": spec})
        release.set()
        assert (answer.status, answer.reason) == (504, "Timeout")
        assert wire.ask("GET", f"{PODS}/late").status == 404


@pytest.mark.parametrize("allow", [False, True])
def test_where_it_can_not_be_asked_its_configuration_says_what_follows(tmp_path: Path, allow: bool) -> None:
    with deciding(tmp_path, "kubernetes", defaultAllow=allow) as (remote, wire):
        remote.answer = hang_up
        assert pod(wire, "good:1").status == (201 if allow else 403)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("backoff_ms", "times"), [(1, "more"), (-1, "more"), (300_000, "once")])
def test_the_configuration_says_how_long_it_waits_before_it_asks_again(tmp_path: Path, dialect: str, backoff_ms: int, times: str) -> None:
    asked: list[Object] = []

    def troubled(handler: BaseHTTPRequestHandler, review: Object) -> None:
        asked.append(review)
        send(handler, 500, b"{}")

    with deciding(tmp_path, dialect, retryBackoff=backoff_ms) as (remote, wire):
        remote.answer = troubled
        assert pod(wire, "good:1").status == 403
        assert ("once" if len(asked) == 1 else "more") == times, "a pause that is longer than the request may take is not begun"


ANSWERS = (
    *((status, {}, True) for status in (429, 500, 502, 504)),
    *((status, {}, False) for status in (400, 403, 503)),
    *((status, {"Retry-After": "1"}, True) for status in (400, 503)),
    *((503, {"Retry-After": wait}, False) for wait in ("0", "-1", "soon")),
)
"""What a server in trouble answers, and whether it is asked again."""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_is_asked_again_where_that_may_help(tmp_path: Path, dialect: str) -> None:
    """Where it has trouble of its own, is busy, or asks for it: one that says that it isn't there just now is not."""
    with deciding(tmp_path, dialect, retryBackoff=1) as (remote, wire):
        for status, headers, again in ANSWERS:
            asked: list[Object] = []
            remote.answer = partial(_troubled, status=status, headers=headers, asked=asked)
            assert pod(wire, "good:1").status == 403
            assert (len(asked) > 1) == again, (status, headers)


def _troubled(handler: BaseHTTPRequestHandler, review: Object, *, status: int, headers: dict[str, str], asked: list[Object]) -> None:
    asked.append(review)
    send(handler, status, b"{}", **headers)


MISTAKES = (
    ("nonsense", "it is no object"),
    ('{"kind": "AdmissionConfiguration"}', "it must be an AdmissionConfiguration of apiserver.config.k8s.io/v1, and is an"),
    (config("kubernetes", {"name": "Nobody"}), 'there is nothing to configure of a plugin "Nobody"; there is of MutatingAdmissionWebhook'),
    (config("kubernetes", *[{"name": "ImagePolicyWebhook"}] * 2), 'the plugin "ImagePolicyWebhook" is configured twice'),
    (config("kubernetes", {"name": "MutatingAdmissionWebhook", "configuration": {}}), "it must be a WebhookAdmissionConfiguration of"),
    (config("kubernetes", of_webhooks("kubernetes", "MutatingAdmissionWebhook", "missing")), "missing: there is no such file"),
    (config("kubernetes", {"name": "ImagePolicyWebhook", "configuration": {}}), "imagePolicy is missing, which says what server to ask"),
    (config("kubernetes", {"name": "ImagePolicyWebhook", "path": "missing"}), "missing can't be read: no such file or directory"),
)


@pytest.mark.parametrize(("content", "why"), MISTAKES)
def test_mistakes_are_told_at_the_start(tmp_path: Path, content: str, why: str) -> None:
    file = private(tmp_path / "admission", content)
    said = refused(tmp_path / "home", "kubernetes", OPTION, str(file))
    assert said.startswith(f"error: {OPTION}: ")
    assert why in said
