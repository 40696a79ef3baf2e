"""Clients' certificates that can't be verified end no connection.

A client that shows one gets a 401, like any client that can't be authenticated, or may have a valid token besides. Kubernetes' servers do
the same, and clients can show their users the reason, which they couldn't if the connection broke off. Python's module for TLS always
breaks off. But the library behind it calls a verification callback for each flaw: here it records the flaw at the connection, and only
then the connection goes on. In a Python whose library can't be reached in this way the connection ends as usual.
"""

import _ssl
import ctypes
import ssl
import sys
from typing import Any

_PEER = 1
"""``SSL_VERIFY_PEER``: look at a certificate where one is shown."""
_CONNECTION = 0
"""The place among what the library keeps of a connection where Python notes its own object."""
_SOUND, _OTHER_PURPOSE = 0, 26
"""``X509_V_OK``, ``X509_V_ERR_INVALID_PURPOSE``."""
_ANY_USE, _NO_USES = 0x100, 0xFFFF_FFFF
"""``XKU_ANYEKU``; and what is told of a certificate that says nothing about uses."""
_Judge = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class TolerantConnection(ssl.SSLObject):
    """The TLS of one connection."""

    flaw = ""
    """Why the client's certificate can't be verified."""


class TolerantContext(ssl.SSLContext):
    """The TLS of a server that looks at the certificates its clients show, if they show any."""

    sslobject_class = TolerantConnection
    _judge: object = None

    def look_at_certificates(self) -> None:
        """To be called last: what is set afterwards may undo it."""
        self.verify_mode = ssl.CERT_OPTIONAL
        library = _library()
        if library is not None:
            self._judge = _Judge(_Flaws(library))  # kept for as long as the context is there: the library asks it
            library.SSL_CTX_set_verify(ctypes.c_void_p.from_address(id(self) + object.__basicsize__), _PEER, self._judge)


class _Flaws:
    """Notes what is wrong with certificates."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._index = library.SSL_get_ex_data_X509_STORE_CTX_idx()

    def __call__(self, sound: int, found: int) -> int:
        """1 where the connection is to go on. ``found`` is where the library is in its search."""
        if sound:
            return 1
        library = self._library
        if library.X509_STORE_CTX_get_error(found) == _OTHER_PURPOSE and self._is_for_anything(found):
            library.X509_STORE_CTX_set_error(found, _SOUND)
            return 1
        place = library.SSL_get_ex_data(library.X509_STORE_CTX_get_ex_data(found, self._index), _CONNECTION)
        connection = ctypes.cast(place, ctypes.py_object).value.owner if place else None
        if not isinstance(connection, TolerantConnection):
            return 0
        connection.flaw = library.X509_verify_cert_error_string(library.X509_STORE_CTX_get_error(found)).decode()
        return 1

    def _is_for_anything(self, found: int) -> bool:
        """Whether the certificate says so: the library, other than Kubernetes' servers, takes only one that says it is a client's."""
        certificate = self._library.X509_STORE_CTX_get_current_cert(found)
        uses: int = self._library.X509_get_extended_key_usage(certificate)
        return uses != _NO_USES and bool(uses & _ANY_USE)


_SIGNATURES: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("SSL_CTX_set_verify", None, (ctypes.c_void_p, ctypes.c_int, _Judge)),
    ("SSL_get_ex_data", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)),
    ("SSL_get_ex_data_X509_STORE_CTX_idx", ctypes.c_int, ()),
    ("X509_STORE_CTX_get_ex_data", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)),
    ("X509_STORE_CTX_get_error", ctypes.c_int, (ctypes.c_void_p,)),
    ("X509_STORE_CTX_set_error", None, (ctypes.c_void_p, ctypes.c_int)),
    ("X509_STORE_CTX_get_current_cert", ctypes.c_void_p, (ctypes.c_void_p,)),
    ("X509_get_extended_key_usage", ctypes.c_uint32, (ctypes.c_void_p,)),
    ("X509_verify_cert_error_string", ctypes.c_char_p, (ctypes.c_long,)),
)


def _library() -> ctypes.CDLL | None:
    """The TLS library that Python itself uses; None where its functions can't be reached."""
    path = getattr(_ssl, "__file__", None)
    if sys.implementation.name != "cpython" or path is None:
        return None
    library = ctypes.CDLL(path)
    for name, result, arguments in _SIGNATURES:
        function = getattr(library, name, None)
        if function is None:
            return None
        function.restype, function.argtypes = result, arguments
    return library
