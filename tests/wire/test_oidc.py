"""Tokens of an identity provider, over the wire: a real provider with TLS, and every neighbour of a good token."""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from svcsim import limits
from svcsim.auth.oidc.compact import read_compact
from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from svcsim.wall import wall_sleep
from tests.auth.oidc.provider import CLIENT, KEYS, RSA, Provider, providing, raw
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_identities import up

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")


class Site(NamedTuple):
    wire: Wire
    provider: Provider


@pytest.fixture(scope="module", params=list(DIALECTS))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp(request.param)
    with providing(home) as provider:
        provider.failing = True  # it isn't there yet when the cluster starts
        options = (
            *("--oidc-issuer-url", provider.url, "--oidc-client-id", CLIENT, "--oidc-ca-file", str(provider.ca)),
            *("--oidc-groups-claim", "groups", "--oidc-groups-prefix", "g:", "--oidc-required-claim", "team=a,b"),
            *("--oidc-signing-algs", ",".join(one for one in ALGORITHMS if one != "PS512")),
        )
        with served(home / "home", request.param, "--durability", "process", "--nodes", "0", *options) as server:
            wire = Wire(server)
            assert whose(wire, provider.token(team="a,b"))["error"]
            provider.failing = False
            wall_sleep(limits.OIDC_RENEWAL_S)
            yield Site(wire, provider)
            wire.close()
            assert wire.complaints() == []


def whose(wire: Wire, token: str) -> Object:
    """What a review says of a token."""
    group = wire.dialect.group("authentication")
    review = {"kind": "TokenReview", "apiVersion": f"{group}/v1", "metadata": {}, "spec": {"token": token}}
    return wire.create(f"/apis/{group}/v1/tokenreviews", review)["status"]


def refused(site: Site, token: str) -> None:
    for _ in range(2):
        answer = site.wire.ask("GET", "/api/v1/nodes", token=token)
        assert (answer.status, answer.message) == (401, "Unauthorized")
    assert not whose(site.wire, token).get("authenticated")


@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one != "PS512"])
def test_a_token_of_the_provider_names_its_user(site: Site, algorithm: str):
    token = site.provider.token(algorithm if algorithm in KEYS else "rsa", algorithm, team="a,b", groups=["x", "y"], jti="7")
    for _ in range(2):
        status = whose(site.wire, token)
        assert status["user"] == {
            "username": f"{site.provider.url}#jane",
            "groups": ["g:x", "g:y", "system:authenticated"],
            "extra": {site.wire.dialect.key("credential-id", "authentication"): ["JTI=7"]},
        }
    answer = site.wire.ask("GET", "/api/v1/nodes", token=token)
    assert (answer.status, f'User "{site.provider.url}#jane" cannot list' in answer.message) == (403, True)


def test_audiences_and_groups_may_be_one_or_several(site: Site):
    for claims in ({"aud": [CLIENT, "other"], "azp": "other", "groups": "x"}, {"aud": CLIENT, "groups": ["x"]}):
        status = whose(site.wire, site.provider.token(team="a,b", **claims))
        assert status["user"]["groups"] == ["g:x", "system:authenticated"]
    assert whose(site.wire, site.provider.token(team="a,b", groups=None))["user"]["groups"] == ["system:authenticated"]


PAST, FUTURE = 1_000_000_000, 4_000_000_000
"""Fixed: a test that is told by its parameters is the same one in every process that collects it."""


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"iss": ["https://other.example"]},
        {"aud": "other"},
        {"aud": ["other"]},
        {"aud": []},
        {"aud": None},
        {"aud": {CLIENT: 1}},
        {"exp": PAST},
        {"exp": None},
        {"exp": "soon"},
        {"exp": True},
        {"nbf": FUTURE},
        {"iat": FUTURE},
        {"iat": "now"},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": ["jane"]},
        {"team": None},
        {"team": "a"},
        {"team": ["a,b"]},
        {"groups": 7},
        {"groups": ["x", 7]},
        {"groups": {"x": "y"}},
        {"azp": 7},
    ],
    ids=str,
)
def test_a_claim_that_is_wrong_is_nobodys(site: Site, claims: Object):
    refused(site, site.provider.token(**{"team": "a,b", **claims}))


