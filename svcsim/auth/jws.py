"""Signed tokens in their compact form (JWS, RFC 7515): three parts in base64url with dots between them.

Reading is for tokens that aren't verified yet: it never fails on one, has a limit, and says nothing about the signature. The owner of the
key decides which algorithm counts, never the token.
"""

import base64
import binascii
from typing import NamedTuple

import orjson

from svcsim import limits
from svcsim.meta.types import Json, Object


class Jws(NamedTuple):
    """A token taken apart, and not verified."""

    header: Object
    claims: Object
    signed: bytes
    """What the signature is over."""
    signature: bytes


def may_be(token: str) -> bool:
    """Whether it looks like such a token."""
    return len(token) <= limits.SIGNED_TOKEN_CHARS and token.count(".") == 2


def read(token: str) -> Jws | None:
    """The parts of a token; None for what isn't one."""
    if not may_be(token):
        return None
    header, claims, signature = token.split(".")
    try:
        read_header, read_claims = _json(header), _json(claims)
        read_signature, signed = _decoded(signature), f"{header}.{claims}".encode("ascii")
    except ValueError:
        return None
    if not isinstance(read_header, dict) or not isinstance(read_claims, dict):
        return None
    return Jws(read_header, read_claims, signed, read_signature)


def unsigned(header: Object, claims: Object) -> bytes:
    """What is to be signed."""
    return b".".join(encoded(orjson.dumps(part)) for part in (header, claims))


def with_signature(signed: bytes, signature: bytes) -> str:
    return b".".join((signed, encoded(signature))).decode("ascii")


def encoded(data: bytes) -> bytes:
    """base64url without padding, as all of JOSE has it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _json(part: str) -> Json:
    return orjson.loads(_decoded(part))


def _decoded(part: str) -> bytes:
    """Raises `ValueError` for what isn't base64url, or has padding: there is one way to write a token."""
    try:
        data = base64.b64decode(part.encode("ascii") + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error
    if encoded(data).decode("ascii") != part:
        raise ValueError("not the way to write it")
    return data
