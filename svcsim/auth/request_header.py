"""Users of an authenticating proxy: it is in front of this server, authenticates users, and names them in headers.

The headers count only if their sender shows a certificate of an authority for proxies, with one of the allowed names: any client can send a
header.
"""

from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from svcsim.auth.authentication import Answer, Identity, Rejected
from svcsim.auth.known_user import known_user
from svcsim.auth.validity import Validity
from svcsim.meta.http import Request


class ProxyHeaders(NamedTuple):
    """The names of headers in which a proxy names the user, in lower case."""

    user: tuple[str, ...]
    """The first that has a value counts."""
    uid: tuple[str, ...] = ()
    """Likewise."""
    groups: tuple[str, ...] = ()
    """All values of all of them."""
    extra_prefixes: tuple[str, ...] = ()
    """What follows one of these prefixes in a header's name is the key of an extra value of the user."""


class RequestHeader:
    """Believes those proxies that it knows."""

    def __init__(self, headers: ProxyHeaders, authorities: tuple[str, ...], allowed_names: tuple[str, ...], validity: Validity) -> None:
        """``authorities`` are digests as in `svcsim.auth.x509.X509`; without ``allowed_names`` every certificate of theirs is a proxy's."""
        self._headers = headers
        self._authorities = authorities
        self._allowed_names = allowed_names
        self._validity = validity

    async def authenticate(self, request: Request) -> Answer:
        """No opinion on requests of those who show no certificate of a proxy's authority."""
        peer = request.peer
        if peer is None or not any(authority in self._authorities for authority in peer.chain):
            return None
        if flaw := self._validity.flaw(peer):
            return Rejected(flaw)
        if self._allowed_names and peer.common_name not in self._allowed_names:
            return Rejected("the certificate is of an authority for proxies, but its name is none that may be a proxy's")
        try:
            return self._identity(request)
        except UnicodeError:
            return Rejected("a proxy's headers are not UTF-8")

    def _identity(self, request: Request) -> Answer:
        name = _first(request, self._headers.user)
        if not name:
            return Rejected("a proxy doesn't say for whom it asks")
        groups = [group for header in self._headers.groups for group in request.header_values(header) if group]
        user = known_user(name, map(_utf8, groups), _first(request, self._headers.uid), self._extra(request))
        return Identity(user, method="proxy headers")

    def _extra(self, request: Request) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for prefix in self._headers.extra_prefixes:
            for header in request.headers:
                if header.startswith(prefix):
                    key = unquote_to_bytes(header.removeprefix(prefix)).decode()
                    found[key] = (*found.get(key, ()), *map(_utf8, request.header_values(header)))
        return found


def _first(request: Request, headers: tuple[str, ...]) -> str:
    return next((_utf8(value) for header in headers for value in request.header_values(header)[:1] if value), "")


def _utf8(value: str) -> str:
    """A value as it is. Raises `UnicodeError` for one that isn't UTF-8: it could be taken for several names."""
    if not value.isascii():
        value.encode()
    return value
