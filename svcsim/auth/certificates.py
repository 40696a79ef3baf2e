"""The cluster's own certificate authority, and what it signs at first start.

ECDSA throughout. Files are readable by their owner alone. Everything is made once and read from then on, so that only a first start pays
for the cryptography; later ones have the TLS library look whether all is still as it was made. Where it is not (a file was damaged, or the
machine's clock was wrong when they were made), everything is made anew but the token: the parts are good for nothing without each other.
The keys that sign the tokens of service accounts lie beside them, and have nothing to do with them (`account_key_files`).
"""

import datetime
import ipaddress
import logging
import secrets
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim.auth.account_key_files import SERVICE_ACCOUNT_KEY, renewed_account_keys
from svcsim.auth.authentication import MASTERS
from svcsim.dialect import SVCAPI
from svcsim.meta.files import make_directory, sync_directory, write_all, write_whole
from svcsim.meta.peer import fingerprint_of
from svcsim.meta.private_files import check_private
from svcsim.wall import wall_time

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

logger = logging.getLogger(__name__)

_TOKEN_BYTES = 32
_TOKEN_CHARS = 43
"""The length of so many bytes as text; a shorter token was cut off or made up, and is refused."""
_LIFETIME_DAYS = 3650
FRONT_PROXY_NAME = "front-proxy-client"
"""The name in the certificate that the API server shows to servers behind it."""
_BACKDATED_HOURS = 1
"""Certificates begin a little in the past, for clients whose clock is behind."""


class Credentials(NamedTuple):
    """Where the cluster's certificates, keys and the administrator's token lie."""

    directory: Path

    @property
    def ca_certificate(self) -> Path:
        """What clients trust."""
        return self.directory / "ca.crt"

    @property
    def ca_key(self) -> Path:
        """What signs."""
        return self.directory / "ca.key"

    @property
    def server_certificate(self) -> Path:
        return self.directory / "server.crt"

    @property
    def server_key(self) -> Path:
        return self.directory / "server.key"

    @property
    def admin_certificate(self) -> Path:
        return self.directory / "admin.crt"

    @property
    def admin_key(self) -> Path:
        return self.directory / "admin.key"

    @property
    def front_proxy_ca(self) -> Path:
        """The authority by which aggregated servers know this one: its certificates may name users."""
        return self.directory / "front-proxy-ca.crt"

    @property
    def front_proxy_certificate(self) -> Path:
        return self.directory / "front-proxy-client.crt"

    @property
    def front_proxy_key(self) -> Path:
        return self.directory / "front-proxy-client.key"

    @property
    def service_account_key(self) -> Path:
        """What signs the tokens of service accounts."""
        return self.directory / SERVICE_ACCOUNT_KEY

    @property
    def pairs(self) -> tuple[tuple[Path, Path], ...]:
        """Every certificate with its key."""
        return (
            (self.ca_certificate, self.ca_key),
            (self.server_certificate, self.server_key),
            (self.admin_certificate, self.admin_key),
            (self.front_proxy_ca, self.directory / "front-proxy-ca.key"),
            (self.front_proxy_certificate, self.front_proxy_key),
        )

    @property
    def admin_token(self) -> Path:
        return self.directory / "admin.token"

    def read_admin_token(self) -> str:
        """The token itself. Raises `ValueError` for one that can't have been made here."""
        token = self.admin_token.read_text("ascii").strip()
        if len(token) < _TOKEN_CHARS or not token.isprintable():
            raise ValueError("it is shorter than a token, or none")
        return token

    def read_ca_fingerprint(self) -> str:
        """By which the authority's certificate is known in a client's chain (`svcsim.meta.peer.Peer`)."""
        return fingerprint_of(ssl.PEM_cert_to_DER_cert(self.ca_certificate.read_text()))

    def read_admin_fingerprint(self) -> str:
        """By which the administrator's certificate is known."""
        return fingerprint_of(ssl.PEM_cert_to_DER_cert(self.admin_certificate.read_text()))


def ensure(
    directory: Path,
    service_names: Iterable[str] = (),
    addresses: Iterable[str] = (),
    administrator: str = SVCAPI.administrator,
    *,
    synced: bool = True,
) -> Credentials:
    """The cluster's credentials, made now if this is its first start, or if they are of no use any more.

    ``service_names`` and ``addresses`` are further ones of the API server; ``administrator`` is the user that its certificate names;
    ``synced`` False is for a directory that goes with the process. Raises `OSError` for files that may not be read or written, and
    `ConfigurationError` for keys that others can read.
    """
    credentials = Credentials(directory)
    flaw = _flaw(credentials)
    account_keys = renewed_account_keys(directory)
    if flaw is None:
        if account_keys:
            write_all(directory, account_keys, synced=synced)
        for path in (*(key for _, key in credentials.pairs), credentials.service_account_key, credentials.admin_token):
            check_private("this cluster's keys", path)
        return credentials
    token = _token(credentials)
    make_directory(directory)
    directory.chmod(0o700)
    # The token is taken away first and written last: where it is missing, a crash came in between, and all is made anew.
    if credentials.admin_token.exists():
        logger.warning("the certificates in %s are made anew, because %s; clients that have the old ones need the new", directory, flaw)
        credentials.admin_token.unlink()
        sync_directory(directory)
    write_all(directory, {**_make(administrator, tuple(service_names), tuple(addresses)), **account_keys}, synced=synced)
    write_whole(credentials.admin_token, token.encode(), synced=synced)
    return credentials


