"""An identity token as it comes: read, and not yet believed."""

import base64
import binascii
from typing import NamedTuple

import orjson

from svcsim import limits
from svcsim.meta.types import Object


class Compact(NamedTuple):
    """The parts of a token."""

    header: Object
    claims: Object
    signed: bytes
    """What the signature is over."""
    signature: bytes


def read_compact(token: str) -> Compact | None:
    """None for what isn't three parts of base64url, of which two are JSON objects, or is longer than any token should be."""
    if len(token) > limits.OIDC_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
        return None
    signed, _, signature = token.rpartition(".")
    header, _, claims = signed.partition(".")
    try:
        parts = orjson.loads(_decoded(header)), orjson.loads(_decoded(claims)), _decoded(signature)
    except ValueError:
        return None
    if not isinstance(parts[0], dict) or not isinstance(parts[1], dict):
        return None
    return Compact(parts[0], parts[1], signed.encode(), parts[2])


def _decoded(part: str) -> bytes:
    """Raises `ValueError`."""
    if "=" in part or "+" in part or "/" in part:
        raise ValueError("not base64url")
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error
