"""The keys of a cluster's service accounts: one that signs, and all whose signatures count.

They are read when the first token is made or judged, so that a cluster without tokens holds no key and no cryptography.
"""

from collections.abc import Callable
from functools import cached_property

from svcsim.auth.jws import Jws
from svcsim.auth.signing_keys import PublicKey, SigningKey


class AccountKeys:
    """One signs, and its signatures count besides those of all others."""

    def __init__(self, read_signing: Callable[[], SigningKey], read_others: Callable[[], tuple[PublicKey, ...]] = tuple) -> None:
        self._read_signing = read_signing
        self._read_others = read_others

    @cached_property
    def signing(self) -> SigningKey:
        return self._read_signing()

    @cached_property
    def public(self) -> tuple[PublicKey, ...]:
        """Each once, in the order they were given; the one that signs is last unless it was."""
        by_id = {key.key_id: key for key in (*self._read_others(), self.signing.public)}
        return tuple(by_id.values())

    def have_signed(self, token: Jws) -> bool:
        """Whether one of them signed this: the one the token names, or whichever if it names none."""
        key_id = token.header.get("kid")
        return any(key.has_signed(token) for key in self.public if not key_id or key_id == key.key_id)
