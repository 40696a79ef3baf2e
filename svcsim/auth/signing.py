"""Signing with a certificate authority, as the built-in signers do: what each of them signs, for whom, and what for.

A signer decides by the request alone, once it has been approved. Its reason for not signing is one sentence (`UnsignableError`). From a
request a certificate takes its subject, its key and its names; other requested extensions are dropped.

TLS libraries look at the machine's time, so that a certificate begins a little before now by both clocks; it ends by the cluster's.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from svcsim.auth.pem import Asked, asked, blocks
from svcsim.dialect import Dialect
from svcsim.meta.times import EPOCH
from svcsim.wall import wall_time

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256

NODES: Final = "system:nodes"
NODE_PREFIX: Final = "system:node:"
_CLIENT_USAGES: Final = ("digital signature", "key encipherment", "client auth")
_SERVING_USAGES: Final = ("digital signature", "key encipherment", "server auth")
_COMMON_NAME, _ORGANIZATION = "2.5.4.3", "2.5.4.10"
_SHORTEST_S = 600
_BACKDATED_S = 300
_FIRST_DAY, _LAST_DAY = datetime(1950, 1, 2, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


class UnsignableError(ValueError):
    """A request that a signer doesn't sign; the text says why."""


class Authority(NamedTuple):
    """A certificate authority: how its certificate and its key are read, each time anew, and for how long it signs at the most."""

    read_certificate: Callable[[], bytes]
    read_key: Callable[[], bytes]
    longest_s: float


class SigningRequest(NamedTuple):
    """What a CertificateSigningRequest asks for."""

    pem: bytes
    usages: tuple[str, ...]
    expiration_s: int | None


class _Signer(NamedTuple):
    required: tuple[str, ...]
    """The usages that must be asked for."""
    allowed: tuple[str, ...] | None
    """The usages that may be asked for; None for all."""
    check: Callable[[Asked], None]


def signer_names(dialect: Dialect) -> tuple[str, ...]:
    """The built-in ones."""
    return (dialect.signer_client, dialect.signer_node_client, dialect.signer_node_serving, dialect.signer_legacy)


def check_request(signer_name: str, request: SigningRequest, dialect: Dialect) -> None:
    """Whether that signer signs this. Raises `UnsignableError`."""
    signer = _signers(dialect)[signer_name]
    found = _asked(request)
    signer.check(found)
    given = set(request.usages)
    if not given.issuperset(signer.required) or (signer.allowed is not None and not given.issubset(signer.allowed)):
        raise UnsignableError(f"usages did not match [{' '.join(sorted(signer.allowed or signer.required))}]")


def asks_for_node_client(signer_name: str, request: SigningRequest, dialect: Dialect) -> bool:
    """Whether it is for the certificate by which a node agent is known, and such as its signer signs."""
    if signer_name != dialect.signer_node_client:
        return False
    try:
        check_request(signer_name, request, dialect)
    except UnsignableError:
        return False
    return True


def common_name(request: SigningRequest) -> str:
    """Whom it is for; empty where it says none, or several."""
    names = _asked(request).subject.get(_COMMON_NAME, [])
    return names[0] if len(names) == 1 else ""


def last_common_name(pem: bytes) -> str:
    """Whom a request is for, where several names are one too many for signers alone. Raises `ValueError` for what is none."""
    names = asked(pem).subject.get(_COMMON_NAME)
    return names[-1] if names else ""


def organizations(pem: bytes) -> list[str]:
    """The groups that a request names. Raises `ValueError` for what is none."""
    return asked(pem).subject.get(_ORGANIZATION, [])


def expires_at(pem: bytes) -> float:
    """When the first of some certificates ends, in seconds since the epoch. Raises `ValueError` for what is none."""
    from cryptography import x509

    first = next(blocks(pem), None)
    if first is None:
        raise ValueError("there is no certificate")
    return (x509.load_der_x509_certificate(first.der).not_valid_after_utc - EPOCH).total_seconds()


