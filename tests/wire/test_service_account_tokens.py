"""Tokens of service accounts over the wire: what they say, whose they are, and what makes them worthless."""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim.meta.types import Json, Object
from tests.wire.raw import Wire


@pytest.fixture
def robot(wire: Wire, ns: str) -> str:
    """The path of an account."""
    wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})
    return f"/api/v1/namespaces/{ns}/serviceaccounts/robot"


def request(wire: Wire, account: str, **spec: Json) -> Object:
    return wire.create(f"{account}/token", {"spec": spec})


def token_of(wire: Wire, account: str, **spec: Json) -> str:
    return request(wire, account, **spec)["status"]["token"]


def said(token: str) -> Object:
    return jwt.decode(token, options={"verify_signature": False})


def reviewed(wire: Wire, token: str, *audiences: str) -> Object:
    path = f"/apis/{wire.dialect.group('authentication')}/v1/tokenreviews"
    return wire.create(path, {"spec": {"token": token, **({"audiences": audiences} if audiences else {})}})["status"]


def is_let_in(wire: Wire, token: str) -> bool:
    """Discovery is open to all who are known."""
    status = wire.ask("GET", "/apis", token=token).status
    assert status in (200, 401)
    return status == 200


def api(wire: Wire) -> str:
    return f"https://{wire.dialect.default_service}.default.svc.cluster.local"


def bound(kind: str, obj: Object) -> Object:
    return {"kind": kind, "apiVersion": "v1", "name": obj["metadata"]["name"], "uid": obj["metadata"]["uid"]}


def pod_of(wire: Wire, ns: str, **spec: Json) -> Object:
    containers = [{"name": "main", "image": "a"}]
    return wire.create(
        f"/api/v1/namespaces/{ns}/pods",
        {"metadata": {"name": wire.fresh("pod")}, "spec": {"containers": containers, "serviceAccountName": "robot", **spec}},
    )


def test_a_token_says_whose_it_is_and_for_how_long(wire: Wire, ns: str, robot: str):
    answer = request(wire, robot)
    claims = said(answer["status"]["token"])
    account = wire.get(robot)
    assert claims["iss"] == api(wire)
    assert claims["aud"] == answer["spec"]["audiences"] == [api(wire)]
    assert claims["sub"] == f"system:serviceaccount:{ns}:robot"
    assert claims["exp"] - claims["iat"] == answer["spec"]["expirationSeconds"] == 3600
    assert claims["nbf"] == claims["iat"]
    assert claims["jti"]
    assert claims[wire.dialect.domain] == {"namespace": ns, "serviceaccount": {"name": "robot", "uid": account["metadata"]["uid"]}}


def test_it_lets_its_account_in(wire: Wire, ns: str, robot: str):
    token = token_of(wire, robot)
    status = reviewed(wire, token)
    assert status["authenticated"] is True
    assert status["audiences"] == [api(wire)]
    assert status["user"] == {
        "username": f"system:serviceaccount:{ns}:robot",
        "uid": wire.get(robot)["metadata"]["uid"],
        "groups": ["system:serviceaccounts", f"system:serviceaccounts:{ns}", "system:authenticated"],
        "extra": {wire.dialect.key("credential-id", "authentication"): [f"JTI={said(token)['jti']}"]},
    }
    assert is_let_in(wire, token)
    refused = wire.ask("GET", f"/api/v1/namespaces/{ns}/secrets", token=token)
    assert (refused.status, f'User "system:serviceaccount:{ns}:robot" cannot list' in refused.message) == (403, True)


def test_a_token_for_others_is_none_for_the_server(wire: Wire, robot: str):
    token = token_of(wire, robot, audiences=["vault", "db"])
    assert not is_let_in(wire, token)
    assert reviewed(wire, token)["error"] == (
        f'[invalid bearer token, token audiences ["vault" "db"] is invalid for the target audiences ["{api(wire)}"]]'
    )
    status = reviewed(wire, token, "other", "db")
    assert (status["authenticated"], status["audiences"]) == (True, ["db"])
    assert "authenticated" not in reviewed(wire, token, "other")


