"""Who gets in by what a cluster is told at its start: proxies, tokens in a file, certificates of others, nobody."""

import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from svcsim.auth import certificates
from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import environment, ran, served
from tests.wire.raw import Answer, Wire
from tests.wire.test_auth import issue
from tests.wire.test_impersonation import ask

TOKENS = 'janes-token,jane,7,"dev,ops"\nroots-token,root,,system:masters\nnobodys,joe,8\n'


class Site(NamedTuple):
    """A server, and the authorities of others that it trusts."""

    wire: Wire
    users: Path
    proxies: Path


@pytest.fixture(scope="module", params=list(DIALECTS))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp(request.param)
    users, proxies = certificates.ensure(home / "users").directory, certificates.ensure(home / "proxies").directory
    (home / "tokens.csv").write_text(TOKENS)
    (home / "tokens.csv").chmod(0o600)
    options = (
        *("--durability", "process", "--nodes", "0", "--anonymous-auth=false"),
        *("--client-ca-file", str(users / "ca.crt"), "--token-auth-file", str(home / "tokens.csv")),
        *("--requestheader-client-ca-file", str(proxies / "ca.crt"), "--requestheader-allowed-names", "front,other"),
        *("--requestheader-username-headers", "X-First-User,X-Remote-User", "--requestheader-uid-headers", "X-Remote-Uid"),
        *("--requestheader-group-headers", "X-Remote-Group,X-More-Groups", "--requestheader-extra-headers-prefix", "X-Remote-Extra-"),
    )
    with served(home / "home", request.param, *options) as server:
        wire = Wire(server)
        yield Site(wire, users, proxies)
        wire.close()
        assert wire.complaints() == []


def client(site: Site, authority: Path, directory: Path, name: str, *groups: str) -> ssl.SSLContext:
    """Who shows a certificate of that authority."""
    issue(authority, directory, name, *groups)
    context = ssl.create_default_context(cadata=site.wire.server.ca_pem)
    context.load_cert_chain(directory / "client.crt", directory / "client.key")
    return context


def who(site: Site, *headers: tuple[str, str], **how: object) -> Answer:
    group = site.wire.dialect.group("authentication")
    body = {"kind": "SelfSubjectReview", "apiVersion": f"{group}/v1", "metadata": {}}
    return ask(site.wire, "POST", f"/apis/{group}/v1/selfsubjectreviews", headers, body, **how)


def told(answer: Answer) -> Object:
    assert answer.status == 201, answer.body
    return answer.json["status"]["userInfo"]


MASTERS = ("X-Remote-Group", "system:masters")


def test_a_proxy_says_who_asks(site: Site, tmp_path: Path):
    proxy = client(site, site.proxies, tmp_path, "front")
    headers = (
        ("x-remote-user", "jane"),
        MASTERS,
        *(("X-Remote-Group", "a, b"), ("X-More-Groups", "c"), ("X-Remote-Group", ""), ("X-Remote-Uid", "7")),
        *(("X-Remote-Extra-Acme.com%2FScopes", "view"), ("X-Remote-Extra-acme.com%2fscopes", "edit"), ("X-Remote-Extra-Odd%", "x")),
    )
    assert told(who(site, *headers, tls=proxy)) == {
        "username": "jane",
        "uid": "7",
        "groups": ["system:masters", "a, b", "c", "system:authenticated"],
        "extra": {"acme.com/scopes": ["view", "edit"], "odd%": ["x"]},
    }
    first = told(who(site, ("X-Remote-User", "jane"), ("X-First-User", "joe"), MASTERS, tls=proxy))
    assert first["username"] == "joe", "in the order of the option"
    second = told(who(site, ("X-Remote-User", "jane"), ("X-First-User", ""), MASTERS, tls=proxy))
    assert second["username"] == "jane", "one without a value doesn't count"


def test_a_proxy_may_not_be_anybody_else(site: Site, tmp_path: Path):
    """Neither a certificate of its authority in another name, nor another authority's in its name, nor a proxy without a user."""
    headers = (("X-Remote-User", "root"), MASTERS)
    assert who(site, *headers, tls=client(site, site.proxies, tmp_path, "stranger")).status == 401
    assert who(site, MASTERS, tls=client(site, site.proxies, tmp_path, "front")).status == 401
    assert who(site, ("X-Remote-User", b"\xff"), MASTERS, tls=client(site, site.proxies, tmp_path, "front")).status == 401
    for authority in (site.users, site.wire.server.pki):
        answer = who(site, *headers, tls=client(site, authority, tmp_path, "front"))
        assert answer.status == 403 or told(answer)["username"] == "front"
    assert ask(site.wire, "GET", "/api/v1/nodes", headers, token="nobodys").message.startswith('nodes is forbidden: User "joe"')
    assert ask(site.wire, "GET", "/api/v1/nodes", (*headers, ("X", "y")), token="wrong").status == 401


