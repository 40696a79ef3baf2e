"""Every way to say who one is, into one server that knows them all: everywhere that tells who asked, it is the right one."""

import base64
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import kubernetes
import pytest

from svcsim.auth import certificates
from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.auth.oidc.provider import CLIENT, Provider, providing
from tests.process import environment, ran, served
from tests.wire.raw import Answer, Wire
from tests.wire.reviewing import Reviewing, reviewing
from tests.wire.test_auth import issue
from tests.wire.test_bootstrap_tokens import keep
from tests.wire.test_impersonation import ask

pytestmark = pytest.mark.usefixtures("left_to_the_collector")

ALICE = {"username": "alice", "uid": "11", "groups": ["hooked"], "extra": {"example.com/team": ["blue"]}}
BOOTSTRAP = "abcdef.0123456789abcdef"


class Way(NamedTuple):
    """A way in, and who gets in by it."""

    known_by: str
    user: Object
    token: str = ""
    certificate: Path | None = None
    headers: tuple[tuple[str, str], ...] = ()


class Site(NamedTuple):
    wire: Wire
    provider: Provider
    webhook: Reviewing
    ways: dict[str, Way]


@pytest.fixture(scope="module", params=list(DIALECTS))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp(request.param)
    users, proxies = certificates.ensure(home / "users").directory, certificates.ensure(home / "proxies").directory
    (home / "tokens.csv").write_text('janes-token,jane,7,"dev,ops"\n')
    (home / "tokens.csv").chmod(0o600)
    with providing(home) as provider, reviewing(home / "webhook") as webhook:
        webhook.decide = lambda spec: {"authenticated": True, "user": ALICE} if spec["token"] == "hooked" else {}
        options = (
            *("--durability", "process", "--nodes", "0", "--enable-bootstrap-token-auth"),
            *("--client-ca-file", str(users / "ca.crt"), "--token-auth-file", str(home / "tokens.csv")),
            *("--requestheader-client-ca-file", str(proxies / "ca.crt"), "--requestheader-allowed-names", "front"),
            *("--requestheader-username-headers", "X-Remote-User", "--requestheader-group-headers", "X-Remote-Group"),
            *("--requestheader-uid-headers", "X-Remote-Uid", "--requestheader-extra-headers-prefix", "X-Remote-Extra-"),
            *("--oidc-issuer-url", provider.url, "--oidc-client-id", CLIENT, "--oidc-ca-file", str(provider.ca)),
            *("--oidc-groups-claim", "groups", "--oidc-username-prefix", "oidc:", "--oidc-groups-prefix", "oidc:"),
            *("--authentication-token-webhook-config-file", str(webhook.config(home))),
        )
        with served(home / "home", request.param, *options) as server:
            wire = Wire(server)
            yield Site(wire, provider, webhook, ways(wire, provider, home))
            wire.close()
            assert wire.complaints() == []


def ways(wire: Wire, provider: Provider, home: Path) -> dict[str, Way]:
    keep(wire, "abcdef")
    account = wire.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "robot"}})
    group = wire.dialect.group("authentication")
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    robots = wire.create(path, {"apiVersion": f"{group}/v1", "kind": "TokenRequest", "spec": {}})["status"]["token"]
    own, others, front = (home / name for name in ("own", "others", "front"))
    for directory, authority, name, *groups in (
        (own, wire.server.pki, "carol", "dev"),
        (others, home / "users", "dave", "eng", "ops"),
        (front, home / "proxies", "front", "system:masters"),
    ):
        directory.mkdir()
        issue(authority, directory, name, *groups)
    said = (("X-Remote-User", "erin"), ("X-Remote-Group", "proxied"), ("X-Remote-Uid", "9"), ("X-Remote-Extra-Scopes", "view"))
    robot = {
        "username": "system:serviceaccount:default:robot",
        "uid": account["metadata"]["uid"],
        "groups": ["system:serviceaccounts", "system:serviceaccounts:default"],
    }
    bootstrap = {"username": "system:bootstrap:abcdef", "groups": ["system:bootstrappers", "system:bootstrappers:workers"]}
    return {
        "token file": Way("static token", {"username": "jane", "uid": "7", "groups": ["dev", "ops"]}, "janes-token"),
        "OpenID Connect": Way(
            "OpenID Connect token", {"username": "oidc:bob", "groups": ["oidc:x"]}, provider.token(sub="bob", groups=["x"])
        ),
        "webhook": Way("token webhook", ALICE, "hooked"),
        "bootstrap token": Way("bootstrap token", bootstrap, BOOTSTRAP),
        "service account": Way("service account token", robot, robots),
        "certificate": Way("client certificate", {"username": "carol", "groups": ["dev"]}, certificate=own),
        "another authority's": Way("client certificate", {"username": "dave", "groups": ["eng", "ops"]}, certificate=others),
        "proxy": Way(
            "proxy headers",
            {"username": "erin", "uid": "9", "groups": ["proxied"], "extra": {"scopes": ["view"]}},
            certificate=front,
            headers=said,
        ),
    }


def through(site: Site, way: Way, method: str, path: str, body: Object | None = None, *more: tuple[str, str]) -> Answer:
    """A request that comes this way."""
    if way.certificate is None:
        return ask(site.wire, method, path, (*way.headers, *more), body, token=way.token)
    tls = issued(site, way.certificate)
    return ask(site.wire, method, path, (*way.headers, *more), body, tls=tls)


def issued(site: Site, directory: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=site.wire.server.ca_pem)
    context.load_cert_chain(directory / "client.crt", directory / "client.key")
    return context


