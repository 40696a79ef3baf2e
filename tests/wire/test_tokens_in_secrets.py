"""Tokens of service accounts that stand in Secrets, over the wire: good for as long as the Secret holds them."""

import base64
import re
from typing import NamedTuple

import pytest

from tests.wire.raw import Wire
from tests.wire.test_service_account_tokens import is_let_in, reviewed


class Held(NamedTuple):
    """A token and the path of its Secret."""

    token: str
    path: str
    account: str


@pytest.fixture
def held(wire: Wire, ns: str) -> Held:
    wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})
    secrets = f"/api/v1/namespaces/{ns}/secrets"
    annotations = {wire.dialect.key("service-account.name"): "robot"}
    wire.create(secrets, {"metadata": {"name": "t", "annotations": annotations}, "type": wire.dialect.key("service-account-token")})
    filled = wire.until(f"{secrets}/t", lambda obj: "token" in (obj.get("data") or {}))
    assert base64.b64decode(filled["data"]["ca.crt"]).decode() == wire.server.ca_pem
    token = base64.b64decode(filled["data"]["token"]).decode()
    return Held(token, f"{secrets}/t", f"/api/v1/namespaces/{ns}/serviceaccounts/robot")


def test_it_lets_its_account_in(wire: Wire, ns: str, held: Held):
    status = reviewed(wire, held.token)
    assert (status["authenticated"], status["user"]["username"]) == (True, f"system:serviceaccount:{ns}:robot")
    assert status["user"]["uid"] == wire.get(held.account)["metadata"]["uid"]
    assert "extra" not in status["user"]
    assert is_let_in(wire, held.token)
    assert "authenticated" not in reviewed(wire, held.token, "vault"), "it is for the API server alone"


def test_its_last_use_is_noted_once_a_day(wire: Wire, held: Held):
    key = wire.dialect.key("legacy-token-last-used")
    assert key not in (wire.get(held.path)["metadata"].get("labels") or {})
    before = wire.ask("GET", "/apis", token=held.token)
    assert "warning" not in before.headers, "somebody made it on purpose"
    noted = wire.get(held.path)["metadata"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", noted["labels"][key])
    assert is_let_in(wire, held.token)
    assert wire.get(held.path)["metadata"]["resourceVersion"] == noted["resourceVersion"]


def test_one_that_an_account_lists_is_warned_of(wire: Wire, held: Held):
    wire.patch(held.account, {"secrets": [{"name": "t"}]})
    answer = wire.ask("GET", "/apis", token=held.token)
    told = "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."
    assert (answer.status, answer.headers["warning"]) == (200, f'299 - "{told}"')


def test_it_ends_with_what_the_secret_holds(wire: Wire, held: Held):
    wire.patch(held.path, {"data": {"token": base64.b64encode(b"another").decode()}})
    assert not is_let_in(wire, held.token)
    assert reviewed(wire, held.token)["error"] == "[invalid bearer token, service account token does not match server's copy]"


def test_it_ends_with_the_secret(wire: Wire, held: Held):
    wire.delete(held.path)
    assert not is_let_in(wire, held.token)
    assert reviewed(wire, held.token)["error"] == "[invalid bearer token, service account token has been invalidated]"


def test_it_ends_with_the_account(wire: Wire, held: Held):
    secret = wire.get(held.path)
    wire.delete(held.account)
    assert not is_let_in(wire, held.token)
    wire.gone(held.path, secret)


def test_one_that_was_marked_is_no_longer_good_until_the_mark_is_taken_off(wire: Wire, ns: str, held: Held):
    key = wire.dialect.key("legacy-token-invalid-since")
    wire.patch(held.path, {"metadata": {"labels": {key: "2026-01-01"}}})
    assert not is_let_in(wire, held.token)
    assert f"the token in secret {ns}/t for service account {ns}/robot has been marked invalid." in reviewed(wire, held.token)["error"]
    wire.patch(held.path, {"metadata": {"labels": {key: None}}})
    assert is_let_in(wire, held.token)
