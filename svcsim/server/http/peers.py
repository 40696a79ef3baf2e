"""The clients' certificates, as TLS verified them.

TLS reports the chain that verified a client's certificate, but only if it has just verified it. A client that resumes an earlier session
shows no chain, and its connection has only the certificate. So the chains are remembered: sessions can't be resumed in another process than
the one that began them.
"""

import _ssl
import asyncio
import ssl
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.peer import Peer, fingerprint_of, read_peer
from svcsim.server.http.client_certificates import TolerantConnection


class _Chain(NamedTuple):
    """The digests of a chain's certificates, and when all of them are valid but the last, which is the server's to trust."""

    fingerprints: tuple[str, ...]
    times: tuple[float, float]


class Peers:
    """Who is at the other ends of a server's connections."""

    def __init__(self) -> None:
        self._chains: dict[str, _Chain] = {}
        """By the fingerprint of the client's certificate; the one that was last verified stands last."""

    def of(self, transport: asyncio.BaseTransport) -> Peer | None:
        """The client's certificate, if it has shown one. By what it was verified isn't told of one that couldn't be."""
        certificate = transport.get_extra_info("peercert")
        if not certificate:
            return None
        tls: ssl.SSLObject = transport.get_extra_info("ssl_object")
        der = tls.getpeercert(binary_form=True)
        assert der is not None, "there is a certificate"
        if isinstance(tls, TolerantConnection) and tls.flaw:
            return read_peer(certificate, der, flaw=tls.flaw)
        chain = self._chain(fingerprint_of(der), tls)
        return read_peer(certificate, der) if chain is None else read_peer(certificate, der, *chain)

    def _chain(self, fingerprint: str, tls: ssl.SSLObject) -> _Chain | None:
        chain = _verified_chain(tls)
        if chain is None:
            return self._chains.get(fingerprint)
        self._chains.pop(fingerprint, None)
        self._chains[fingerprint] = chain
        if len(self._chains) > limits.PEER_CHAINS:
            del self._chains[next(iter(self._chains))]
        return chain


def _verified_chain(tls: ssl.SSLObject) -> _Chain | None:
    """The certificates from the client's to a trusted one; None in a resumed session."""
    # Only the object behind it has certificates with their times, and before Python 3.13 any at all.
    certificates = tls._sslobj.get_verified_chain()  # type: ignore[attr-defined]  # noqa: SLF001
    if not certificates:
        return None
    told = [certificate.get_info() for certificate in certificates[: max(1, len(certificates) - 1)]]
    times = [tuple(ssl.cert_time_to_seconds(one[when]) for one in told) for when in ("notBefore", "notAfter")]
    fingerprints = tuple([fingerprint_of(certificate.public_bytes(_ssl.ENCODING_DER)) for certificate in certificates])
    return _Chain(fingerprints, (max(times[0]), min(times[1])))
