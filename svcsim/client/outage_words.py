"""What went wrong below HTTP, in the words kubectl's users know, whichever library met it."""

import socket
import ssl

_NOT_VALID_NOW = (9, 10)
"""OpenSSL's numbers for a certificate whose time has not come yet, or is over."""
_CLOCKS_DIFFER = (
    "; either this machine's clock is wrong, or it was when the certificate was made: "
    "set the clock, then `svcsim down NAME` and `svcsim up NAME` make new ones where they are needed"
)


class HandshakeTimeoutError(TimeoutError):
    """The server was reached, and then said nothing."""


def connection_error(error: OSError, host: str, port: int) -> ConnectionError:
    """The error to raise in place of the operating system's."""
    where = f"{host}:{port}"
    if isinstance(error, ConnectionRefusedError):
        return ConnectionError(f"The connection to the server {where} was refused - did you specify the right host or port?")
    if isinstance(error, socket.gaierror):
        return ConnectionError(f"Unable to connect to the server: dial tcp: lookup {host}: no such host")
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or str(error)
        cure = _CLOCKS_DIFFER if error.verify_code in _NOT_VALID_NOW else ""
        return ConnectionError(f"Unable to connect to the server: tls: failed to verify certificate: {reason}{cure}")
    if isinstance(error, HandshakeTimeoutError):
        return ConnectionError("Unable to connect to the server: net/http: TLS handshake timeout")
    if isinstance(error, TimeoutError):
        return ConnectionError(f"Unable to connect to the server: dial tcp {where}: i/o timeout")
    return ConnectionError(f"Unable to connect to the server: {error.strerror or error}")
