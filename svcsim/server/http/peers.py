"""The clients' certificates, as TLS verified them.

TLS tells by which chain of certificates it came to trust a client's, but only where it did so just now. A client that resumes an earlier
session shows nothing, and its connection knows the certificate alone. So the chains are remembered: sessions can't be resumed in another
process than the one that began them.
"""

import _ssl
import asyncio
import ssl
import sys

from svcsim import limits
from svcsim.meta.peer import Peer, fingerprint_of, read_peer


class Peers:
    """Who is at the other ends of a server's connections."""

    def __init__(self) -> None:
        self._chains: dict[str, tuple[str, ...]] = {}
        """By the fingerprint of the client's certificate; the one that was last verified stands last."""

    def of(self, transport: asyncio.BaseTransport) -> Peer | None:
        """The client's certificate, if it has shown one: then it was verified."""
        certificate = transport.get_extra_info("peercert")
        if not certificate:
            return None
        tls: ssl.SSLObject = transport.get_extra_info("ssl_object")
        der = tls.getpeercert(binary_form=True)
        assert der is not None, "there is a certificate"
        return read_peer(certificate, der, self._chain(fingerprint_of(der), tls))

    def _chain(self, fingerprint: str, tls: ssl.SSLObject) -> tuple[str, ...]:
        chain = tuple([fingerprint_of(der) for der in _verified_chain(tls)])
        if not chain:
            return self._chains.get(fingerprint, ())
        self._chains.pop(fingerprint, None)
        self._chains[fingerprint] = chain
        if len(self._chains) > limits.PEER_CHAINS:
            del self._chains[next(iter(self._chains))]
        return chain


def _verified_chain(tls: ssl.SSLObject) -> list[bytes]:
    """The certificates from the client's to a trusted one; none in a resumed session."""
    if sys.version_info >= (3, 13):
        return tls.get_verified_chain()
    # Until then only the object behind it has that.
    certificates = tls._sslobj.get_verified_chain()  # type: ignore[attr-defined]  # noqa: SLF001
    return [certificate.public_bytes(_ssl.ENCODING_DER) for certificate in certificates or ()]
