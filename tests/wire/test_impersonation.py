"""Asking as somebody else, over the wire. Administrators may; whom they ask as may what that one may."""

import json
import shutil
import ssl
from contextlib import closing
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.wire.raw import Answer, Wire
from tests.wire.test_auth import issue
from tests.wire.test_kubectl import Kubectl

Headers = tuple[tuple[str, str], ...]
REVIEW = {"metadata": {}}


def ask(wire: Wire, method: str, path: str, headers: Headers, body: Object | None = None, token: str | None = None, tls=None) -> Answer:
    """A request whose headers may come more than once."""
    sent = json.dumps(body).encode() if body is not None else b""
    with closing(wire.connect(tls)) as connection:
        connection.putrequest(method, path)
        bearer = (("Authorization", f"Bearer {token or wire.token}"),) if tls is None else ()
        for name, value in (*bearer, ("Content-Type", "application/json"), *headers):
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(sent)))
        connection.endheaders(sent)
        response = connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def who(wire: Wire, *headers: tuple[str, str]) -> Object:
    """Whom the server takes an administrator for who sends these headers, and is somebody who may do all whatever they say."""
    body = {"kind": "SelfSubjectReview", "apiVersion": f"{wire.dialect.group('authentication')}/v1", **REVIEW}
    path = f"/apis/{wire.dialect.group('authentication')}/v1/selfsubjectreviews"
    answer = ask(wire, "POST", path, (*headers, ("Impersonate-Group", "system:masters")), body)
    assert answer.status == 201, answer.body
    return answer.json["status"]["userInfo"]


@pytest.mark.parametrize(
    ("headers", "user"),
    [
        ((("Impersonate-User", "jane"),), {"username": "jane"}),
        ((("impersonate-user", "jane"), ("Impersonate-Uid", "42 / any")), {"username": "jane", "uid": "42 / any"}),
        (
            (("Impersonate-User", "jane"), ("Impersonate-Extra-Scopes", "view"), ("Impersonate-Extra-Scopes", "a, b")),
            {"username": "jane", "extra": {"scopes": ["view", "a, b"]}},
        ),
        (
            (("Impersonate-User", "jane"), ("Impersonate-Extra-Acme.com%2FProject%41", "p"), ("Impersonate-Extra-100%", "q")),
            {"username": "jane", "extra": {"acme.com/projectA": ["p"], "100%": ["q"]}},
        ),
        ((("Impersonate-User", "system:serviceaccount:default:a"),), {"username": "system:serviceaccount:default:a"}),
    ],
)
def test_a_request_is_made_as_whom_it_names(wire: Wire, headers: Headers, user: Object):
    assert who(wire, *headers) == {**user, "groups": ["system:masters", "system:authenticated"]}


def test_groups_are_those_that_are_named_in_their_order(wire: Wire):
    named = ("b", "a, with a comma", "a")
    found = who(wire, ("Impersonate-User", "jane"), *(("Impersonate-Group", group) for group in named))
    assert found["groups"] == [*named, "system:masters", "system:authenticated"]
    unknown = who(wire, ("Impersonate-User", "jane"), ("Impersonate-Group", "system:unauthenticated"))
    assert unknown["groups"] == ["system:unauthenticated", "system:masters"]
    anonymous = who(wire, ("Impersonate-User", "system:anonymous"))
    assert anonymous["groups"] == ["system:masters", "system:unauthenticated"]


def test_nothing_of_the_caller_is_left(wire: Wire, ns: str):
    """Neither its groups nor the digest of its certificate."""
    answer = ask(wire, "GET", f"/api/v1/namespaces/{ns}/configmaps", (("Impersonate-User", "jane"),))
    assert (answer.status, answer.reason) == (403, "Forbidden")
    assert answer.message == (
        f'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "{ns}"'
    )
    admin = wire.server.pki / "admin"
    tls = ssl.create_default_context(cadata=wire.server.ca_pem)
    tls.load_cert_chain(f"{admin}.crt", f"{admin}.key")
    group = wire.dialect.group("authentication")
    headers = (("Impersonate-User", "jane"), ("Impersonate-Group", "system:masters"))
    body = {"kind": "SelfSubjectReview", "apiVersion": f"{group}/v1", **REVIEW}
    answer = ask(wire, "POST", f"/apis/{group}/v1/selfsubjectreviews", headers, body, tls=tls)
    assert "extra" not in answer.json["status"]["userInfo"]


