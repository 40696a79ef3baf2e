"""Who gets in: certificates, tokens, nobody; and the words of refusal."""

import json
import socket
import ssl
import stat
from datetime import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim.auth import certificates
from tests.wire.raw import Wire


def test_health_and_version_are_open(wire: Wire):
    for path in ("/healthz", "/livez", "/readyz"):
        answer = wire.ask("GET", path, token="")
        assert (answer.status, answer.body) == (200, b"ok")
    assert wire.ask("GET", "/readyz?verbose", token="").body.endswith(b"readyz check passed\n")
    version = wire.ask("GET", "/version", token="").json
    assert (version["major"], version["minor"]) == ("1", "34")
    assert version["gitVersion"].startswith("v1.34.0+svcsim")


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        (
            "GET",
            "/api/v1/namespaces/default/pods",
            'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
        ),
        (
            "GET",
            "/apis/apps/v1/deployments",
            (
                'deployments.apps is forbidden: User "system:anonymous" cannot list resource "deployments" '
                'in API group "apps" at the cluster scope'
            ),
        ),
        (
            "GET",
            "/api/v1/nodes/a",
            'nodes "a" is forbidden: User "system:anonymous" cannot get resource "nodes" in API group "" at the cluster scope',
        ),
        (
            "GET",
            "/api/v1/pods?watch=true",
            'pods is forbidden: User "system:anonymous" cannot watch resource "pods" in API group "" at the cluster scope',
        ),
        (
            "DELETE",
            "/api/v1/namespaces/default/pods",
            'pods is forbidden: User "system:anonymous" cannot deletecollection resource "pods" in API group "" in the namespace "default"',
        ),
        (
            "GET",
            "/api/v1/namespaces/default/pods/a/log",
            'pods "a" is forbidden: User "system:anonymous" cannot get resource "pods/log" in API group "" in the namespace "default"',
        ),
        ("GET", "/metrics", 'forbidden: User "system:anonymous" cannot get path "/metrics"'),
        ("GET", "/apis", 'forbidden: User "system:anonymous" cannot get path "/apis"'),
    ],
)
def test_nobody_may_do_nothing_and_is_told_what(wire: Wire, method: str, path: str, message: str):
    answer = wire.ask(method, path, token="")
    assert (answer.status, answer.reason, answer.message) == (403, "Forbidden", message)


def test_a_wrong_token_is_refused_also_where_nobody_is_let_in(wire: Wire):
    for path in ("/api/v1/pods", "/version"):
        answer = wire.ask("GET", path, token="wrong")
        assert (answer.status, answer.reason, answer.message) == (401, "Unauthorized", "Unauthorized")


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer ", "bearer x", "Unheard of"])
def test_other_credentials_are_wrong_ones(wire: Wire, header: str):
    assert wire.ask("GET", "/api/v1/pods", token="", headers={"Authorization": header}).status in (401, 403)


def test_the_server_is_who_its_authority_says(wire: Wire):
    with pytest.raises(ssl.SSLCertVerificationError):
        wire.connect(ssl.create_default_context()).request("GET", "/version")