def _flaw(credentials: Credentials) -> str | None:
    """What keeps the credentials from being used; None if nothing does."""
    try:
        what = credentials.admin_token
        credentials.read_admin_token()
        for certificate, key in credentials.pairs:
            what = certificate
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
        what = credentials.ca_certificate
        return _bad_times(what)
    except (FileNotFoundError, NotADirectoryError):
        return f"{what.name} is not there"
    except ssl.SSLError as error:
        return f"{what.name} or its key is damaged ({error.reason or 'not PEM'})"
    except ValueError as error:
        return f"{what.name} is damaged ({error})"
    except OSError:
        for file in (file for pair in credentials.pairs for file in pair):
            file.open("rb").close()  # which says whose error it is, as the library doesn't
        raise


def _bad_times(authority: Path) -> str | None:
    """Whether the authority's certificate isn't valid now. Whatever it signed was made with it, and has its times."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authority)
    for certificate in context.get_ca_certs():
        begins, ends = (str(certificate[time]) for time in ("notBefore", "notAfter"))
        if not ssl.cert_time_to_seconds(begins) <= wall_time() <= ssl.cert_time_to_seconds(ends):
            return f"they are valid from {begins} to {ends}, and not now"
        return None
    return f"{authority.name} is no authority's"


def _token(credentials: Credentials) -> str:
    """The token there is, or a new one."""
    try:
        return credentials.read_admin_token()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return secrets.token_urlsafe(_TOKEN_BYTES)


def _make(administrator: str, service_names: tuple[str, ...], addresses: tuple[str, ...]) -> dict[str, bytes]:
    """New certificates and keys, by the names of their files."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca_name = subject_name("svcsim-ca")
    ca = _certificate(ca_name, ca_name, ca_key.public_key(), ca_key, [(x509.BasicConstraints(ca=True, path_length=None), True)])

    names: list[x509.GeneralName] = [x509.DNSName(name) for name in ("localhost", *service_names)]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", "::1", *addresses)]
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = _certificate(
        subject_name("svcsim-apiserver"),
        ca_name,
        server_key.public_key(),
        ca_key,
        [(x509.SubjectAlternativeName(names), False), (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)],
    )

    admin_key = ec.generate_private_key(ec.SECP256R1())
    admin = _certificate(
        subject_name(administrator, MASTERS),
        ca_name,
        admin_key.public_key(),
        ca_key,
        [(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)],
    )
    return {
        **_pem("ca", ca, ca_key),
        **_pem("server", server, server_key),
        **_pem("admin", admin, admin_key),
        **_make_front_proxy(),
    }


def _make_front_proxy() -> dict[str, bytes]:
    """An authority of its own, which signs for nobody but the API server as a front proxy: clients' certificates are of no use there."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = subject_name("svcsim-front-proxy-ca")
    ca = _certificate(ca_name, ca_name, ca_key.public_key(), ca_key, [(x509.BasicConstraints(ca=True, path_length=None), True)])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    client = _certificate(subject_name(FRONT_PROXY_NAME), ca_name, key.public_key(), ca_key, [(usage, False)])
    return {**_pem("front-proxy-ca", ca, ca_key), **_pem("front-proxy-client", client, key)}


def self_signed(common: str, addresses: tuple[str, ...]) -> tuple[bytes, bytes]:
    """A certificate for a server at these addresses, which is its own authority, and its key; both PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key, name = ec.generate_private_key(ec.SECP256R1()), subject_name(common)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address)) for address in addresses])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    authority = x509.BasicConstraints(ca=True, path_length=None)
    made = _pem("own", _certificate(name, name, key.public_key(), key, [(names, False), (usage, False), (authority, True)]), key)
    return made["own.crt"], made["own.key"]


def subject_name(common: str, *organisations: str) -> "x509.Name":
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation) for organisation in organisations]
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _certificate(
    subject: "x509.Name",
    issuer: "x509.Name",
    public_key: "ec.EllipticCurvePublicKey",
    signing_key: "ec.EllipticCurvePrivateKey",
    extensions: "list[tuple[x509.ExtensionType, bool]]",
) -> "x509.Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    now = datetime.datetime.fromtimestamp(wall_time(), datetime.UTC)
    signer = signing_key.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=_BACKDATED_HOURS))
        .not_valid_after(now + datetime.timedelta(days=_LIFETIME_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer), critical=False)
        .add_extension(_key_usage(is_ca=subject == issuer), critical=True)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return builder.sign(signing_key, hashes.SHA256())


def _key_usage(*, is_ca: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=not is_ca,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_ca,
        crl_sign=is_ca,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(name: str, certificate: "x509.Certificate", key: "ec.EllipticCurvePrivateKey") -> dict[str, bytes]:
    from cryptography.hazmat.primitives import serialization

    encoded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {f"{name}.crt": certificate.public_bytes(serialization.Encoding.PEM), f"{name}.key": encoded}