def test_a_token_ends_with_its_account_and_does_not_come_back_with_another(wire: Wire, ns: str, robot: str):
    token = token_of(wire, robot)
    uid = wire.get(robot)["metadata"]["uid"]
    assert is_let_in(wire, token)
    wire.delete(robot)
    assert not is_let_in(wire, token)
    assert reviewed(wire, token)["error"] == '[invalid bearer token, serviceaccount "robot" not found]'
    new = wire.create(f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "robot"}})
    assert not is_let_in(wire, token)
    told = f"service account UID ({new['metadata']['uid']}) does not match claim ({uid})"
    assert reviewed(wire, token)["error"] == f"[invalid bearer token, {told}]"


def test_a_token_ends_with_the_secret_it_is_bound_to(wire: Wire, ns: str, robot: str):
    secrets = f"/api/v1/namespaces/{ns}/secrets"
    secret = wire.create(secrets, {"metadata": {"name": "s"}})
    token = token_of(wire, robot, boundObjectRef=bound("Secret", secret))
    assert said(token)[wire.dialect.domain]["secret"] == {"name": "s", "uid": secret["metadata"]["uid"]}
    assert is_let_in(wire, token)
    wire.delete(f"{secrets}/s")
    assert not is_let_in(wire, token)
    wire.create(secrets, {"metadata": {"name": "s"}})
    assert not is_let_in(wire, token)


def test_a_token_ends_with_the_node_it_is_bound_to(wire: Wire, robot: str):
    name = wire.fresh("node")
    node = wire.create("/api/v1/nodes", {"metadata": {"name": name}})
    token = token_of(wire, robot, boundObjectRef=bound("Node", node))
    about = {"name": name, "uid": node["metadata"]["uid"]}
    assert said(token)[wire.dialect.domain]["node"] == about
    extra = reviewed(wire, token)["user"]["extra"]
    assert extra[wire.dialect.key("node-name", "authentication")] == [name]
    assert extra[wire.dialect.key("node-uid", "authentication")] == [about["uid"]]
    wire.delete(f"/api/v1/nodes/{name}")
    assert not is_let_in(wire, token)


