"""Certificates made on the spot, and servers that show them."""

import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from svcsim.clock import turn
from svcsim.wall import wall_time

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Authority:
    """A certificate authority of a test's own."""

    def __init__(self, common_name: str = "test-ca") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        basic = x509.BasicConstraints(ca=True, path_length=None)
        self.pem = self._signed(self._name, self._key.public_key(), [(basic, True)]).public_bytes(serialization.Encoding.PEM)

    def issue(self, *names: str) -> tuple[bytes, bytes]:
        """Certificate and key, PEM, for DNS names or addresses; the first is the common name."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        alternatives = x509.SubjectAlternativeName([_general(name) for name in names])
        encoded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return self._signed(subject, key.public_key(), [(alternatives, False)]).public_bytes(serialization.Encoding.PEM), encoded

    def _signed(self, subject, public_key, extensions):
        now = datetime.datetime.fromtimestamp(wall_time(), datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self._key, hashes.SHA256())

    def server_context(self, directory: Path, *names: str, clients: bytes | None = None) -> ssl.SSLContext:
        """What a server listens with; ``clients`` are the authorities of those it lets in."""
        certificate, key = self.issue(*names)
        (directory / "server.pem").write_bytes(certificate + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "server.pem")
        if clients is not None:
            context.load_verify_locations(cadata=clients.decode())
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@asynccontextmanager
async def listening(handler: Handler, context: ssl.SSLContext) -> AsyncIterator[int]:
    """A server on this machine in the test's own loop; gives its port."""
    transports = {}

    async def handle(request: web.Request) -> web.StreamResponse:
        transports[request.transport] = None
        return await handler(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        for transport in transports:
            if transport is not None:
                with suppress(AttributeError):  # what early Pythons 3.11 say where the end of TLS has been begun twice
                    transport.abort()
        await runner.cleanup()
        for _ in range(50):  # until the sockets are closed too
            await turn()
