"""Who is at the other end of a TLS connection: the client's certificate, looked at while the connection was made.

It only says what is in the certificate, and which authorities vouch for it. Authenticators decide which user that is, if any: a
certificate may name a user, or a proxy that acts for others, and that depends on the authority.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TypeAlias

Names: TypeAlias = tuple[tuple[str, str], ...]
"""Kinds and values in the certificate's order: ``(("organizationName", "dev"), ("commonName", "jane"))``."""


@dataclass(frozen=True)
class Peer:
    """A certificate, read once a connection."""

    subject: Names
    issuer: Names
    der: bytes
    """The certificate itself, for whoever has to know more."""
    chain: tuple[str, ...] = ()
    """The digests (`fingerprint_of`) of the certificates by which it was verified, itself first, an authority the server trusts last.

    Empty where it wasn't, and where that is no longer known: the client resumed a session of long ago.
    """
    begins_s: float = -inf
    """From when on it is valid, and each certificate between it and the authority, in seconds since the epoch."""
    ends_s: float = inf
    """Likewise, until when."""
    flaw: str = ""
    """Why it couldn't be verified: it is nobody's word, whatever it says."""

    @cached_property
    def common_name(self) -> str:
        """Empty where there is none; the last where there are several."""
        return next((value for name, value in reversed(self.subject) if name == "commonName"), "")

    @cached_property
    def organizations(self) -> tuple[str, ...]:
        """In the certificate's order."""
        return tuple(value for name, value in self.subject if name == "organizationName")

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, in hex."""
        return fingerprint_of(self.der)


def fingerprint_of(der: bytes) -> str:
    """SHA-256 of a certificate, in hex."""
    return hashlib.sha256(der).hexdigest()


def read_peer(
    certificate: Mapping[str, object], der: bytes, chain: tuple[str, ...] = (), times: tuple[float, float] = (-inf, inf), flaw: str = ""
) -> Peer:
    """From the forms in which `ssl` shows a certificate: ``getpeercert()`` and ``getpeercert(binary_form=True)``."""
    return Peer(
        _distinguished_name(certificate.get("subject")),
        _distinguished_name(certificate.get("issuer")),
        der,
        chain,
        *times,
        flaw,
    )


def _distinguished_name(relative_names: object) -> Names:
    return tuple(pair for pairs in relative_names for pair in _pairs(pairs)) if isinstance(relative_names, tuple) else ()


def _pairs(pairs: object) -> Names:
    return tuple((str(name), str(value)) for name, value in pairs) if isinstance(pairs, tuple) else ()