def test_a_pods_token_names_pod_and_node_and_ends_with_the_pod(wire: Wire, ns: str, robot: str):
    pod = pod_of(wire, ns)
    path = f"/api/v1/namespaces/{ns}/pods/{pod['metadata']['name']}"
    placed = wire.until(path, lambda obj: bool(obj["spec"].get("nodeName")))
    node = wire.get(f"/api/v1/nodes/{placed['spec']['nodeName']}")
    token = token_of(wire, robot, boundObjectRef=bound("Pod", pod))
    own = said(token)[wire.dialect.domain]
    assert own["pod"] == {"name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
    assert own["node"] == {"name": node["metadata"]["name"], "uid": node["metadata"]["uid"]}
    extra = reviewed(wire, token)["user"]["extra"]
    assert {key.rpartition("/")[2]: values for key, values in extra.items()} == {
        "credential-id": [f"JTI={said(token)['jti']}"],
        "pod-name": [own["pod"]["name"]],
        "pod-uid": [own["pod"]["uid"]],
        "node-name": [own["node"]["name"]],
        "node-uid": [own["node"]["uid"]],
    }
    wire.delete(path, gracePeriodSeconds=0)
    assert not is_let_in(wire, token)
    assert reviewed(wire, token)["error"] == "[invalid bearer token, service account token has been invalidated]"


def test_a_pods_token_is_good_for_longer_than_it_says_and_notes_when_it_should_have_been_replaced(wire: Wire, ns: str, robot: str):
    pod = pod_of(wire, ns, schedulerName="none")
    answer = request(wire, robot, boundObjectRef=bound("Pod", pod), expirationSeconds=3607)
    claims = said(answer["status"]["token"])
    assert claims["exp"] - claims["iat"] == 365 * 24 * 3600
    assert claims[wire.dialect.domain]["warnafter"] - claims["iat"] == answer["spec"]["expirationSeconds"] == 3607
    assert "node" not in claims[wire.dialect.domain]
    for spec in ({"expirationSeconds": 3606}, {"expirationSeconds": 3607, "audiences": ["vault"]}):
        claims = said(token_of(wire, robot, boundObjectRef=bound("Pod", pod), **spec))
        assert claims["exp"] - claims["iat"] == spec["expirationSeconds"]
    unbound = said(token_of(wire, robot, expirationSeconds=3607))
    assert unbound["exp"] - unbound["iat"] == 3607


def parts(token: str) -> tuple[str, str, str]:
    header, claims, signature = token.split(".")
    return header, claims, signature


def encoded(value: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_nothing_but_the_servers_own_key_signs(wire: Wire, robot: str):
    token = token_of(wire, robot)
    header, claims, signature = parts(token)
    public = wire.server.pki.joinpath("sa.pub").read_bytes()
    key_id = jwt.get_unverified_header(token)["kid"]
    stronger = encoded({**said(token), "sub": "system:serviceaccount:default:default"})
    by_hmac = {}
    for secret in (public, public.strip(), b""):
        signed = f"{encoded({'alg': 'HS256', 'kid': key_id, 'typ': 'JWT'})}.{claims}"
        mac = base64.urlsafe_b64encode(hmac.digest(secret, signed.encode(), hashlib.sha256)).rstrip(b"=").decode()
        by_hmac[secret] = f"{signed}.{mac}"
    forged = (
        f"{encoded({'alg': 'none', 'kid': key_id})}.{claims}.",
        f"{encoded({'alg': 'none'})}.{claims}.",
        f"{encoded({'alg': 'none'})}.{claims}.{signature}",
        f"{encoded({'alg': 'RS256', 'kid': key_id})}.{claims}.{signature}",
        f"{encoded({'alg': 'ES384', 'kid': key_id})}.{claims}.{signature}",
        f"{encoded({'alg': 'ES256'})}.{claims}.{signature}",
        f"{header}.{stronger}.{signature}",
        f"{header}.{claims}.{signature[:-2]}",
        f"{header}.{claims}.{'A' * len(signature)}",
        f"{header}.{claims}.",
        jwt.encode(said(token), ec.generate_private_key(ec.SECP256R1()), "ES256", headers={"kid": key_id}),
        jwt.encode(said(token), ec.generate_private_key(ec.SECP256R1()), "ES256"),
        *by_hmac.values(),
    )
    for one in forged:
        assert not is_let_in(wire, one), one
        assert reviewed(wire, one)["error"] == "[invalid bearer token, invalid signature]"
    strange = (
        "a.b.c",
        "..",
        "é.é.é",
        f"{header}.{claims}",
        f"{token}.x",
        f"{token}=",
        "x" * 20_000,
        f"{encoded([1])}.{claims}.{signature}",
    )
    for one in strange:
        assert "authenticated" not in reviewed(wire, one)
    assert is_let_in(wire, token)


def test_an_outside_program_verifies_a_token_by_what_the_issuer_tells(wire: Wire, robot: str):
    about = wire.ask("GET", "/.well-known/openid-configuration")
    assert (about.status, about.headers["content-type"]) == (200, "application/json")
    assert about.json == {
        "issuer": api(wire),
        "jwks_uri": f"{wire.server.url}/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }
    keys = wire.ask("GET", about.json["jwks_uri"].removeprefix(wire.server.url))
    assert (keys.status, keys.headers["content-type"]) == (200, "application/jwk-set+json")
    assert keys.headers["cache-control"] == "public, max-age=3600"
    token = token_of(wire, robot, audiences=["vault"])
    key = jwt.PyJWKSet.from_dict(keys.json)[jwt.get_unverified_header(token)["kid"]]
    algorithms = about.json["id_token_signing_alg_values_supported"]
    timeless = {"verify_iat": False, "verify_nbf": False}  # another test may have moved the clock of the cluster
    verified = jwt.decode(token, key, algorithms, audience="vault", issuer=api(wire), options=timeless)
    assert verified["sub"].endswith(":robot")
    with pytest.raises(jwt.InvalidAudienceError):
        jwt.decode(token, key, algorithms, audience="db", issuer=api(wire), options=timeless)
    for path, anybodys in (("/.well-known/openid-configuration", 200), ("/openid/v1/jwks", 403)):
        assert wire.ask("POST", path, {}).status == 405
        assert wire.ask("GET", path, token="").status == anybodys, "the default roles open all of /.well-known, and no more"
        assert path in wire.get("/")["paths"]
