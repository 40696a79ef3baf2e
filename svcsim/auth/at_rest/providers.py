"""The ways in which an object can be encrypted, each with one key.

What each makes is as others have defined it: AES in CBC mode with PKCS #7 padding, behind its 16 bytes of initialization vector; AES-GCM,
behind its nonce of 12 bytes, which also makes sure of whose object it is; XSalsa20 and Poly1305, behind their nonce of 24, as NaCl's
secretbox has it. CBC doesn't notice that its text was changed: it is for those who have to.

The first two are `cryptography`'s. XSalsa20 is neither there nor in OpenSSL, and a cipher is not to be written by hand, so that one needs
PyNaCl, which is imported where a configuration names it and nowhere else.
"""

import os
from typing import TYPE_CHECKING, Protocol

from svcsim.meta.types import Key

if TYPE_CHECKING:
    from nacl.secret import SecretBox as Box

_BLOCK_BYTES = 16
_NONCE_BYTES = 12


class DecryptionError(Exception):
    """It was not encrypted with this key, or changed since."""


class UnavailableError(Exception):
    """This machine has no such cipher; the message says what to install."""


class Cipher(Protocol):
    """One way, with one key."""

    def encrypted(self, key: Key, text: bytes) -> bytes: ...

    def decrypted(self, key: Key, stored: bytes) -> bytes:
        """Raises `DecryptionError`."""
        ...


class AesCbc:
    """``aescbc``."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def encrypted(self, _key: Key, text: bytes) -> bytes:
        """A new vector, and the text behind it."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        vector = os.urandom(_BLOCK_BYTES)
        padding = _BLOCK_BYTES - len(text) % _BLOCK_BYTES
        way = Cipher(algorithms.AES(self._secret), modes.CBC(vector)).encryptor()
        return vector + way.update(text + bytes([padding]) * padding) + way.finalize()

    def decrypted(self, _key: Key, stored: bytes) -> bytes:
        """The text without its padding."""
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        vector, rest = stored[:_BLOCK_BYTES], stored[_BLOCK_BYTES:]
        if not rest or len(rest) % _BLOCK_BYTES:
            raise DecryptionError
        way = Cipher(algorithms.AES(self._secret), modes.CBC(vector)).decryptor()
        padded = way.update(rest) + way.finalize()
        padding = padded[-1]
        if not 1 <= padding <= _BLOCK_BYTES or not padded.endswith(bytes([padding]) * padding):
            raise DecryptionError
        return padded[:-padding]


class AesGcm:
    """``aesgcm``: what is stored under one name is nothing under another."""

    def __init__(self, secret: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(secret)

    def encrypted(self, key: Key, text: bytes) -> bytes:
        """A new nonce, and the text behind it."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text, _whose(key))

    def decrypted(self, key: Key, stored: bytes) -> bytes:
        """The text, if it is whole and that object's."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(stored[:_NONCE_BYTES], stored[_NONCE_BYTES:], _whose(key))
        except (InvalidTag, ValueError) as error:
            raise DecryptionError from error


class SecretBox:
    """``secretbox``."""

    def __init__(self, secret: bytes) -> None:
        """Raises `UnavailableError`."""
        try:
            from nacl.secret import SecretBox as NaclBox
        except ImportError as error:
            raise UnavailableError('secretbox needs PyNaCl: pip install "svcsim[secretbox]"') from error
        self._box: Box = NaclBox(secret)

    def encrypted(self, _key: Key, text: bytes) -> bytes:
        """A new nonce, and the text behind it."""
        return bytes(self._box.encrypt(text))

    def decrypted(self, _key: Key, stored: bytes) -> bytes:
        """The text, if it is whole."""
        from nacl.exceptions import CryptoError

        try:
            return bytes(self._box.decrypt(stored))
        except (CryptoError, ValueError) as error:
            raise DecryptionError from error


def _whose(key: Key) -> bytes:
    return f"{key.resource}/{key.namespace}/{key.name}".encode(errors="surrogatepass")