def sign(signer_name: str, request: SigningRequest, authority: Authority, now_s: float, dialect: Dialect) -> bytes:
    """The certificate, in PEM. ``now_s`` is the cluster's time. Raises `UnsignableError`; `OSError` and `ValueError` for the authority."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    check_request(signer_name, request, dialect)
    ca = x509.load_pem_x509_certificate(authority.read_certificate())
    try:
        key = serialization.load_pem_private_key(authority.read_key(), None)
    except (TypeError, ValueError):
        raise ValueError("the key of the signing authority can't be read") from None  # whose text might quote it
    builder = _certificate(request, ca, now_s, _lifetime(request, authority))
    # What keys there are to sign with is the library's business: it says so itself where one is none.
    signed = builder.sign(key, _digest(key))  # type: ignore[arg-type]
    return signed.public_bytes(serialization.Encoding.PEM)


def _digest(key: object) -> "SHA256 | None":
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ed448, ed25519

    return None if isinstance(key, ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey) else hashes.SHA256()


def _lifetime(request: SigningRequest, authority: Authority) -> float:
    if request.expiration_s is None:
        return authority.longest_s
    return min(max(request.expiration_s, _SHORTEST_S), authority.longest_s)


def _certificate(request: SigningRequest, ca: "x509.Certificate", now_s: float, lifetime_s: float) -> "x509.CertificateBuilder":
    from cryptography import x509

    csr = x509.load_der_x509_csr(next(blocks(request.pem)).der)
    begins = max(_moment(min(now_s, wall_time()) - _BACKDATED_S), _FIRST_DAY)
    ends = min(_moment(now_s + lifetime_s), ca.not_valid_after_utc)
    if ca.not_valid_after_utc <= max(begins, _moment(now_s)):
        raise ValueError("the certificate of the signing authority has expired; renew it, and what was approved is signed")
    builder = (
        x509.CertificateBuilder()
        .subject_name(csr.subject)
        .issuer_name(ca.subject)
        .public_key(csr.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.public_key()), critical=False)  # type: ignore[arg-type]
    )
    basic, extended = _basic_usage(request.usages), _extended_usage(request.usages)
    if basic is not None:
        builder = builder.add_extension(basic, critical=True)
    if extended is not None:
        builder = builder.add_extension(extended, critical=False)
    try:
        names = csr.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return builder
    return builder.add_extension(names.value, critical=not list(csr.subject))


def _moment(seconds: float) -> datetime:
    try:
        return min(EPOCH + timedelta(seconds=int(seconds)), _LAST_DAY)
    except OverflowError:
        return _LAST_DAY


_BASIC: Final = {
    "signing": "digital_signature",
    "digital signature": "digital_signature",
    "content commitment": "content_commitment",
    "key encipherment": "key_encipherment",
    "data encipherment": "data_encipherment",
    "key agreement": "key_agreement",
    "cert sign": "key_cert_sign",
    "crl sign": "crl_sign",
    "encipher only": "encipher_only",
    "decipher only": "decipher_only",
}
_EXTENDED: Final = {
    "any": "2.5.29.37.0",
    "server auth": "1.3.6.1.5.5.7.3.1",
    "client auth": "1.3.6.1.5.5.7.3.2",
    "code signing": "1.3.6.1.5.5.7.3.3",
    "email protection": "1.3.6.1.5.5.7.3.4",
    "s/mime": "1.3.6.1.5.5.7.3.4",
    "ipsec end system": "1.3.6.1.5.5.7.3.5",
    "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
    "ipsec user": "1.3.6.1.5.5.7.3.7",
    "timestamping": "1.3.6.1.5.5.7.3.8",
    "ocsp signing": "1.3.6.1.5.5.7.3.9",
    "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
    "netscape sgc": "2.16.840.1.113730.4.1",
}


def _basic_usage(usages: tuple[str, ...]) -> "x509.KeyUsage | None":
    from cryptography import x509

    wanted = {_BASIC[usage] for usage in usages if usage in _BASIC}
    if "key_agreement" not in wanted:
        wanted -= {"encipher_only", "decipher_only"}  # which mean nothing without
    return x509.KeyUsage(**{name: name in wanted for name in _BASIC.values()}) if wanted else None


def _extended_usage(usages: tuple[str, ...]) -> "x509.ExtendedKeyUsage | None":
    from cryptography import x509

    wanted = dict.fromkeys(_EXTENDED[usage] for usage in usages if usage in _EXTENDED)
    return x509.ExtendedKeyUsage([x509.ObjectIdentifier(one) for one in wanted]) if wanted else None


def _asked(request: SigningRequest) -> Asked:
    try:
        return asked(request.pem)
    except ValueError as error:
        raise UnsignableError(f"unable to parse csr: {error}") from error


def _anything(_asked: Asked) -> None:
    """No restriction."""


def _of_node(asked: Asked) -> None:
    names = asked.subject.get(_COMMON_NAME, [])
    if asked.subject.get(_ORGANIZATION, []) != [NODES]:
        raise UnsignableError(f"subject organization is not {NODES}")
    if len(names) != 1 or not names[0].startswith(NODE_PREFIX):
        raise UnsignableError(f"subject common name does not begin with {NODE_PREFIX}")


def _node_client(asked: Asked) -> None:
    _of_node(asked)
    for found, what in (
        (asked.dns_names, "DNS"),
        (asked.email_addresses, "email"),
        (asked.addresses, "IP"),
        (asked.uris, "URI"),
    ):
        if found:
            raise UnsignableError(f"{what} subjectAltNames are not allowed")
    if asked.other_names:
        raise UnsignableError("subjectAltNames are not allowed")


def _node_serving(asked: Asked) -> None:
    _of_node(asked)
    if not asked.dns_names and not asked.addresses:
        raise UnsignableError("DNS or IP subjectAltName is required")
    for found, what in ((asked.email_addresses, "email"), (asked.uris, "URI")):
        if found:
            raise UnsignableError(f"{what} subjectAltNames are not allowed")
    if asked.other_names:
        raise UnsignableError("only DNS and IP subjectAltNames are allowed")


def _without_rsa(usages: tuple[str, ...]) -> tuple[str, ...]:
    """The usages without key encipherment, which some keys can't do, such as those on elliptic curves."""
    return tuple(usage for usage in usages if usage != "key encipherment")


def _signers(dialect: Dialect) -> dict[str, _Signer]:
    return {
        dialect.signer_client: _Signer(("client auth",), _CLIENT_USAGES, _anything),
        dialect.signer_node_client: _Signer(_without_rsa(_CLIENT_USAGES), _CLIENT_USAGES, _node_client),
        dialect.signer_node_serving: _Signer(_without_rsa(_SERVING_USAGES), _SERVING_USAGES, _node_serving),
        dialect.signer_legacy: _Signer((), None, _anything),
    }
