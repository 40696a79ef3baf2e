"""Bootstrap tokens over the wire: who they make of a client, what opens no door, and what such a client may approve."""

import base64
import hashlib
import hmac
import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim.dialect import DIALECTS
from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_certificates import CLIENT, ask_for, ended, pem

GOOD = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:workers",
    "expiration": "2999-01-01T00:00:00Z",
}


@pytest.fixture(scope="module", params=list(DIALECTS))
def joinable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with served(tmp_path_factory.mktemp(request.param), request.param, "--nodes", "0", "--enable-bootstrap-token-auth") as server:
        wire = Wire(server)
        yield wire
        wire.close()


def keep(wire: Wire, named: str, **changes: str) -> None:
    data = {**GOOD, "token-id": named, **{key.replace("_", "-"): value for key, value in changes.items()}}
    name, space = f"bootstrap-token-{named}", wire.dialect.system_namespace
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": wire.dialect.key("token", "bootstrap")}
    wire.create(f"/api/v1/namespaces/{space}/secrets", {**body, "data": encoded})


def status(wire: Wire, token: str) -> int:
    return wire.ask("GET", "/version", token=token).status


def test_a_token_is_a_user_in_its_groups(joinable: Wire) -> None:
    keep(joinable, "abcdef")
    version = f"{joinable.dialect.group('authentication')}/v1"
    review = {"apiVersion": version, "kind": "TokenReview", "spec": {"token": "abcdef.0123456789abcdef"}}
    found = joinable.create(f"/apis/{version}/tokenreviews", review)["status"]["user"]
    assert found["username"] == "system:bootstrap:abcdef"
    assert found["groups"] == ["system:bootstrappers", "system:bootstrappers:workers", "system:authenticated"]
    assert status(joinable, "abcdef.0123456789abcdef") == 200
    # He may not approve: neither the sub-resource nor the signer is his.
    path = ask_for(joinable, joinable.dialect.signer_client, pem("a", "b"), ["client auth"])
    refused = joinable.ask("PUT", f"{path}/approval", joinable.get(path), token="abcdef.0123456789abcdef")
    assert refused.status == 403


@pytest.mark.parametrize(
    ("token_id", "changes"),
    [
        ("aaaaa1", {"expiration": "2001-01-01T00:00:00Z"}),
        ("aaaaa2", {"expiration": "soon"}),
        ("aaaaa3", {"usage_bootstrap_authentication": "false"}),
        ("aaaaa4", {"auth_extra_groups": "system:masters"}),
        ("aaaaa5", {"token_id": "bbbbbb"}),
        ("aaaaa6", {"token_secret": "fedcba9876543210"}),
    ],
)
def test_what_is_wrong_with_a_token_opens_no_door(joinable: Wire, token_id: str, changes: dict[str, str]) -> None:
    keep(joinable, token_id, **changes)
    assert status(joinable, f"{token_id}.0123456789abcdef") == 401


def test_a_token_nobody_knows_is_refused(joinable: Wire) -> None:
    assert status(joinable, "zzzzzz.0123456789abcdef") == 401


@pytest.mark.filterwarnings("ignore:The HMAC key is")  # a bootstrap token is as long as it is
def test_cluster_info_is_signed_for_everybody_to_check(joinable: Wire) -> None:
    path = f"/api/v1/namespaces/{joinable.dialect.public_namespace}/configmaps/cluster-info"
    keep(joinable, "signed", usage_bootstrap_signing="true")
    joinable.until(path, lambda found: "jws-kubeconfig-signed" in found["data"])
    answer = joinable.ask("GET", path, token="")
    assert answer.status == 200, "anonymous clients may read it"
    data = answer.json["data"]
    header, payload, signature = data["jws-kubeconfig-signed"].split(".")
    assert payload == ""
    whole = f"{header}.{base64.urlsafe_b64encode(data['kubeconfig'].encode()).rstrip(b'=').decode()}"
    mac = hmac.new(b"signed.0123456789abcdef", whole.encode(), hashlib.sha256).digest()
    assert base64.urlsafe_b64encode(mac).rstrip(b"=").decode() == signature
    assert jwt.PyJWS().decode_complete(f"{whole}.{signature}", "signed.0123456789abcdef", algorithms=["HS256"])["header"]["kid"] == "signed"
    assert f"127.0.0.1:{joinable.server.port}" in data["kubeconfig"]
    joinable.delete(f"/api/v1/namespaces/{joinable.dialect.system_namespace}/secrets/bootstrap-token-signed")
    joinable.until(path, lambda found: "jws-kubeconfig-signed" not in found["data"])


