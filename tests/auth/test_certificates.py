"""The cluster's certificates: made once, its owner's alone, and good for TLS."""

import asyncio
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from svcsim.auth import certificates
from svcsim.auth.account_key_files import SERVICE_ACCOUNT_PUBLIC_KEY
from svcsim.auth.authentication import AUTHENTICATED, MASTERS, Identity
from svcsim.auth.bearer_token import StaticTokens
from svcsim.auth.signing_keys import read_public_keys, read_signing_key
from svcsim.auth.validity import Validity
from svcsim.auth.x509 import X509
from svcsim.dialect import SVCAPI
from svcsim.meta.http import Request
from svcsim.meta.peer import read_peer
from svcsim.meta.types import User
from svcsim.wall import wall_time

FILES = (
    *("admin.crt", "admin.key", "admin.token", "ca.crt", "ca.key"),
    *("front-proxy-ca.crt", "front-proxy-ca.key", "front-proxy-client.crt", "front-proxy-client.key"),
    *("sa.key", "sa.pub", "server.crt", "server.key"),
)
ACCOUNT_KEYS = ("sa.key", "sa.pub")
CERTIFICATES = tuple(name for name in FILES if name not in ACCOUNT_KEYS)


@pytest.fixture
def made(tmp_path: Path) -> certificates.Credentials:
    return certificates.ensure(tmp_path / "pki", ["api.default.svc"], ["10.96.0.1"])


def contents(credentials: certificates.Credentials) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(credentials.directory.iterdir())}


def test_files_are_their_owners_alone(made: certificates.Credentials):
    assert stat.S_IMODE(made.directory.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in made.directory.iterdir()} == dict.fromkeys(FILES, 0o600)


def test_a_directory_that_was_open_is_closed(tmp_path: Path):
    (tmp_path / "pki").mkdir(mode=0o755)
    (tmp_path / "pki" / "ca.key").write_text("left over")
    (tmp_path / "pki" / "ca.key").chmod(0o644)
    credentials = certificates.ensure(tmp_path / "pki")
    assert stat.S_IMODE(credentials.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(credentials.ca_key.stat().st_mode) == 0o600


def test_they_are_made_once(made: certificates.Credentials):
    before = contents(made)
    assert tuple(before) == FILES
    assert contents(certificates.ensure(made.directory)) == before


def test_a_first_start_that_was_cut_short_is_begun_anew(made: certificates.Credentials):
    before = contents(made)
    made.admin_token.unlink()
    after = contents(certificates.ensure(made.directory))
    assert tuple(after) == FILES
    assert all(after[name] != before[name] for name in CERTIFICATES)


DAMAGES = pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: None, id="missing"),
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="half"),
        pytest.param(lambda content: b"\xff\0garbage" * 20, id="garbage"),
    ],
)


