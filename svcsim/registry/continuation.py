"""Continue tokens: where a chunked list goes on, and as of when.

Opaque to the client and signed, so that one that was not made here is refused. A token carries how many items were left, because
counting them again on every page would cost what chunking saves.
"""

import base64
import binascii
import hashlib
import hmac
from typing import NamedTuple

import msgpack

from svcsim.meta import errors
from svcsim.storage.contract import Key

NEWEST = 0
"""As a revision: the rest of the list as it is now, knowingly inconsistent with the chunks before."""

_SIGNATURE_BYTES = 12


class Continuation(NamedTuple):
    revision: int
    start: Key
    remaining: int | None
    issued_s: float


def seal(key: bytes, continuation: Continuation) -> str:
    payload: bytes = msgpack.packb(
        (continuation.revision, tuple(continuation.start), continuation.remaining, continuation.issued_s), use_bin_type=True
    )
    return base64.urlsafe_b64encode(_sign(key, payload) + payload).decode().rstrip("=")


def unseal(key: bytes, token: str) -> Continuation:
    """Read a token; raises 400 for anything that was not sealed with this key."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise errors.bad_request("continue key is not valid: illegal base64 data") from None
    signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if not hmac.compare_digest(signature, _sign(key, payload)):
        raise errors.bad_request("continue key is not valid: it was not made by this cluster")
    revision, start, remaining, issued_s = msgpack.unpackb(payload, raw=False)
    return Continuation(revision, Key(*start), remaining, issued_s)


def _sign(key: bytes, payload: bytes) -> bytes:
    return hmac.new(key, payload, hashlib.sha256).digest()[:_SIGNATURE_BYTES]
