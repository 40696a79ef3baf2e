"""Client certificates."""

from svcsim.auth.authentication import AUTHENTICATED, Identity
from svcsim.dialect import Dialect
from svcsim.meta.http import Request
from svcsim.meta.types import User


class X509:
    """The user a client certificate names: the common name, in the groups its organizations name.

    TLS has verified the certificate, against every authority the server trusts. As soon as there is one that may not name users (a front
    proxy's), it has to be checked here by whom the certificate was issued.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._credential_id = dialect.key("credential-id", "authentication")

    async def authenticate(self, request: Request) -> Identity | None:
        """No opinion where there is no certificate, or one without a common name."""
        peer = request.peer
        if peer is None or not peer.common_name:
            return None
        return Identity(
            User(
                peer.common_name,
                (*peer.organizations, AUTHENTICATED),
                extra={self._credential_id: (f"X509SHA256={peer.fingerprint}",)},
            )
        )
