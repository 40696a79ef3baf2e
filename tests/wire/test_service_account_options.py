"""The options of `up` on tokens of service accounts, over the wire."""

import base64
from collections.abc import Callable
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Json
from tests.process import environment, ran, served
from tests.wire.raw import Wire
from tests.wire.test_service_account_tokens import is_let_in, reviewed, said

BLOCK = b"-----BEGIN %s KEY-----\nAAAA\n-----END %s KEY-----\n"
ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"


def written(path: Path, *keys: Json, public: bool = False) -> Path:
    """Keys in a file."""
    pem = serialization.Encoding.PEM
    if public:
        parts = [key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo) for key in keys]
    else:
        parts = [key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()) for key in keys]
    path.write_bytes(b"\n".join(parts))
    path.chmod(0o600)
    return path


def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture
def serving(tmp_path: Path) -> Callable[..., Json]:
    def serve(dialect: str, *options: object) -> Json:
        return served(tmp_path / "home", dialect, "--nodes", "0", "--durability", "process", *map(str, options))

    return serve


def token_of(wire: Wire, **spec: Json) -> str:
    wire.until("/api/v1/namespaces/default/serviceaccounts", lambda found: bool(found["items"]))
    return wire.create(f"{ACCOUNT}/token", {"spec": spec})["status"]["token"]


def copied(token: str, key: Json, algorithm: str, **changed: Json) -> str:
    """What a token says, or something else, signed by another key."""
    return jwt.encode({**said(token), **changed}, key, algorithm)


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_given_keys_sign_and_count(serving: Callable[..., Json], tmp_path: Path, dialect: str):
    signing, old, older, stranger = rsa_key(), rsa_key(), ec.generate_private_key(ec.SECP384R1()), rsa_key()
    options = (
        *("--service-account-signing-key-file", written(tmp_path / "signing", signing)),
        *("--service-account-key-file", written(tmp_path / "two", old, older, public=True)),
        *("--service-account-key-file", written(tmp_path / "signing.pub", signing, public=True)),
        *("--service-account-issuer", "https://new.example.com", "--service-account-issuer", "https://old.example.com"),
        *("--api-audiences", "api,other"),
        *("--service-account-jwks-uri", "https://new.example.com/keys"),
    )
    with serving(dialect, *options) as server:
        wire = Wire(server)
        token = token_of(wire)
        assert (said(token)["iss"], said(token)["aud"]) == ("https://new.example.com", ["api", "other"])
        assert jwt.get_unverified_header(token)["alg"] == "RS256"
        assert reviewed(wire, token)["audiences"] == ["api", "other"]
        assert reviewed(wire, token, "other")["audiences"] == ["other"]
        assert is_let_in(wire, copied(token, old, "RS256", iss="https://old.example.com"))
        assert is_let_in(wire, copied(token, older, "ES384"))
        assert not is_let_in(wire, copied(token, stranger, "RS256"))
        assert not is_let_in(wire, copied(token, old, "RS512")), "a key has one algorithm"
        assert not is_let_in(wire, copied(token, old, "PS256"))
        assert not is_let_in(wire, copied(token, old, "RS256", iss="https://third.example.com"))
        assert reviewed(wire, copied(token, old, "RS256", iss="https://third.example.com"))["error"] == "invalid bearer token"
        about, keys = wire.get("/.well-known/openid-configuration"), wire.get("/openid/v1/jwks")
        assert (about["issuer"], about["jwks_uri"]) == ("https://new.example.com", "https://new.example.com/keys")
        assert about["id_token_signing_alg_values_supported"] == ["ES384", "RS256"]
        known = jwt.PyJWKSet.from_dict(keys)
        assert len(known.keys) == 3
        for key in known.keys:
            if key.key_id == jwt.get_unverified_header(token)["kid"]:
                assert jwt.decode(token, key, ["RS256"], audience="api")
        wire.close()


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_for_how_long_tokens_are_good(serving: Callable[..., Json], dialect: str):
    options = ("--service-account-max-token-expiration", "2h", "--no-service-account-extend-token-expiration", "--clock", "paused")
    with serving(dialect, *options) as server:
        wire = Wire(server)
        token = token_of(wire, expirationSeconds=600)
        answer = wire.ask("POST", f"{ACCOUNT}/token", {"spec": {"expirationSeconds": 7201}})
        assert answer.json["spec"]["expirationSeconds"] == 7200
        assert answer.headers["warning"] == '299 - "requested expiration of 7201 seconds shortened to 7200 seconds"'
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
        wire.create("/api/v1/namespaces/default/pods", pod)
        bound = said(token_of(wire, expirationSeconds=3607, boundObjectRef={"kind": "Pod", "apiVersion": "v1", "name": "p"}))
        assert bound["exp"] - bound["iat"] == 3607
        assert is_let_in(wire, token)
        ran("clock", "step", "650s", env=environment(server.home)).check_returncode()
        assert is_let_in(wire, token), "clocks may be a minute apart"
        ran("clock", "step", "30s", env=environment(server.home)).check_returncode()
        assert not is_let_in(wire, token)
        assert reviewed(wire, token)["error"] == "[invalid bearer token, service account token has expired]"
        wire.close()


