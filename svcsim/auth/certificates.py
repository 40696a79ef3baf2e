"""The cluster's own certificate authority, and what it signs at first start.

ECDSA throughout. Files are readable by their owner alone. Everything is made once and read from then on, so that only a first start pays
for the cryptography; later ones hand file names to the TLS library.
"""

import datetime
import ipaddress
import secrets
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svcsim.auth.authentication import MASTERS
from svcsim.clock import wall_time
from svcsim.dialect import SVCAPI
from svcsim.meta.peer import fingerprint_of

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

_LIFETIME_DAYS = 3650
_BACKDATED_HOURS = 1
"""Certificates begin a little in the past, for clients whose clock is behind."""


@dataclass(frozen=True, slots=True)
class Credentials:
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
    def admin_token(self) -> Path:
        return self.directory / "admin.token"

    def read_admin_token(self) -> str:
        """The token itself."""
        return self.admin_token.read_text().strip()

    def read_ca_fingerprint(self) -> str:
        """By which the authority's certificate is known in a client's chain (`svcsim.meta.peer.Peer`)."""
        return fingerprint_of(ssl.PEM_cert_to_DER_cert(self.ca_certificate.read_text()))


def ensure(directory: Path, service_names: Iterable[str] = (), administrator: str = SVCAPI.administrator) -> Credentials:
    """The cluster's credentials, made now if this is its first start.

    ``service_names`` are further DNS names of the API server, ``administrator`` is the user that its certificate names.
    The token is written last: where it is missing, all is made anew.
    """
    credentials = Credentials(directory)
    if not credentials.admin_token.exists():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        _make(credentials, administrator, tuple(service_names))
    return credentials


def _make(credentials: Credentials, administrator: str, service_names: tuple[str, ...]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca_name = _name("svcsim-ca")
    ca = _certificate(ca_name, ca_name, ca_key.public_key(), ca_key, [(x509.BasicConstraints(ca=True, path_length=None), True)])
    _write_pair(credentials.ca_certificate, credentials.ca_key, ca, ca_key)

    names: list[x509.GeneralName] = [x509.DNSName(name) for name in ("localhost", *service_names)]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", "::1", "10.96.0.1")]
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = _certificate(
        _name("svcsim-apiserver"),
        ca_name,
        server_key.public_key(),
        ca_key,
        [(x509.SubjectAlternativeName(names), False), (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)],
    )
    _write_pair(credentials.server_certificate, credentials.server_key, server, server_key)

    admin_key = ec.generate_private_key(ec.SECP256R1())
    admin = _certificate(
        _name(administrator, MASTERS),
        ca_name,
        admin_key.public_key(),
        ca_key,
        [(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)],
    )
    _write_pair(credentials.admin_certificate, credentials.admin_key, admin, admin_key)
    _write_private(credentials.admin_token, secrets.token_urlsafe(32).encode())


def _name(common: str, *organisations: str) -> "x509.Name":
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


def _write_pair(certificate_path: Path, key_path: Path, certificate: "x509.Certificate", key: "ec.EllipticCurvePrivateKey") -> None:
    from cryptography.hazmat.primitives import serialization

    _write_private(certificate_path, certificate.public_bytes(serialization.Encoding.PEM))
    encoded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write_private(key_path, encoded)


def _write_private(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_bytes(content)