@pytest.mark.parametrize(
    "header", [("Impersonate-Group", "system:masters"), ("Impersonate-Uid", "1"), ("Impersonate-Extra-Scopes", "view")]
)
@pytest.mark.parametrize("user", [(), (("Impersonate-User", ""),)])
def test_what_is_told_of_a_user_needs_one(wire: Wire, header: tuple[str, str], user: Headers):
    answer = ask(wire, "GET", "/api/v1/nodes", (header, *user))
    assert (answer.status, answer.reason) == (400, "BadRequest")
    assert "need Impersonate-User" in answer.message


def test_headers_that_are_not_utf8_name_nobody(wire: Wire):
    for header in (("Impersonate-User", b"j\xffne"), ("Impersonate-Extra-a%ff", b"x")):
        answer = ask(wire, "GET", "/api/v1/nodes", (("Impersonate-User", "jane"), header) if b"x" in header else (header,))
        assert (answer.status, answer.reason) == (400, "BadRequest"), header


def test_who_may_not_is_told_what(wire: Wire, tmp_path: Path):
    group = wire.dialect.group("authentication")
    tls = issue(wire.server.pki, tmp_path, "joe", "developers")
    cannot = 'is forbidden: User "joe" cannot impersonate resource'
    cases = (
        ((("Impersonate-User", "jane"),), f'users "jane" {cannot} "users" in API group "" at the cluster scope'),
        (
            (("Impersonate-User", "system:serviceaccount:kube:a"),),
            f'serviceaccounts "a" {cannot} "serviceaccounts" in API group "" in the namespace "kube"',
        ),
        ((("Impersonate-User", "system:serviceaccount:A:a"),), f'users "system:serviceaccount:A:a" {cannot} "users" in API group ""'),
        ((("Impersonate-User", "joe"), ("Impersonate-Group", "system:masters")), f'users "joe" {cannot} "users" in API group ""'),
    )
    for headers, message in cases:
        answer = ask(wire, "GET", "/version", headers, tls=tls)
        assert (answer.status, answer.reason) == (403, "Forbidden"), group
        assert answer.message.startswith(message)


def test_who_is_nobody_may_be_nobody_else(wire: Wire):
    answer = wire.ask("GET", "/version", token="", headers={"Impersonate-User": "jane"})
    assert (answer.status, 'User "system:anonymous" cannot impersonate resource "users"' in answer.message) == (403, True)
    assert wire.ask("GET", "/version", token="wrong", headers={"Impersonate-User": "jane"}).status == 401


def test_names_of_any_sort_are_quoted(wire: Wire):
    for name in ('a"b\\', "é\u202e", "x" * 10_000, "a\tb"):
        answer = ask(wire, "GET", "/api/v1/nodes", (("Impersonate-User", name.encode()),))
        assert answer.status == 403
        assert "\u202e" not in answer.message


def test_a_change_is_its_users(wire: Wire, maps: str):
    """What was written as another is managed, and refused, as that one's."""
    masters = (("Impersonate-User", "jane"), ("Impersonate-Group", "system:masters"))
    assert ask(wire, "POST", maps, masters, {"metadata": {"name": "a"}}).status == 201
    assert ask(wire, "POST", maps, masters[:1], {"metadata": {"name": "b"}}).status == 403
    assert ask(wire, "GET", f"{maps}/b", ()).status == 404


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl on the PATH")
def test_kubectl_asks_as_others(kubernetes_server: Wire, tmp_path: Path):
    kubectl = Kubectl(kubernetes_server, tmp_path, "default")
    others = ("--as=jane", "--as-group=dev", "--as-group=system:masters", "--as-uid=7")
    told = json.loads(kubectl.run("auth", "whoami", "-o", "json", *others))["status"]["userInfo"]
    assert told == {"username": "jane", "uid": "7", "groups": ["dev", "system:masters", "system:authenticated"]}
    refused = kubectl.run("get", "pods", "--as=jane", fails=True)
    assert 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"' in refused
    kubectl.run("get", "pods", "--as-group=dev", fails=True)
    config = json.loads(kubernetes_server.server.kubeconfig.read_text())
    config["users"][0]["user"] |= {"as": "jane", "as-groups": ["system:masters"], "as-user-extra": {"acme.com/a": ["b"]}}
    (tmp_path / "config").write_text(json.dumps(config))
    told = json.loads(kubectl.run("--kubeconfig", str(tmp_path / "config"), "auth", "whoami", "-o", "json"))["status"]["userInfo"]
    assert (told["username"], told["extra"]) == ("jane", {"acme.com/a": ["b"]})
