"""Certificates over the wire: asked for, approved, signed, and used."""

import base64
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from svcsim.meta.types import Object
from tests.process import SVCSIM, answered, environment, ran, served
from tests.wire.raw import Wire

CLIENT = ["digital signature", "key encipherment", "client auth"]
SERVING = ["digital signature", "key encipherment", "server auth"]


def pem(common: str, organization: str, *names: x509.GeneralName, key: ec.EllipticCurvePrivateKey | None = None) -> str:
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization), x509.NameAttribute(NameOID.COMMON_NAME, common)]
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    request = builder.sign(key or ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()


def ask_for(wire: Wire, signer: str, request: str, usages: list[str], **spec: int) -> str:
    """The path of a new request."""
    version = f"{wire.dialect.group('certificates')}/v1"
    path, name = f"/apis/{version}/certificatesigningrequests", wire.fresh("csr")
    wanted = {"signerName": signer, "request": request, "usages": usages, **spec}
    wire.create(path, {"apiVersion": version, "kind": "CertificateSigningRequest", "metadata": {"name": name}, "spec": wanted})
    return f"{path}/{name}"


def approve(wire: Wire, path: str) -> None:
    csr = wire.get(path)
    csr["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Test"}]}
    assert wire.ask("PUT", f"{path}/approval", csr).status == 200


def ended(csr: Object) -> bool:
    status = csr.get("status") or {}
    return "certificate" in status or any(one["type"] == "Failed" for one in status.get("conditions", ()))


def test_what_is_approved_is_signed(wire: Wire) -> None:
    path = ask_for(wire, wire.dialect.signer_client, pem("alice", "dev"), ["client auth"], expirationSeconds=900)
    approve(wire, path)
    issued = x509.load_pem_x509_certificate(base64.b64decode(wire.until(path, ended)["status"]["certificate"]))
    assert issued.subject.rfc4514_string() == "CN=alice,O=dev"
    assert not issued.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert 900 <= (issued.not_valid_after_utc - issued.not_valid_before_utc).total_seconds() <= 900 + 400
    issued.verify_directly_issued_by(x509.load_pem_x509_certificate(wire.server.ca_pem.encode()))


def test_a_node_agents_request_is_approved_by_itself(wire: Wire) -> None:
    path = ask_for(wire, wire.dialect.signer_node_client, pem("system:node:n", "system:nodes"), CLIENT)
    found = wire.until(path, ended)["status"]
    assert found["conditions"][0]["reason"] == "AutoApproved"
    assert "certificate" in found


@pytest.mark.parametrize(
    ("signer", "common", "organization", "names", "usages", "why"),
    [
        ("signer_client", "a", "b", (), ["server auth"], "usages did not match"),
        ("signer_client", "a", "b", (), ["digital signature"], "usages did not match"),
        ("signer_node_client", "system:node:n", "other", (), CLIENT, "subject organization is not system:nodes"),
        ("signer_node_client", "n", "system:nodes", (), CLIENT, "subject common name does not begin with system:node:"),
        ("signer_node_client", "system:node:n", "system:nodes", (x509.DNSName("n"),), CLIENT, "DNS subjectAltNames are not allowed"),
        ("signer_node_client", "system:node:n", "system:nodes", (), CLIENT[1:], "usages did not match"),
        ("signer_node_serving", "system:node:n", "system:nodes", (), SERVING, "DNS or IP subjectAltName is required"),
        (
            "signer_node_serving",
            "system:node:n",
            "system:nodes",
            (x509.DNSName("n"), x509.RFC822Name("a@example.com")),
            SERVING,
            "email subjectAltNames are not allowed",
        ),
    ],
)
def test_what_a_signer_does_not_sign_has_failed(wire, signer, common, organization, names, usages, why) -> None:
    path = ask_for(wire, getattr(wire.dialect, signer), pem(common, organization, *names), usages)
    approve(wire, path)
    found = wire.until(path, ended)["status"]
    assert "certificate" not in found
    failed = next(one for one in found["conditions"] if one["type"] == "Failed")
    assert failed["reason"] == "SignerValidationFailure"
    assert failed["message"].startswith(why)


def test_nobody_asks_to_be_an_administrator(wire: Wire) -> None:
    version = f"{wire.dialect.group('certificates')}/v1"
    spec = {"signerName": wire.dialect.signer_client, "request": pem("eve", "system:masters"), "usages": ["client auth"]}
    body = {"apiVersion": version, "kind": "CertificateSigningRequest", "metadata": {"name": wire.fresh()}, "spec": spec}
    answer = wire.ask("POST", f"/apis/{version}/certificatesigningrequests", body)
    assert answer.status == 403
    assert f"use of {wire.dialect.signer_client} signer with system:masters group is not allowed" in answer.message


@pytest.mark.parametrize("verb", ["approve", "deny"])
def test_the_command_decides_as_kubectl_does(kubernetes_server: Wire, verb: str) -> None:
    """Both decide, and say and leave the same."""
    wire, seen = kubernetes_server, []
    other = "deny" if verb == "approve" else "approve"
    for program in ("kubectl", SVCSIM):
        path = ask_for(wire, wire.dialect.signer_client, pem("a", "b"), ["client auth"])
        name = path.rpartition("/")[2]
        said = []
        for words in (
            [verb, name],
            [verb, name],
            [verb, "--force", name],
            [other, name],
            [verb, "no"],
            [verb],
        ):
            command = [program, "--kubeconfig", str(wire.server.kubeconfig), "certificate", *words]
            done = answered(command, environment(wire.server.home))
            said.append((done.returncode, done.stdout.replace(name, "NAME"), done.stderr.replace(name, "NAME")))
        kept = wire.get(path)["status"]["conditions"]
        seen.append((said, [{key: one[key] for key in ("type", "status", "reason", "message")} for one in kept]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("verb", ["approve", "deny"])
def test_the_command_takes_names_and_names_with_types(wire: Wire, verb: str) -> None:
    paths = [ask_for(wire, wire.dialect.signer_client, pem("alice", "dev"), ["client auth"]) for _ in range(3)]
    bare, short, whole = (path.rpartition("/")[2] for path in paths)
    kind = f"certificatesigningrequest.{wire.dialect.group('certificates')}"
    env = environment(wire.server.home)
    words = [bare, f"csr/{short}", f"{kind}/{whole}"]
    done = ran("certificate", verb, *words, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    said = {"approve": "approved", "deny": "denied"}[verb]
    assert done.stdout.splitlines() == [f"{kind}/{name} {said}" for name in (bare, short, whole)]
    other = ran("certificate", verb, "namespaces/default", env=env)
    assert (other.returncode, other.stderr) == (1, "error: namespaces/default is no certificate signing request\n")


def test_what_was_approved_is_signed_once_whatever_happened_in_between(tmp_path: Path) -> None:
    with served(tmp_path, "kubernetes", "--nodes", "0") as server:
        wire = Wire(server)
        paths = [ask_for(wire, wire.dialect.signer_client, pem("alice", "dev"), ["client auth"]) for _ in range(5)]
        for path in paths:
            approve(wire, path)
        server.process.kill()
        server.process.wait()
        wire.close()
    with served(tmp_path, "kubernetes", "--nodes", "0") as server:
        wire = Wire(server)
        for path in paths:
            status = wire.until(path, ended)["status"]
            issued = x509.load_pem_x509_certificate(base64.b64decode(status["certificate"]))
            issued.verify_directly_issued_by(x509.load_pem_x509_certificate(server.ca_pem.encode()))
            assert [one["type"] for one in status["conditions"]] == ["Approved"]
        wire.close()
