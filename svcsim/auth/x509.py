"""Client certificates."""

from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.known_user import known_user
from svcsim.auth.validity import Validity, ValidStill
from svcsim.dialect import Dialect
from svcsim.meta.http import Request


class X509:
    """The user a client certificate names: the common name, in the groups its organizations name.

    TLS has looked whether an authority that the server trusts vouches for the certificate, and whether it may be a client's. Some of them
    may not name users (a front proxy's), so it counts only if it was verified by one of those that may, directly or over others.
    """

    def __init__(self, dialect: Dialect, authorities: tuple[str, ...], validity: Validity) -> None:
        """``authorities`` are the digests of the certificates of those who name users (`svcsim.meta.peer.fingerprint_of`)."""
        self._authorities = authorities
        self._validity = validity
        self._credential_id = dialect.key("credential-id", "authentication")

    async def authenticate(self, request: Request) -> Answer:
        """No opinion where there is no certificate, one without a common name, or one of another authority."""
        peer = request.peer
        if peer is not None and peer.flaw:
            return Rejected(f"the certificate can't be verified: {peer.flaw}")
        if peer is None or not peer.common_name:
            return None
        if not peer.chain:
            return Rejected("by whom the certificate was issued is no longer known: its TLS session is too old to be resumed")
        if not any(authority in self._authorities for authority in peer.chain):
            return None
        if flaw := self._validity.flaw(peer):
            return Rejected(flaw)
        credential = {self._credential_id: (f"X509SHA256={peer.fingerprint}",)}
        user = known_user(peer.common_name, peer.organizations, extra=credential)
        return Identity(user, method="client certificate", premise=ValidStill(self._validity, peer))
