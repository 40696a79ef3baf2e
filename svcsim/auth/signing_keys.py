"""Keys that sign tokens, and those that tell whether a signature is theirs: RSA and ECDSA.

A key has one algorithm, which follows from what it is, and an id, which follows from its public half as Kubernetes derives it. So a token
can't choose how it is verified: what it says of its algorithm has to be what its key says. Every reader raises `ValueError`, whose text
tells what is wrong. The cryptography is imported when the first key is read.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from svcsim.auth.jws import Jws, encoded, unsigned, with_signature
from svcsim.auth.pem import blocks
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

_CURVES = {"secp256r1": ("ES256", "P-256"), "secp384r1": ("ES384", "P-384"), "secp521r1": ("ES512", "P-521")}
"""By OpenSSL's names: the algorithm, and what JOSE calls the curve."""
_RSA_ALGORITHM = "RS256"
_RSA_BITS = 2048
_ORDER_OF_P256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class PublicKey:
    """Tells its signatures from others."""

    key_id: str
    algorithm: str
    key: "RSAPublicKey | EllipticCurvePublicKey"

    def has_signed(self, token: Jws) -> bool:
        """Whether the token's signature is this key's, by this key's algorithm."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
        from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

        if token.header.get("alg") != self.algorithm or "crit" in token.header:
            return False
        try:
            if isinstance(self.key, RSAPublicKey):
                self.key.verify(token.signature, token.signed, padding.PKCS1v15(), hashes.SHA256())
                return True
            size = _bytes_of(self.key)
            if len(token.signature) != 2 * size:
                return False
            r, s = (int.from_bytes(half) for half in (token.signature[:size], token.signature[size:]))
            self.key.verify(encode_dss_signature(r, s), token.signed, _ecdsa(self.algorithm))
        except InvalidSignature:
            return False
        return True

    def jwk(self) -> Object:
        """As a JSON Web Key (RFC 7517)."""
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

        about = {"use": "sig", "kid": self.key_id, "alg": self.algorithm}
        if isinstance(self.key, RSAPublicKey):
            numbers = self.key.public_numbers()
            return {**about, "kty": "RSA", "n": _number(numbers.n), "e": _number(numbers.e)}
        size, point = _bytes_of(self.key), self.key.public_numbers()
        return {**about, "kty": "EC", "crv": _CURVES[self.key.curve.name][1], "x": _number(point.x, size), "y": _number(point.y, size)}


@dataclass(frozen=True)
class SigningKey:
    """Signs tokens."""

    key: "RSAPrivateKey | EllipticCurvePrivateKey"
    public: PublicKey

    def sign(self, claims: Object) -> str:
        """A token that says this. The same claims give the same token."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        signed = unsigned({"alg": self.public.algorithm, "kid": self.public.key_id}, claims)
        if isinstance(self.key, RSAPrivateKey):
            return with_signature(signed, self.key.sign(signed, padding.PKCS1v15(), hashes.SHA256()))
        size = _bytes_of(self.key.public_key())
        halves = decode_dss_signature(self.key.sign(signed, _ecdsa(self.public.algorithm)))
        return with_signature(signed, b"".join(half.to_bytes(size) for half in halves))


def read_signing_key(pem: bytes) -> SigningKey:
    """The first private key of a file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    for block in blocks(pem):
        if block.kind.endswith("PRIVATE KEY"):
            try:
                return _signing_key(load_der_private_key(block.der, None))
            except (TypeError, UnsupportedAlgorithm) as error:
                raise ValueError("the key is encrypted, or of a sort that signs no tokens; it has to be RSA or ECDSA") from error
            except ValueError as error:
                raise ValueError(f"the key can't be read: {error}") from error
    raise ValueError("there is no private key in it, which would be PEM with RSA or ECDSA")


def read_public_keys(pem: bytes) -> tuple[PublicKey, ...]:
    """All keys of a file: public ones, the public halves of private ones, those of certificates. Others are passed over."""
    found = tuple(_public_keys(pem))
    if not found:
        raise ValueError("there is no key in it, which would be PEM with RSA or ECDSA, public or private")
    return found


def derived_signing_key(secret: str) -> SigningKey:
    """The P-256 key that follows from a text: for clusters whose every byte has to follow from their seed."""
    from cryptography.hazmat.primitives.asymmetric import ec

    number = int.from_bytes(hashlib.sha512(secret.encode()).digest()) % (_ORDER_OF_P256 - 1) + 1
    return _signing_key(ec.derive_private_key(number, ec.SECP256R1()))


def _public_keys(pem: bytes) -> Iterator[PublicKey]:
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import load_der_private_key, load_der_public_key

    for block in blocks(pem):
        try:
            if block.kind.endswith("PRIVATE KEY"):
                yield _public_key(load_der_private_key(block.der, None).public_key())
            elif block.kind == "CERTIFICATE":
                yield _public_key(x509.load_der_x509_certificate(block.der).public_key())
            elif block.kind == "RSA PUBLIC KEY":
                key = load_der_public_key(block.der)
                assert isinstance(key, rsa.RSAPublicKey), "what the block is called"
                yield _public_key(key)
            elif block.kind == "PUBLIC KEY":
                yield _public_key(load_der_public_key(block.der))
        except (TypeError, UnsupportedAlgorithm) as error:
            raise ValueError("a key is encrypted, or of a sort that signs no tokens; it has to be RSA or ECDSA") from error
        except ValueError as error:
            raise ValueError(f"a key can't be read: {error}") from error


def _signing_key(key: object) -> SigningKey:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    if not isinstance(key, RSAPrivateKey | EllipticCurvePrivateKey):
        raise ValueError("it is neither RSA nor ECDSA")
    return SigningKey(key, _public_key(key.public_key()))


def _public_key(key: object) -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    if isinstance(key, RSAPublicKey):
        if key.key_size < _RSA_BITS:
            raise ValueError(f"it is an RSA key of {key.key_size} bits, and {_RSA_BITS} are the least")
        algorithm = _RSA_ALGORITHM
    elif isinstance(key, EllipticCurvePublicKey) and key.curve.name in _CURVES:
        algorithm = _CURVES[key.curve.name][0]
    else:
        raise ValueError("it is neither RSA nor ECDSA on P-256, P-384 or P-521")
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return PublicKey(encoded(hashlib.sha256(der).digest()).decode(), algorithm, key)


def _ecdsa(algorithm: str) -> "ECDSA":
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    sizes = {"ES256": hashes.SHA256(), "ES384": hashes.SHA384(), "ES512": hashes.SHA512()}
    return ec.ECDSA(sizes[algorithm], deterministic_signing=True)


def _bytes_of(key: "EllipticCurvePublicKey") -> int:
    """The length of one coordinate."""
    return (key.curve.key_size + 7) // 8


def _number(value: int, size: int = 0) -> str:
    return encoded(value.to_bytes(size or (value.bit_length() + 7) // 8)).decode()
