"""PEM, and what stands in it: certificate signing requests and certificates that clients send.

Every function raises `ValueError`, whose text says what is wrong. The cryptography is imported where it is used: most clusters never see
a request, and most commands never describe one.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from svcsim.meta.quoting import quoted

if TYPE_CHECKING:
    from cryptography import x509

_BEGINNING = re.compile(rb"-----BEGIN ([^\n-]{0,100})-----[ \t]*\r?\n")
_HEADER = re.compile(rb"[^\n:-][^\n:]*:[^\n]*\n")
_REQUEST = "CERTIFICATE REQUEST"
_CERTIFICATE = "CERTIFICATE"


class Block(NamedTuple):
    """One block of PEM."""

    kind: str
    has_headers: bool
    der: bytes


def blocks(pem: bytes) -> Iterator[Block]:
    """What can be read as blocks; whatever stands between them is passed over. Takes time in proportion to the length.

    This reads line by line, and not by one pattern: a pattern that is as quick needs possessive groups, which Python 3.11 before 3.11.5
    matches wrongly now and then.
    """
    at = headers_at = headers_end = 0
    while (begun := _BEGINNING.search(pem, at)) is not None:
        if not headers_at <= begun.end() <= headers_end:  # else it began within the headers of one that was none, and those are known
            headers_at = headers_end = begun.end()
            while (header := _HEADER.match(pem, headers_end)) is not None:
                headers_end = header.end()
        content_end = pem.find(b"-", headers_end)
        end = b"-----END %b-----" % begun[1]
        if content_end < 0 or not pem.startswith(end, content_end):
            at = begun.start() + 1
            continue
        at = content_end + len(end)
        try:
            der = base64.b64decode(b"".join(pem[headers_end:content_end].split()), validate=True)
        except binascii.Error:
            continue
        yield Block(begun[1].decode("latin-1"), begun.end() < headers_end, der)


class Asked(NamedTuple):
    """Whom a request wants a certificate for."""

    subject: dict[str, list[str]]
    """By the object identifiers of the attributes' types."""
    dns_names: list[str]
    email_addresses: list[str]
    uris: list[str]
    addresses: list[str]
    other_names: bool = False
    """Whether it names anything else besides."""


def asked(pem: bytes) -> Asked:
    """What a request says. Raises `ValueError` for one that says it in a way nobody can be sure of."""
    from cryptography import x509

    request = _signing_request(pem)
    try:
        return _read(request)
    except (ValueError, TypeError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:  # as the library puts it
        raise ValueError(f"x509: not a certificate request: {error}") from error


def _read(request: "x509.CertificateSigningRequest") -> Asked:
    from cryptography import x509

    subject: dict[str, list[str]] = {}
    for attribute in request.subject:
        subject.setdefault(attribute.oid.dotted_string, []).append(str(attribute.value))
    try:
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return Asked(subject, [], [], [], [])
    return Asked(
        subject,
        names.get_values_for_type(x509.DNSName),
        names.get_values_for_type(x509.RFC822Name),
        names.get_values_for_type(x509.UniformResourceIdentifier),
        [str(address) for address in names.get_values_for_type(x509.IPAddress)],
        not all(isinstance(name, x509.DNSName | x509.RFC822Name | x509.UniformResourceIdentifier | x509.IPAddress) for name in names),
    )


def _signing_request(pem: bytes) -> "x509.CertificateSigningRequest":
    """The PKCS#10 request in the first block."""
    from cryptography import x509

    block = next(blocks(pem), None)
    if block is None or block.kind != _REQUEST:
        raise ValueError("PEM block type must be CERTIFICATE REQUEST")
    try:
        return x509.load_der_x509_csr(block.der)
    except (ValueError, x509.InvalidVersion) as error:
        raise ValueError(f"x509: not a certificate request: {error}") from error


def check_signing_request(pem: bytes) -> None:
    """It is a request that can be read, and whoever made it has the key."""
    from cryptography.exceptions import UnsupportedAlgorithm

    request = _signing_request(pem)
    try:
        signed = request.is_signature_valid
    except (UnsupportedAlgorithm, TypeError) as error:
        raise ValueError("x509: cannot verify signature: algorithm unimplemented") from error
    if not signed:
        raise ValueError("x509: the signature was not made with the key of the request")
    asked(pem)


def check_certificates(pem: bytes) -> None:
    """One certificate or several, and nothing else."""
    from cryptography import x509

    found = list(blocks(pem))
    if not found:
        raise ValueError("must contain at least one CERTIFICATE PEM block")
    for block in found:
        if block.kind != _CERTIFICATE:
            raise ValueError(f"only CERTIFICATE PEM blocks are allowed, found {quoted(block.kind)}")
        if block.has_headers:
            raise ValueError("no PEM block headers are permitted")
        if not block.der:
            raise ValueError("found CERTIFICATE PEM block containing 0 certificates")
        try:
            x509.load_der_x509_certificate(block.der)
        except ValueError as error:
            raise ValueError(f"x509: malformed certificate: {error}") from error


def distinct_certificates(pem: bytes) -> None:
    """Each block is a certificate, there is at least one, and none stands there twice."""
    from cryptography import x509

    places: dict[bytes, int] = {}
    for index, block in enumerate(blocks(pem)):
        if block.kind != _CERTIFICATE:
            raise ValueError(f"entry {index} has bad block type: {block.kind}")
        if block.has_headers:
            raise ValueError(f"entry {index} has PEM block headers")
        try:
            x509.load_der_x509_certificate(block.der)
        except ValueError as error:
            raise ValueError(f"entry {index} does not parse as X.509: {error}") from error
        first = places.setdefault(block.der, index)
        if first != index:
            raise ValueError(f"duplicate trust anchor (indices [{first} {index}])")
    if not places:
        raise ValueError("at least one trust anchor must be provided")
