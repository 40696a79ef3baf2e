"""A detached JSON Web Signature (HS256): what a bootstrap token vouches for, without the payload in the middle."""

import base64
import hashlib
import hmac
import json


def signature(payload: str, token_id: str, token_secret: str) -> str:
    """The header and the signature, with nothing between the two dots. The key is the whole token."""
    header = _encoded(json.dumps({"alg": "HS256", "kid": token_id}, separators=(",", ":")).encode())
    signed = hmac.new(f"{token_id}.{token_secret}".encode(), f"{header}.{_encoded(payload.encode())}".encode(), hashlib.sha256)
    return f"{header}..{_encoded(signed.digest())}"


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
