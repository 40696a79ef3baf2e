"""Whether a certificate is valid now, in the cluster's time.

TLS would go by the machine's, and by when the connection was made. But the cluster signs certificates by its own clock, which may have been
wound on; and a connection may outlive the certificate that was shown on it. So TLS leaves times alone (`svcsim.cluster.tls`), and they are
looked at here, at every request. The authorities themselves, and what was made together with them at the first start, are not: they were
made by the machine's time, before the cluster had any, and are looked over at each start (`svcsim.auth.certificates`).
"""

from collections.abc import Callable

from svcsim.meta.peer import Peer


class ValidStill:
    """A certificate's times are looked at again; everything else about it stays as it was on its connection."""

    __slots__ = ("_peer", "_validity")

    def __init__(self, validity: "Validity", peer: Peer) -> None:
        self._validity = validity
        self._peer = peer

    def holds(self) -> bool:
        return not self._validity.flaw(self._peer)


class Validity:
    """Looks at the times of certificates."""

    def __init__(self, now: Callable[[], float], timeless: tuple[str, ...] = ()) -> None:
        """``now`` is the cluster's time; ``timeless`` are the digests of certificates that have none of their own."""
        self._now = now
        self._timeless = timeless

    def flaw(self, peer: Peer) -> str:
        """What is wrong with the times of a client's certificate, and of those between it and an authority; empty if nothing is."""
        now = self._now()
        if peer.begins_s <= now <= peer.ends_s or peer.fingerprint in self._timeless:
            return ""
        return "the certificate has expired" if now > peer.ends_s else "the certificate is not valid yet"
