"""Certificate authorities that an option names: a file of certificates, each of which is trusted by itself.

OpenSSL looks at them here, by the very call by which TLS is told of them later; nothing else has to be imported to know that they are some.
"""

import ssl
from pathlib import Path
from typing import NamedTuple

from svcsim.auth.pem import blocks
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.peer import fingerprint_of


class Authorities(NamedTuple):
    """Some certificates, and the digests by which they are known in a client's chain (`svcsim.meta.peer.Peer`)."""

    pem: str = ""
    fingerprints: tuple[str, ...] = ()


NONE = Authorities()


def read_authorities(option: str, path: Path | None) -> Authorities:
    """What a file holds; nothing where there is no file. Raises `ConfigurationError`."""
    if path is None:
        return NONE
    found = [block.der for block in blocks(configured_file(option, path)) if block.kind == "CERTIFICATE"]
    if not found:
        raise ConfigurationError(f"{option}: {path} has no certificate in it; it has to hold those of authorities, as PEM")
    pem = "".join(map(ssl.DER_cert_to_PEM_cert, found))
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cadata=pem)
    except ssl.SSLError as error:
        raise ConfigurationError(
            f"{option}: {path} has a certificate in it that can't be read; give those of authorities, as PEM"
        ) from error
    return Authorities(pem, tuple(map(fingerprint_of, found)))
