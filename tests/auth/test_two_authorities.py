"""Two authorities in one TLS context, over real TLS: the certificates of one name users, those of the other don't."""

import asyncio
import datetime
import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from svcsim import limits
from svcsim.auth import certificates
from svcsim.auth.authentication import AuthenticatorUnion
from svcsim.auth.validity import Validity
from svcsim.auth.x509 import X509
from svcsim.chance import Chance
from svcsim.dialect import SVCAPI
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.incidents import Incidents
from svcsim.server.http.front import HttpFront
from svcsim.wall import wall_time
from tests.wire.test_auth import issue


class Told(NamedTuple):
    """Whom the server takes a client for, and over which session it said so."""

    name: str
    session: ssl.SSLSession | None
    resumed: bool | None


@dataclass
class Site:
    """A server that trusts both authorities, of which only the users' may name users, and says who is asking."""

    users: certificates.Credentials
    proxies: certificates.Credentials
    """Of an authority that has the same name."""
    port: int

    def client(self, *chain: Path) -> ssl.SSLContext:
        """A client with a certificate (a file of certificates, and a key)."""
        context = ssl.create_default_context(cafile=str(self.users.ca_certificate))
        context.load_cert_chain(*chain)
        return context

    async def who(self, context: ssl.SSLContext, session: ssl.SSLSession | None = None) -> Told:
        return await asyncio.to_thread(self._ask, context, session)

    def _ask(self, context: ssl.SSLContext, session: ssl.SSLSession | None) -> Told:
        with context.wrap_socket(socket.create_connection(("127.0.0.1", self.port)), server_hostname="localhost", session=session) as tls:
            tls.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            answer = b""
            while piece := tls.recv(65_536):
                answer += piece
            return Told(answer.partition(b"\r\n\r\n")[2].decode(), tls.session, tls.session_reused)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    users, proxies = certificates.ensure(tmp_path / "users"), certificates.ensure(tmp_path / "proxies")
    incidents = Incidents(Chance(1))
    authenticators = AuthenticatorUnion(X509(SVCAPI, (users.read_ca_fingerprint(),), Validity(wall_time)), incidents=incidents)

    async def handle(request: Request) -> Response:
        try:
            return Response(200, (await authenticators.authenticate(request)).user.name.encode(), "text/plain")
        except StatusError as error:
            return Response(error.code, error.message.encode(), "text/plain")

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(users.server_certificate, users.server_key)
    for authority in (users, proxies):
        tls.load_verify_locations(authority.ca_certificate)
    tls.verify_mode = ssl.CERT_OPTIONAL
    front = HttpFront(handle)
    yield Site(users, proxies, await front.start("127.0.0.1", 0, tls))
    await front.close()


async def test_a_certificate_of_the_other_authority_names_nobody(site: Site):
    assert (await site.who(site.client(site.users.admin_certificate, site.users.admin_key))).name == SVCAPI.administrator
    assert (await site.who(site.client(site.proxies.admin_certificate, site.proxies.admin_key))).name == "system:anonymous"


def authority_below(above: Path, directory: Path) -> Path:
    """Another authority, which the one above vouches for, as a directory like that one's."""
    directory.mkdir()
    signer = serialization.load_pem_private_key((above / "ca.key").read_bytes(), None)
    issuer = x509.load_pem_x509_certificate((above / "ca.crt").read_bytes())
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "in-between")]))
        .issuer_name(issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(issuer.not_valid_before_utc)
        .not_valid_after(issuer.not_valid_before_utc + datetime.timedelta(days=7))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (directory / "ca.crt").write_bytes(certificate.public_bytes(pem))
    (directory / "ca.key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return directory


async def test_authorities_in_between_count_for_the_one_they_come_of(site: Site, tmp_path: Path):
    for above, name in ((site.users, "jane"), (site.proxies, "system:anonymous")):
        between = authority_below(above.directory, tmp_path / f"below {above.directory.name}")
        issue(between, between, "jane")
        both = between / "both.crt"
        both.write_bytes((between / "client.crt").read_bytes() + (between / "ca.crt").read_bytes())
        assert (await site.who(site.client(both, between / "client.key"))).name == name


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_who_resumes_a_session_is_who_it_was(site: Site, version: ssl.TLSVersion):
    for authority, name in ((site.users, SVCAPI.administrator), (site.proxies, "system:anonymous")):
        client = site.client(authority.admin_certificate, authority.admin_key)
        client.maximum_version = version
        first = await site.who(client)
        again = await site.who(client, first.session)
        assert (first.name, first.resumed) == (name, False)
        assert (again.name, again.resumed) == (name, True)


async def test_a_session_whose_beginning_is_forgotten_names_nobody(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PEER_CHAINS", 1)
    client = site.client(site.users.admin_certificate, site.users.admin_key)
    before = await site.who(client)
    await site.who(site.client(site.proxies.admin_certificate, site.proxies.admin_key))
    assert (await site.who(client, before.session)).name == "Unauthorized"
    assert (await site.who(client)).name == SVCAPI.administrator
