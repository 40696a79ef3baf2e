"""Public keys as a provider publishes them (RFC 7517), and whether one of them made a signature.

The algorithm is one that was allowed at the start, and a key is only asked about algorithms of its own kind: what a token says of itself
can't turn a public key into a shared secret. The libraries are imported when the first token of the provider comes.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from svcsim import limits
from svcsim.auth.oidc.compact import Compact
from svcsim.meta.types import Json

_CURVES = {"ES256": "secp256r1", "ES384": "secp384r1", "ES512": "secp521r1"}
_LEAST_RSA_BITS = 2048


class ProviderKey(NamedTuple):
    """One public key, with what it is for as far as that was said."""

    key_id: str
    algorithm: str
    public: Any


def read_keys(document: Json) -> tuple[ProviderKey, ...]:
    """The usable keys of a set; others are ignored, since a provider may have keys for other purposes."""
    found = document.get("keys") if isinstance(document, dict) else None
    return tuple(_readable(found[: limits.OIDC_KEYS])) if isinstance(found, list) else ()


def _readable(found: list[Json]) -> Iterator[ProviderKey]:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from jwt.algorithms import ECAlgorithm, RSAAlgorithm
    from jwt.exceptions import PyJWTError

    for one in found:
        if not isinstance(one, dict) or one.get("use", "sig") != "sig" or "d" in one:
            continue
        try:
            public = {"RSA": RSAAlgorithm.from_jwk, "EC": ECAlgorithm.from_jwk}[one["kty"]](one)
        except (KeyError, TypeError, ValueError, PyJWTError):
            continue
        if isinstance(public, rsa.RSAPublicKey) and public.key_size < _LEAST_RSA_BITS:
            continue
        if isinstance(public, rsa.RSAPublicKey | ec.EllipticCurvePublicKey):
            yield ProviderKey(str(one.get("kid") or ""), str(one.get("alg") or ""), public)


def is_signed(token: Compact, algorithm: str, key: ProviderKey) -> bool:
    """Whether the key made the token's signature by that algorithm."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from jwt.algorithms import get_default_algorithms

    curve = key.public.curve.name if isinstance(key.public, ec.EllipticCurvePublicKey) else None
    if curve != _CURVES.get(algorithm) or key.algorithm not in ("", algorithm):
        return False
    return bool(get_default_algorithms()[algorithm].verify(token.signed, key.public, token.signature))
