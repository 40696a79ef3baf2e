"""Client certificates."""

from svcsim.auth.authentication import AUTHENTICATED, Answer, Identity, Rejected
from svcsim.dialect import Dialect
from svcsim.meta.http import Request
from svcsim.meta.types import User


class X509:
    """The user a client certificate names: the common name, in the groups its organizations name.

    TLS has verified the certificate, against every authority the server trusts. Some of them may not name users (a front proxy's), so it
    counts only if it was verified by one of those that may, directly or over others.
    """

    def __init__(self, dialect: Dialect, authorities: tuple[str, ...]) -> None:
        """``authorities`` are the digests of the certificates of those who name users (`svcsim.meta.peer.fingerprint_of`)."""
        self._authorities = authorities
        self._credential_id = dialect.key("credential-id", "authentication")

    async def authenticate(self, request: Request) -> Answer:
        """No opinion where there is no certificate, one without a common name, or one of another authority."""
        peer = request.peer
        if peer is None or not peer.common_name:
            return None
        if not peer.chain:
            return Rejected("by whom the certificate was issued is no longer known: its TLS session is too old to be resumed")
        if not any(authority in self._authorities for authority in peer.chain):
            return None
        return Identity(
            User(
                peer.common_name,
                (*peer.organizations, AUTHENTICATED),
                extra={self._credential_id: (f"X509SHA256={peer.fingerprint}",)},
            ),
            method="client certificate",
        )
