"""TLS for clients: which servers are trusted, and the certificate shown to them."""

import contextlib
import os
import ssl
from collections.abc import Iterator


def client_context(
    *, ca_pem: bytes | None = None, certificate_pem: bytes | None = None, key_pem: bytes | None = None, verify: bool = True
) -> ssl.SSLContext:
    """A context that trusts ``ca_pem`` alone (default: the system's authorities) and shows the client's certificate, if there is one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif ca_pem is not None:
        context.load_verify_locations(cadata=ca_pem.decode("ascii", "replace"))
    else:
        context.load_default_certs()
    if certificate_pem is not None:
        with _as_file(certificate_pem + b"\n" + (key_pem or b"")) as path:
            context.load_cert_chain(path)
    return context


@contextlib.contextmanager
def _as_file(content: bytes) -> Iterator[str]:
    """A path under which OpenSSL can read what we hold in memory; it takes key and certificate from files only."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("credentials")
        try:
            os.write(handle, content)
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    import tempfile  # noqa: PLC0415 - slow to import, and not needed on Linux

    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        yield file.name
