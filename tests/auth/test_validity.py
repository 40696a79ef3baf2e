"""Certificates are valid in the cluster's time, whatever the machine's is."""

import datetime
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim.dialect import DIALECTS
from svcsim.meta.times import format_time
from svcsim.wall import wall_time
from tests.process import served
from tests.wire.raw import Wire

DAY_S = 24 * 3600
PEM = serialization.Encoding.PEM


def issued(ca: Path, into: Path, begins_s: float, ends_s: float, above: tuple[object, object] | None = None, *, authority: bool = False):
    """A certificate of ``jane``, or of an authority in between, that is valid then; with its key."""
    issuer = x509.load_pem_x509_certificate((ca / "ca.crt").read_bytes()) if above is None else above[0]
    signer = serialization.load_pem_private_key((ca / "ca.key").read_bytes(), None) if above is None else above[1]
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "between" if authority else "jane")]))
        .issuer_name(issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime.fromtimestamp(begins_s, datetime.UTC))
        .not_valid_after(datetime.datetime.fromtimestamp(ends_s, datetime.UTC))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )
    pem = certificate.public_bytes(PEM) + (above[0].public_bytes(PEM) if above else b"")
    into.write_bytes(pem + key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return certificate, key


def status(wire: Wire, file: Path) -> int:
    connection = client(wire, file)
    connection.request("GET", "/version")
    found = connection.getresponse().status
    connection.close()
    return found


def client(wire: Wire, file: Path):
    context = ssl.create_default_context(cadata=wire.server.ca_pem)
    context.load_cert_chain(file)
    return wire.connect(context)


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_a_certificate_is_judged_by_the_clusters_clock(tmp_path: Path, dialect: str):
    then = wall_time() + 100 * DAY_S
    with served(tmp_path / "home", dialect, "--nodes", "0", "--durability", "process", "--start", format_time(then)) as server:
        wire = Wire(server)
        cases = (
            ((then - DAY_S, then + DAY_S), 200),  # of the cluster's time, not yet valid by the machine's
            ((then - 200 * DAY_S, then - 50 * DAY_S), 401),  # still valid by the machine's
            ((then + DAY_S, then + 2 * DAY_S), 401),
        )
        for times, expected in cases:
            issued(server.pki, tmp_path / "client.pem", *times)
            assert status(wire, tmp_path / "client.pem") == expected
            between = issued(server.pki, tmp_path / "between.pem", *times, authority=True)
            issued(server.pki, tmp_path / "below.pem", then - DAY_S, then + DAY_S, between)
            assert status(wire, tmp_path / "below.pem") == expected, "an authority in between has times too"
        (tmp_path / "admin.pem").write_bytes((server.pki / "admin.crt").read_bytes() + (server.pki / "admin.key").read_bytes())
        assert status(wire, tmp_path / "admin.pem") == 200
        wire.close()


def test_a_connection_does_not_outlive_its_certificate(tmp_path: Path):
    with served(tmp_path / "home", "kubernetes", "--nodes", "0", "--durability", "process", "--clock", "paused") as server:
        wire = Wire(server)
        now = wall_time()
        issued(server.pki, tmp_path / "client.pem", now - DAY_S, now + 3600)
        connection = client(wire, tmp_path / "client.pem")
        found = []
        for _ in range(2):
            connection.request("GET", "/version")
            answer = connection.getresponse()
            answer.read()
            found.append(answer.status)
            assert wire.ask("PUT", "/svcsim/v1/clock", {"step": 7200}).status == 200
        connection.close()
        assert found == [200, 401]
        wire.close()