def test_an_issuer_that_is_no_https_url_cannot_be_looked_up(serving: Callable[..., Json]):
    with serving("kubernetes", "--service-account-issuer", "me") as server:
        wire = Wire(server)
        assert said(token_of(wire))["iss"] == "me"
        assert is_let_in(wire, token_of(wire))
        for path in ("/.well-known/openid-configuration", "/openid/v1/jwks"):
            assert wire.ask("GET", path).status == 404
        wire.close()


def test_tokens_in_secrets_need_no_secret_where_nobody_looks(serving: Callable[..., Json]):
    with serving("kubernetes", "--no-service-account-lookup") as server:
        wire = Wire(server)
        token_of(wire)
        annotations = {"kubernetes.io/service-account.name": "default"}
        secret = {"metadata": {"name": "t", "annotations": annotations}, "type": "kubernetes.io/service-account-token"}
        wire.create("/api/v1/namespaces/default/secrets", secret)
        filled = wire.until("/api/v1/namespaces/default/secrets/t", lambda obj: "token" in (obj.get("data") or {}))
        token = base64.b64decode(filled["data"]["token"]).decode()
        wire.delete("/api/v1/namespaces/default/secrets/t")
        assert is_let_in(wire, token)
        wire.close()


def test_tokens_outlive_a_restart_of_the_server(serving: Callable[..., Json]):
    with serving("svcapi") as server:
        wire = Wire(server)
        token = token_of(wire)
        wire.close()
    with serving("svcapi") as server:
        wire = Wire(server)
        assert is_let_in(wire, token)
        wire.close()


def damaged(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("option", "content", "told"),
    [
        ("--service-account-key-file", None, "can't be read: no such file or directory"),
        ("--service-account-signing-key-file", None, "can't be read: no such file or directory"),
        ("--service-account-key-file", b"junk", "there is no key in it, which would be PEM with RSA or ECDSA, public or private"),
        ("--service-account-signing-key-file", b"junk", "there is no private key in it, which would be PEM with RSA or ECDSA"),
        (
            "--service-account-signing-key-file",
            b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "the key can't be read: ",
        ),
        ("--service-account-key-file", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "a key can't be read: "),
    ],
)
def test_a_file_that_is_no_good_is_told_in_one_line(tmp_path: Path, option: str, content: bytes | None, told: str):
    path = tmp_path / "key.pem"
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o600)
    code, err = refused(tmp_path, option, path)
    assert (code, err.count("\n")) == (1, 1)
    assert f"{option}: {path}" in err
    assert told in err


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--service-account-issuer", "a b:c", "has a colon, and is no URL"),
        ("--service-account-issuer", "https://x:y:z", "has a colon, and is no URL"),
        ("--service-account-jwks-uri", "http://example.com", "is no https URL"),
        ("--service-account-max-token-expiration", "59m", "must be between 1 hour and 2^32 seconds"),
    ],
)
def test_a_value_that_is_no_good_is_told_in_one_line(tmp_path: Path, option: str, value: str, told: str):
    code, err = refused(tmp_path, option, value)
    assert (code, err.count("\n")) == (1, 1)
    assert option in err
    assert told in err


def test_a_key_that_signs_no_tokens_is_told(tmp_path: Path):
    pem = ed25519.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    code, err = refused(tmp_path, "--service-account-signing-key-file", damaged(tmp_path / "key.pem", pem))
    assert (code, "neither RSA nor ECDSA" in err) == (1, True)


def refused(tmp_path: Path, *options: object) -> tuple[int, str]:
    done = ran("up", "--foreground", *map(str, options), env=environment(tmp_path / "home"))
    return done.returncode, done.stderr