def test_a_signature_that_is_wrong_is_nobodys(site: Site):
    provider = site.provider
    good = provider.token(team="a,b")
    public = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(good, options={"verify_signature": False})
    head, body, signature = good.split(".")
    tokens = (
        raw({"alg": "none"}, claims, b""),
        raw({"alg": "RS256", "kid": "rsa"}, claims, b""),
        hmac_signed(claims, public),
        provider.token("rsa", "PS512", team="a,b"),  # not allowed
        provider.token("rsa", key=rsa.generate_private_key(65537, 2048), team="a,b"),
        provider.token("unheard-of", key=RSA, team="a,b"),
        provider.token("ES256", "RS256", key=RSA, team="a,b"),
        provider.token("ES256", "ES384", key=KEYS["ES384"], team="a,b"),
        provider.token("oct", key=RSA, team="a,b"),
        provider.token(header={"crit": ["exp"]}, team="a,b"),
        raw({"alg": ["RS256"], "kid": "rsa"}, claims),
        raw({"alg": "RS256", "kid": {"rsa": 1}}, claims),
        f"{head}.{body}.{signature[:-4]}AAAA",
        f"{head}.{raw({}, {**claims, 'sub': 'root'}).split('.')[1]}.{signature}",
        f"{head}.{body}.{signature}=",
        f"{head}.{body}.",
        f"{good}.",
        provider.token(team="a,b", pad="x" * limits.OIDC_TOKEN_CHARS),
    )
    for token in tokens:
        refused(site, token)
    assert whose(site.wire, good)["authenticated"]


def hmac_signed(claims: Object, secret: bytes) -> str:
    """What somebody makes who takes the public key for a secret."""
    token = raw({"alg": "HS256", "kid": "rsa"}, claims, b"")
    read = read_compact(token)
    assert read is not None
    return token + base64.urlsafe_b64encode(hmac.new(secret, read.signed, hashlib.sha256).digest()).rstrip(b"=").decode()


def test_a_key_that_is_new_is_found_and_junk_does_not_hammer_the_provider(site: Site):
    provider = site.provider
    wall_sleep(limits.OIDC_RENEWAL_S)
    fresh = ec.generate_private_key(ec.SECP256R1())
    provider.published["fresh"] = fresh
    before = len(provider.asked)
    token = provider.token("fresh", "ES256", key=fresh, team="a,b")
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: whose(site.wire, token)["authenticated"], range(8)))
    for number in range(20):
        assert site.wire.ask("GET", "/version", token=provider.token(f"junk-{number}", key=RSA, team="a,b")).status == 401
    assert len(provider.asked) - before <= 2
    del provider.published["fresh"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--oidc-issuer-url", "https://a.example"), "--oidc-issuer-url and --oidc-client-id go together"),
        (
            ("--oidc-issuer-url", "https://a.example/.well-known/openid-configuration", "--oidc-client-id", "a"),
            "give the URL before /.well-known/openid-configuration",
        ),
        (
            ("--oidc-issuer-url", "https://a.example", "--oidc-client-id", "a", "--service-account-issuer", "https://a.example"),
            "https://a.example issues the tokens of service accounts",
        ),
        (("--oidc-client-id", "a"), "--oidc-client-id needs --oidc-issuer-url, without which it means nothing"),
        (("--oidc-groups-claim", "a"), "--oidc-groups-claim needs --oidc-issuer-url"),
        *(
            (("--oidc-issuer-url", url, "--oidc-client-id", "a"), "is no https URL of a host and a path")
            for url in (
                *("http://a.example", "https://", "https://a.example?b=c", "https://a.example#b", "https://u@a.example", "a"),
                *("https://a.example:0", "https://a.example:99999"),
            )
        ),
        (("--oidc-issuer-url", "https://a.example", "--oidc-client-id", "a", "--oidc-signing-algs", "HS256"), "'HS256' is not known"),
        (("--oidc-issuer-url", "https://a.example", "--oidc-client-id", "a", "--oidc-signing-algs", "none"), "'none' is not known"),
        (("--oidc-issuer-url", "https://a.example", "--oidc-client-id", "a", "--oidc-required-claim", "x"), "'x' is not CLAIM=VALUE"),
        (("--oidc-issuer-url", "https://a.example", "--oidc-client-id", "a", "--oidc-ca-file", "/nowhere"), "/nowhere can't be read"),
    ],
)
def test_what_makes_no_sense_is_said_at_the_start(tmp_path: Path, options: tuple[str, ...], said: str):
    assert said in up(tmp_path, *options)


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_an_address_has_to_be_verified_where_it_is_the_name(tmp_path: Path, dialect: str):
    with providing(tmp_path) as provider:
        options = ("--oidc-issuer-url", provider.url, "--oidc-client-id", CLIENT, "--oidc-ca-file", str(provider.ca))
        more = ("--oidc-username-claim", "email", "--nodes", "0", "--durability", "process", "--start", "2050-01-01T00:00:00Z")
        with served(tmp_path / "home", dialect, *options, *more) as server:
            wire = Wire(server)
            then = {"exp": 2524608000 + 600, "iat": None, "email": "jane@a.example"}  # in the cluster's time
            assert whose(wire, provider.token(**then))["user"]["username"] == "jane@a.example"
            assert whose(wire, provider.token(**then, email_verified=True))["authenticated"]
            for verified in (False, "true", 1):
                assert not whose(wire, provider.token(**then, email_verified=verified)).get("authenticated")
            assert not whose(wire, provider.token(email="jane@a.example")).get("authenticated"), "expired in the cluster's time"
            wire.close()