def is_of(way: Way, told: Object) -> bool:
    """Whether it is the one: what is further told of some (which credential it was) is no part of who they are."""
    extra = {name: values for name, values in told.get("extra", {}).items() if name in way.user.get("extra", {})}
    wanted = {**way.user, "groups": [*way.user["groups"], "system:authenticated"]}
    return {**{name: value for name, value in told.items() if name != "extra"}, **({"extra": extra} if extra else {})} == wanted


WAYS = (
    *("token file", "OpenID Connect", "webhook", "bootstrap token", "service account"),
    *("certificate", "another authority's", "proxy"),
)
TOKENS = WAYS[:5]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, site: Site) -> Way:
    return site.ways[request.param]


def test_who_asks_is_told(site: Site, way: Way):
    group = site.wire.dialect.group("authentication")
    review = {"kind": "SelfSubjectReview", "apiVersion": f"{group}/v1", "metadata": {}}
    answer = through(site, way, "POST", f"/apis/{group}/v1/selfsubjectreviews", review)
    assert answer.status == 201, answer.body
    assert is_of(way, answer.json["status"]["userInfo"]), answer.json


def test_whose_a_token_is_is_told(site: Site):
    group = site.wire.dialect.group("authentication")
    for named in TOKENS:
        way = site.ways[named]
        review = {"kind": "TokenReview", "apiVersion": f"{group}/v1", "metadata": {}, "spec": {"token": way.token}}
        status = site.wire.create(f"/apis/{group}/v1/tokenreviews", review)["status"]
        assert status["authenticated"], named
        assert is_of(way, status["user"]), (named, status)


def test_who_is_refused_is_told_who_he_is_and_so_is_whoever_looks(site: Site, way: Way):
    name = way.user["username"]
    answer = through(site, way, "GET", "/api/v1/namespaces/default/secrets/hidden")
    assert answer.status == 403
    assert f'User "{name}" cannot get resource "secrets"' in answer.message
    words = ["audit", "--user", name, "--denied", "--resource", "secrets", "-o", "json"]
    told = ran(*words, env=environment(site.wire.server.home)).stdout
    found = [json.loads(line) for line in told.splitlines()] if told.startswith('{"') else json.loads(told)
    entries = found.get("items", [found]) if isinstance(found, dict) else found
    assert {(entry["user"], entry["knownBy"], entry["code"]) for entry in entries} == {(name, way.known_by, 403)}


def test_nobody_adds_to_what_is_known_of_them(site: Site, way: Way):
    """Neither by a proxy's headers, where they are none, nor by those of who asks as another."""
    others = (("X-Remote-User", "root"), ("X-Remote-Group", "system:masters"))
    if way.known_by != "proxy headers":
        answer = through(site, way, "GET", "/api/v1/nodes", None, *others)
        assert (answer.status, f'User "{way.user["username"]}" cannot list' in answer.message) == (403, True)
    masters = ("Impersonate-Group", "system:masters")
    assert through(site, way, "GET", "/api/v1/nodes", None, masters).status == 400
    for user in (way.user["username"], "root"):
        answer = through(site, way, "GET", "/api/v1/nodes", None, ("Impersonate-User", user), masters)
        assert (answer.status, f'User "{way.user["username"]}" cannot impersonate' in answer.message) == (403, True)


def test_the_first_way_that_leads_in_counts(site: Site):
    """A proxy's word, then a certificate, then a token; and what leads nowhere keeps nobody out who gets in another way."""
    ways = site.ways
    bearer = ("Authorization", f"Bearer {ways['token file'].token}")
    for first in ("proxy", "certificate", "another authority's"):
        answer = through(site, ways[first], "GET", "/api/v1/nodes", None, bearer)
        assert f'User "{ways[first].user["username"]}" cannot' in answer.message
    assert through(site, ways["certificate"], "GET", "/version", None, ("Authorization", "Bearer wrong")).status == 200
    front = ways["proxy"]._replace(headers=())
    assert 'User "jane" cannot' in through(site, front, "GET", "/api/v1/nodes", None, bearer).message


def test_a_wrong_token_is_nobody_though_nobody_may_ask(site: Site):
    assert site.wire.ask("GET", "/version", token="").status == 200
    for named in TOKENS:
        token = site.ways[named].token
        for wrong in (
            token[:-1],
            f"{token}x",
            token.swapcase(),
            f"{token[:-3]}{token[-3:][::-1]}x",
            base64.b64encode(token.encode()).decode(),
        ):
            assert site.wire.ask("GET", "/version", token=wrong).status == 401, (named, wrong)


def test_a_python_client_gets_in_each_way(site: Site, tmp_path: Path):
    if site.wire.dialect.name != "kubernetes":
        pytest.skip("the client knows Kubernetes' names alone")
    authority = tmp_path / "ca.pem"
    authority.write_text(site.wire.server.ca_pem)
    for named, way in site.ways.items():
        configuration = kubernetes.client.Configuration(host=site.wire.server.url)
        configuration.ssl_ca_cert = str(authority)
        if way.certificate is None:
            configuration.api_key = {"authorization": f"Bearer {way.token}"}
        else:
            configuration.cert_file, configuration.key_file = str(way.certificate / "client.crt"), str(way.certificate / "client.key")
        with kubernetes.client.ApiClient(configuration) as client:
            for name, value in way.headers:
                client.set_default_header(name, value)
            review = kubernetes.client.AuthenticationV1Api(client).create_self_subject_review(kubernetes.client.V1SelfSubjectReview())
        told = review.status.user_info
        assert (told.username, told.groups[:-1]) == (way.user["username"], way.user["groups"]), named