def issue(
    ca: Path,
    directory: Path,
    name: str,
    *groups: str,
    use: x509.ObjectIdentifier = x509.ExtendedKeyUsageOID.CLIENT_AUTH,
    until: datetime | None = None,
) -> ssl.SSLContext:
    """A client certificate of the cluster's authority, for as long as that has one itself if nothing else is said."""
    authority = x509.load_pem_x509_certificate((ca / "ca.crt").read_bytes())
    signer = serialization.load_pem_private_key((ca / "ca.key").read_bytes(), None)
    key = ec.generate_private_key(ec.SECP256R1())
    attributes = [x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, group) for group in groups]
    subject = x509.Name([*attributes, x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(authority.not_valid_before_utc)
        .not_valid_after(until or authority.not_valid_after_utc)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        .sign(signer, hashes.SHA256())
    )
    (directory / "client.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (directory / "client.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(cafile=str(ca / "ca.crt"))
    context.load_cert_chain(directory / "client.crt", directory / "client.key")
    return context


def who(wire: Wire, context: ssl.SSLContext) -> str:
    """The user the server takes a client for, as its refusal names it; empty for one who may do all."""
    connection = wire.connect(context)
    connection.request("GET", "/api/v1/nodes")
    answer = connection.getresponse().read()
    connection.close()
    body = json.loads(answer)
    return body["message"].partition('User "')[2].partition('"')[0] if body["kind"] == "Status" else ""


def test_a_certificate_of_the_clusters_authority_names_its_user(wire: Wire, tmp_path: Path):
    pki = wire.server.pki
    assert who(wire, wire.tls) == "system:anonymous"
    assert who(wire, issue(pki, tmp_path, "jane", "developers")) == "jane"
    assert who(wire, issue(pki, tmp_path, "root", "system:masters")) == ""
    admin = ssl.create_default_context(cafile=str(pki / "ca.crt"))
    admin.load_cert_chain(pki / "admin.crt", pki / "admin.key")
    assert who(wire, admin) == ""


def test_a_certificate_for_any_use_is_a_clients_too(wire: Wire, tmp_path: Path):
    anything = x509.ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE
    assert who(wire, issue(wire.server.pki, tmp_path, "jane", use=anything)) == "jane"
    other = certificates.ensure(tmp_path / "other")
    (other.directory / "ca.crt").write_bytes((wire.server.pki / "ca.crt").read_bytes())
    context = issue(other.directory, tmp_path, "root", "system:masters", use=anything)
    context.load_verify_locations(cadata=wire.server.ca_pem)
    assert status(wire, context) == 401, "whatever it is for, nobody vouches for it"


def status(wire: Wire, context: ssl.SSLContext, *header: str) -> int:
    """What comes of asking for nodes with a certificate."""
    connection = wire.connect(context)
    connection.request("GET", "/api/v1/nodes", headers=dict([header] if header else ()))
    found = connection.getresponse().status
    connection.close()
    return found


def shown(wire: Wire, certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(wire.server.pki / "ca.crt"))
    context.load_cert_chain(certificate, key)
    return context


@pytest.mark.parametrize("why", ["another authority", "another signature", "for servers"])
def test_a_certificate_nobody_vouches_for_is_no_credential_and_keeps_no_other_from_counting(wire: Wire, tmp_path: Path, why: str):
    other = certificates.ensure(tmp_path / "other")
    if why == "another authority":
        context = shown(wire, other.admin_certificate, other.admin_key)
    elif why == "for servers":
        context = issue(wire.server.pki, tmp_path, "root", "system:masters", use=x509.ExtendedKeyUsageOID.SERVER_AUTH)
    else:  # it says that the cluster's own authority has issued it
        (other.directory / "ca.crt").write_bytes((wire.server.pki / "ca.crt").read_bytes())
        context = issue(other.directory, tmp_path, "root", "system:masters")
        context.load_verify_locations(cadata=wire.server.ca_pem)
    assert status(wire, context) == 401
    assert status(wire, context, "Authorization", f"Bearer {wire.token}") == 200
    assert status(wire, context, "Authorization", "Bearer nobodys") == 401
    assert status(wire, context) == 401, "nor did it become one"


def test_no_resumed_session_makes_a_certificate_better(wire: Wire, tmp_path: Path):
    other = certificates.ensure(tmp_path / "other")
    (other.directory / "ca.crt").write_bytes((wire.server.pki / "ca.crt").read_bytes())
    context = issue(other.directory, tmp_path, "root", "system:masters")
    context.load_verify_locations(cadata=wire.server.ca_pem)
    session, resumed = None, []
    for _ in range(3):
        connection = wire.connect(context)
        plain = socket.create_connection((connection.host, connection.port))
        with context.wrap_socket(plain, server_hostname=connection.host, session=session) as tls:
            tls.sendall(b"GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b" 401 " in tls.recv(200).partition(b"\r\n")[0]
            session = tls.session
            resumed.append(tls.session_reused)
    assert resumed == [False, True, True]


def test_a_token_counts_for_nothing_beside_a_certificate(wire: Wire, tmp_path: Path):
    """Who shows both is who the certificate says, as with Kubernetes' own order of authenticators."""
    connection = wire.connect(issue(wire.server.pki, tmp_path, "jane"))
    connection.request("GET", "/api/v1/nodes", headers={"Authorization": f"Bearer {wire.token}"})
    answer = connection.getresponse().read()
    connection.close()
    assert 'User \\"jane\\"' in answer.decode()


def test_keys_are_their_owners_alone(wire: Wire):
    pki = wire.server.pki
    assert stat.S_IMODE(pki.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in pki.iterdir()}
    names = ("ca.crt", "ca.key", "server.crt", "server.key", "admin.crt", "admin.key", "admin.token")
    names += ("sa.key", "sa.pub")
    names += tuple(f"front-proxy-{whose}" for whose in ("ca.crt", "ca.key", "client.crt", "client.key"))
    assert modes == dict.fromkeys(names, 0o600)
    assert stat.S_IMODE(wire.server.kubeconfig.stat().st_mode) == 0o600