@pytest.mark.parametrize("name", ACCOUNT_KEYS)
@DAMAGES
def test_a_damaged_key_of_accounts_is_told_and_made_anew_and_all_else_stays(made: certificates.Credentials, name: str, damage, caplog):
    before, path = contents(made), made.directory / name
    content = damage(path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    after = contents(certificates.ensure(made.directory))
    assert [one for one in FILES if after[one] != before[one]] == list(ACCOUNT_KEYS)
    assert contents(certificates.ensure(made.directory)) == after
    [told] = [record.message for record in caplog.records]
    assert f"because {name} is" in told


def test_the_keys_of_accounts_are_a_pair(made: certificates.Credentials, tmp_path: Path, caplog):
    other = certificates.ensure(tmp_path / "other")
    (made.directory / SERVICE_ACCOUNT_PUBLIC_KEY).write_bytes((other.directory / SERVICE_ACCOUNT_PUBLIC_KEY).read_bytes())
    certificates.ensure(made.directory)
    assert "because sa.pub is another key's" in caplog.text
    [public] = read_public_keys((made.directory / SERVICE_ACCOUNT_PUBLIC_KEY).read_bytes())
    assert read_signing_key(made.service_account_key.read_bytes()).public.key_id == public.key_id


def test_a_cluster_of_before_is_given_keys_of_accounts_without_a_word(made: certificates.Credentials, caplog):
    made.service_account_key.unlink()
    (made.directory / SERVICE_ACCOUNT_PUBLIC_KEY).unlink()
    certificates.ensure(made.directory)
    assert tuple(contents(made)) == FILES
    assert caplog.records == []


@pytest.mark.parametrize("name", CERTIFICATES)
@DAMAGES
def test_a_damaged_file_is_told_and_all_are_made_anew(made: certificates.Credentials, name: str, damage, caplog):
    before, path = contents(made), made.directory / name
    content = damage(path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    after = contents(certificates.ensure(made.directory))
    assert all(after[one] != before[one] for one in CERTIFICATES if one != "admin.token")
    assert (after["admin.token"] == before["admin.token"]) == (name != "admin.token"), "clients keep a token that is whole"
    assert len(made.read_admin_token()) == 43
    assert contents(certificates.ensure(made.directory)) == after
    told = [record.message for record in caplog.records]
    if (name, content) != ("admin.token", None):  # without a token it is a first start
        assert len(told) == 1
        assert f"because {name.partition('.')[0]}" in told[0]


@pytest.mark.parametrize("token", ["", "\n", "short", "x" * 42, "\x01" * 50])
def test_a_token_that_was_not_made_here_is_refused(made: certificates.Credentials, token: str):
    made.admin_token.write_text(token)
    with pytest.raises(ValueError, match="token"):
        made.read_admin_token()
    certificates.ensure(made.directory)
    assert made.read_admin_token() != token.strip()


def test_nobody_is_who_sends_an_empty_token():
    with pytest.raises(ValueError, match="empty"):
        StaticTokens({"": User("admin")})


@pytest.mark.parametrize("years", [3, -30])
def test_certificates_made_under_a_wrong_clock_are_made_anew_and_the_token_stays(tmp_path: Path, monkeypatch, caplog, years: int):
    now = wall_time()
    monkeypatch.setattr(certificates, "wall_time", lambda: now + years * 365 * 86400)
    made = certificates.ensure(tmp_path / "pki")
    before = contents(made)
    monkeypatch.undo()
    after = contents(certificates.ensure(tmp_path / "pki"))
    assert all((after[name] == before[name]) == (name in ("admin.token", *ACCOUNT_KEYS)) for name in FILES)
    assert "and not now" in caplog.text
    authority = x509.load_pem_x509_certificate(after["ca.crt"])
    server = x509.load_pem_x509_certificate(after["server.crt"])
    for one in (authority, server):
        assert one.not_valid_before_utc.timestamp() <= now <= one.not_valid_after_utc.timestamp()


def test_two_clusters_share_nothing(made: certificates.Credentials, tmp_path: Path):
    other = contents(certificates.ensure(tmp_path / "other"))
    assert all(other[name] != content for name, content in contents(made).items())
    assert len(made.read_admin_token()) >= 43, "256 bits"


def test_the_server_goes_by_all_its_names(made: certificates.Credentials):
    certificate = x509.load_pem_x509_certificate(made.server_certificate.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "api.default.svc"]
    assert {str(address) for address in names.get_values_for_type(x509.IPAddress)} == {"127.0.0.1", "::1", "10.96.0.1"}


async def shake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> dict[str, object] | None:
    """A TLS handshake; what the server is told of the client's certificate."""
    told: asyncio.Future[dict[str, object] | None] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told.set_result(writer.get_extra_info("peercert") or None)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server) as listening:
        port = listening.sockets[0].getsockname()[1]
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client, server_hostname=name)
        found = await told
        writer.close()
        return found


def contexts(made: certificates.Credentials) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made.server_certificate, made.server_key)
    server.load_verify_locations(made.ca_certificate)
    server.verify_mode = ssl.CERT_OPTIONAL
    return server, ssl.create_default_context(cafile=str(made.ca_certificate))


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "api.default.svc"])
async def test_tls_believes_the_server(made: certificates.Credentials, name: str):
    assert await shake(*contexts(made), name) is None


async def test_tls_does_not_believe_it_to_be_another(made: certificates.Credentials):
    server, client = contexts(made)
    with pytest.raises(ssl.SSLCertVerificationError):
        await shake(server, client, "example.com")


async def test_the_administrators_certificate_says_who_that_is(made: certificates.Credentials):
    server, client = contexts(made)
    client.load_cert_chain(made.admin_certificate, made.admin_key)
    peer = await shake(server, client, "localhost")
    assert peer is not None
    identity = await X509(SVCAPI, (made.read_ca_fingerprint(),), Validity(wall_time)).authenticate(
        Request("GET", "/", peer=read_peer(peer, b"", (made.read_ca_fingerprint(),)))
    )
    assert isinstance(identity, Identity)
    assert (identity.user.name, identity.user.groups) == (SVCAPI.administrator, (MASTERS, AUTHENTICATED))


def test_the_authority_signs_and_the_others_may_not(made: certificates.Credentials):
    for path, is_authority in ((made.ca_certificate, True), (made.server_certificate, False), (made.admin_certificate, False)):
        usage = x509.load_pem_x509_certificate(path.read_bytes()).extensions.get_extension_for_class(x509.KeyUsage)
        assert usage.critical
        assert usage.value.key_cert_sign == is_authority