def test_a_proxys_user_may_ask_as_another_no_more_than_he_is_let(site: Site, tmp_path: Path):
    proxy = client(site, site.proxies, tmp_path, "other")
    answer = who(site, ("X-Remote-User", "jane"), ("Impersonate-User", "joe"), tls=proxy)
    assert (answer.status, 'User "jane" cannot impersonate' in answer.message) == (403, True)
    answer = who(
        site, ("X-Remote-User", "jane"), MASTERS, *(("Impersonate-User", "joe"), ("Impersonate-Group", "system:masters")), tls=proxy
    )
    assert told(answer)["username"] == "joe"


def test_nobody_is_refused_where_nobody_may_ask(site: Site):
    for path in ("/version", "/api/v1/nodes"):
        answer = site.wire.ask("GET", path, token="")
        assert (answer.status, answer.message) == (401, "Unauthorized")


def test_tokens_of_a_file(site: Site):
    assert told(who(site, token="roots-token"))["groups"] == ["system:masters", "system:authenticated"]
    review = {"kind": "TokenReview", "metadata": {}, "spec": {"token": "janes-token"}}
    group = site.wire.dialect.group("authentication")
    answer = site.wire.ask("POST", f"/apis/{group}/v1/tokenreviews", {**review, "apiVersion": f"{group}/v1"})
    assert answer.json["status"]["user"] == {"username": "jane", "uid": "7", "groups": ["dev", "ops", "system:authenticated"]}
    assert ask(site.wire, "GET", "/api/v1/nodes", (), token="janes-toke").status == 401


def test_clients_of_another_authority_are_users(site: Site, tmp_path: Path):
    for authority in (site.users, site.wire.server.pki):
        found = told(who(site, tls=client(site, authority, tmp_path, "jane", "a", "system:masters", "b")))
        assert (found["username"], found["groups"]) == ("jane", ["a", "system:masters", "b", "system:authenticated"])


def test_a_servers_certificate_is_no_clients(site: Site):
    context = ssl.create_default_context(cadata=site.wire.server.ca_pem)
    context.load_cert_chain(site.users / "server.crt", site.users / "server.key")
    assert who(site, tls=context).status == 401


def test_servers_behind_it_know_its_proxies(site: Site):
    namespace = site.wire.dialect.system_namespace
    data = site.wire.get(f"/api/v1/namespaces/{namespace}/configmaps/extension-apiserver-authentication")["data"]
    assert data["client-ca-file"].count("BEGIN CERTIFICATE") == data["requestheader-client-ca-file"].count("BEGIN CERTIFICATE") == 2
    assert json.loads(data["requestheader-allowed-names"]) == ["front-proxy-client", "front", "other"]
    assert json.loads(data["requestheader-username-headers"]) == ["X-Remote-User", "X-First-User"]
    assert json.loads(data["requestheader-group-headers"]) == ["X-Remote-Group", "X-More-Groups"]


WRONG = {
    "token-auth-file": (
        ("one,two\n", "line 1 of FILE has 2 columns"),
        ("a,b,c\n,b,c\n", "line 2 of FILE has no token"),
        ("secret-a,,c\n", "line 1 of FILE has no user"),
        ("secret-a,b,c\nsecret-a,d,e\n", "line 2 of FILE has a token that another line has"),
        ('secret-a,b,c,"d\n', "line 1 of FILE can't be read"),
        ("secret a\x01,b,c\n", "line 1 of FILE has a token that no header could carry"),
        (None, "FILE can't be read: no such file or directory"),
    ),
    "client-ca-file": (("", "FILE has no certificate in it"), (None, "FILE can't be read")),
    "requestheader-client-ca-file": (
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "needs --requestheader-username-headers"),
    ),
}


@pytest.mark.parametrize(("option", "content", "said"), [(option, *one) for option, ones in WRONG.items() for one in ones])
def test_what_can_not_be_followed_is_said_at_the_start(tmp_path: Path, option: str, content: str | None, said: str):
    file = tmp_path / "file"
    if content is not None:
        file.write_text(content)
        file.chmod(0o600)
    words = up(tmp_path, f"--{option}", str(file))
    assert f"--{option}" in words
    assert said.replace("FILE", str(file)) in words
    assert "secret" not in words


def test_headers_without_an_authority_are_refused_at_the_start(tmp_path: Path):
    words = up(tmp_path, "--requestheader-username-headers", "X-Remote-User")
    assert "--requestheader-username-headers needs --requestheader-client-ca-file" in words
    assert "--anonymous-auth is true or false, not" in up(tmp_path, "--anonymous-auth=perhaps")


def up(home: Path, *options: str) -> str:
    """What a start says that fails; one line."""
    done = ran("up", "--foreground", "--nodes", "0", *options, env=environment(home))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr
