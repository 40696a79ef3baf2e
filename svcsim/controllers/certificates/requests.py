"""What a CertificateSigningRequest asks for, as signers read it."""

import base64

from svcsim.auth.signing import SigningRequest
from svcsim.meta.types import Object


def request_of(csr: Object) -> SigningRequest:
    spec = csr["spec"]
    return SigningRequest(base64.b64decode(spec["request"]), tuple(spec.get("usages") or ()), spec.get("expirationSeconds"))
