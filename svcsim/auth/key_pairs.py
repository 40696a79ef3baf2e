"""Certificates with their keys, as servers load them: whether they are such a pair, and if not, why."""

from typing import TYPE_CHECKING

from svcsim.auth.pem import Block, blocks

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes

_CERTIFICATE, _KEY = "CERTIFICATE", "PRIVATE KEY"


def check_key_pair(certificate: bytes, key: bytes) -> None:
    """The first certificate is of the key. Raises `ValueError`, whose text says what keeps a server from using them."""
    found = _first_certificate(list(blocks(certificate)))
    of_key = _first_key(list(blocks(key)))
    public, private = _public_key(found), _private_key(of_key)
    if type(private.public_key()) is not type(public):
        raise ValueError("tls: private key type does not match public key type")
    if private.public_key() != public:
        raise ValueError("tls: private key does not match public key")


def check_authority(certificate: bytes) -> None:
    """The first certificate is an authority's. Raises `ValueError`: nobody would take what is signed with another."""
    from cryptography import x509

    found = x509.load_der_x509_certificate(_first_certificate(list(blocks(certificate))).der)
    try:
        constraints = found.extensions.get_extension_for_class(x509.BasicConstraints).value
    except x509.ExtensionNotFound:
        constraints = x509.BasicConstraints(ca=False, path_length=None)
    if not constraints.ca:
        raise ValueError("the certificate is no authority's (it lacks CA:TRUE), so that nobody would take what is signed with it")


def _first_certificate(found: list[Block]) -> Block:
    for block in found:
        if block.kind == _CERTIFICATE:
            return block
    if not found:
        raise ValueError("tls: failed to find any PEM data in certificate input")
    if len(found) == 1 and found[0].kind.endswith(_KEY):
        switched = "in certificate input, but did find a private key; PEM inputs may have been switched"
        raise ValueError(f"tls: failed to find certificate PEM data {switched}")
    raise ValueError(f'tls: failed to find "{_CERTIFICATE}" PEM block in certificate input {_skipped(found)}')


def _first_key(found: list[Block]) -> Block:
    for block in found:
        if block.kind == _KEY or block.kind.endswith(f" {_KEY}"):
            return block
    if not found:
        raise ValueError("tls: failed to find any PEM data in key input")
    if len(found) == 1 and found[0].kind == _CERTIFICATE:
        raise ValueError("tls: found a certificate rather than a key in the PEM for the private key")
    raise ValueError(f'tls: failed to find PEM block with type ending in "{_KEY}" in key input {_skipped(found)}')


def _skipped(found: list[Block]) -> str:
    return f"after skipping PEM blocks of the following types: [{' '.join(block.kind for block in found)}]"


def _public_key(block: Block) -> "PublicKeyTypes":
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return x509.load_der_x509_certificate(block.der).public_key()
    except UnsupportedAlgorithm as error:
        raise ValueError("tls: unknown public key algorithm") from error
    except ValueError as error:
        raise ValueError("x509: malformed certificate") from error


def _private_key(block: Block) -> "PrivateKeyTypes":
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        return load_der_private_key(block.der, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ValueError("tls: failed to parse private key") from error