def test_a_token_whose_time_is_over_is_deleted(joinable: Wire) -> None:
    keep(joinable, "ending", expiration="2001-01-01T00:00:00Z")
    path = f"/api/v1/namespaces/{joinable.dialect.system_namespace}/secrets"
    joinable.until(path, lambda found: all(one["metadata"]["name"] != "bootstrap-token-ending" for one in found["items"]))


def trusted(wire: Wire, token: str) -> str:
    """The cluster's authority, for somebody who can't know whom he asks: what the token vouches for."""
    connection = wire.connect(ssl._create_unverified_context())
    connection.request("GET", f"/api/v1/namespaces/{wire.dialect.public_namespace}/configmaps/cluster-info")
    data = json.loads(connection.getresponse().read())["data"]
    connection.close()
    token_id = token.partition(".")[0]
    header, _, signature = data[f"jws-kubeconfig-{token_id}"].split(".")
    payload = base64.urlsafe_b64encode(data["kubeconfig"].encode()).rstrip(b"=").decode()
    jwt.PyJWS().decode(f"{header}.{payload}.{signature}", token, algorithms=["HS256"])
    cluster = yaml.safe_load(data["kubeconfig"])["clusters"][0]["cluster"]
    return base64.b64decode(cluster["certificate-authority-data"]).decode()


@pytest.mark.filterwarnings("ignore:The HMAC key is")
def test_a_node_agent_joins_with_a_token(joinable: Wire, tmp_path: Path) -> None:
    """Token, cluster-info, request, certificate, node: all a new machine has is an address and the token, and the default roles."""
    keep(joinable, "joiner", usage_bootstrap_signing="true")
    rbac, csrs = joinable.dialect.group("rbac.authorization"), joinable.dialect.group("certificates")
    subjects = [{"apiGroup": rbac, "kind": "Group", "name": "system:bootstrappers:workers"}]
    for name in ("system:node-bootstrapper", f"system:{csrs}:certificatesigningrequests:nodeclient"):
        role = {"apiGroup": rbac, "kind": "ClusterRole", "name": name}
        joinable.create(
            f"/apis/{rbac}/v1/clusterrolebindings", {"metadata": {"generateName": "join-"}, "roleRef": role, "subjects": subjects}
        )
    shared = f"/api/v1/namespaces/{joinable.dialect.public_namespace}/configmaps/cluster-info"
    joinable.until(shared, lambda found: "jws-kubeconfig-joiner" in found["data"])
    authority = trusted(joinable, "joiner.0123456789abcdef")

    key = ec.generate_private_key(ec.SECP256R1())
    token, administrator = "joiner.0123456789abcdef", joinable.token
    joinable.token = token
    try:
        request = pem("system:node:new", "system:nodes", key=key)
        path = ask_for(joinable, joinable.dialect.signer_node_client, request, CLIENT)
        issued = joinable.until(path, ended)["status"]["certificate"]
    finally:
        joinable.token = administrator

    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "both.pem").write_bytes(base64.b64decode(issued) + private)
    tls = ssl.create_default_context(cadata=authority)
    tls.load_cert_chain(tmp_path / "both.pem")
    connection = joinable.connect(tls)
    for method, where, sent, status_code in (
        ("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "new"}}, 201),
        ("PATCH", "/api/v1/nodes/new/status", {"status": {"capacity": {"cpu": "4"}}}, 200),
        ("GET", "/api/v1/nodes/new", None, 200),
        ("GET", "/api/v1/namespaces/default/secrets", None, 403),
    ):
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        connection.request(method, where, None if sent is None else json.dumps(sent), {"Content-Type": kind})
        response = connection.getresponse()
        answer = response.read()
        assert response.status == status_code, answer
    connection.close()
    assert joinable.get("/api/v1/nodes/new")["status"]["capacity"] == {"cpu": "4"}


def test_tokens_count_only_while_the_cluster_takes_them(tmp_path: Path) -> None:
    """The option is kept over a restart, and can be taken back; the tokens stay."""
    for option, expected in (("--enable-bootstrap-token-auth", 200), ("--no-enable-bootstrap-token-auth", 401)):
        with served(tmp_path, "kubernetes", "--nodes", "0", option) as server:
            wire = Wire(server)
            if expected == 200:
                keep(wire, "abcdef")
            assert status(wire, "abcdef.0123456789abcdef") == expected
            wire.close()
