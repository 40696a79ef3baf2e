"""Connections that are kept for the next call, a handful for each server.

What is kept is found by where it leads and by how the server was made sure of: no call goes out on a connection that was opened with other
certificates. One that has stood idle for long is not used again, because its server may be about to hang up.
"""

import asyncio
import socket
import ssl

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.tls import client_context
from svcsim.outbound.borne_names import flaw_of_names
from svcsim.outbound.exchange import CountedReader, Exchange
from svcsim.outbound.remote import Address, OutboundError, Trust
from svcsim.wall import stopwatch

_UNKNOWN_AUTHORITY = (18, 19, 20, 21)
_NOT_VALID_NOW = (9, 10)
_OTHER_NAME = (62, 64)
"""OpenSSL's numbers for what may be wrong with a certificate."""

_Way = tuple[Address, Trust]


class Pool:
    """Opens connections, and keeps them."""

    def __init__(self) -> None:
        self._kept: dict[_Way, list[tuple[float, Exchange]]] = {}
        self._contexts: dict[Trust, ssl.SSLContext] = {}

    def kept(self, address: Address, trust: Trust) -> Exchange | None:
        """A connection of before, the last used first; None where there is none that is still good."""
        waiting = self._kept.get((address, trust), [])
        while waiting:
            since_s, exchange = waiting.pop()
            if not exchange.gone and stopwatch() - since_s < limits.OUTBOUND_IDLE_S:
                return exchange
            exchange.close()
        self._kept.pop((address, trust), None)
        return None

    async def opened(self, address: Address, trust: Trust) -> Exchange:
        """A new connection. Raises `OutboundError`."""
        context = await self._context(trust)
        try:
            loop = asyncio.get_running_loop()
            reader = CountedReader(limits.HEADER_BYTES, loop)
            protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
            transport, _ = await loop.create_connection(
                lambda: protocol, address.host, address.port, ssl=context, server_hostname=address.server_name
            )
        except ssl.SSLCertVerificationError as error:
            other = error.verify_code in _OTHER_NAME
            flaw = await flaw_of_names(address, await _made(trust)) if other else _flaw(error)
            raise OutboundError(f"tls: failed to verify certificate: x509: {flaw}") from error
        except OSError as error:
            raise OutboundError(_why(error, address)) from error
        return Exchange(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    def keep(self, address: Address, trust: Trust, exchange: Exchange) -> None:
        """Have a connection back. One that can't be used again is closed, and so is what was kept the longest, where that is too much."""
        if not exchange.reusable or exchange.gone:
            exchange.close()
            return
        waiting = self._kept.pop((address, trust), [])
        self._kept[address, trust] = waiting  # to the end: the last one used
        waiting.append((stopwatch(), exchange))
        if len(waiting) > limits.OUTBOUND_KEPT:
            waiting.pop(0)[1].close()
        if len(self._kept) > limits.OUTBOUND_REMOTES:
            for _, oldest in self._kept.pop(next(iter(self._kept))):
                oldest.close()

    def shrink(self, most: int) -> None:
        """Keep at most so many connections: close first those to the server that was called the longest ago."""
        surplus = sum(map(len, self._kept.values())) - most
        while surplus > 0:
            way, waiting = next(iter(self._kept.items()))
            waiting.pop(0)[1].close()
            surplus -= 1
            if not waiting:
                del self._kept[way]

    async def close(self) -> None:
        """Let go of them all."""
        for waiting in self._kept.values():
            for _, exchange in waiting:
                exchange.close()
        self._kept.clear()

    async def _context(self, trust: Trust) -> ssl.SSLContext:
        context = self._contexts.get(trust)
        if context is None:
            context = await _made(trust)
            self._contexts[trust] = context
            if len(self._contexts) > limits.OUTBOUND_REMOTES:
                del self._contexts[next(iter(self._contexts))]
        return context


async def _made(trust: Trust) -> ssl.SSLContext:
    """The machine's own authorities are many: they are read aside."""
    size = 0 if trust.ca_pem else limits.ASIDE_BYTES + 1
    try:
        return await aside(
            size,
            client_context,
            ca_pem=trust.ca_pem,
            certificate_pem=trust.certificate_pem,
            key_pem=trust.key_pem,
            verify=trust.verify,
        )
    except (ssl.SSLError, ValueError) as error:
        raise OutboundError(f"unable to load the CA bundle or client certificate: {error}") from error


def _why(error: OSError, address: Address) -> str:
    """What keeps a connection from being opened, in the words users of clusters know."""
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":  # what else begins as TLS never does is seldom
        return "http: server gave HTTP response to HTTPS client"
    if isinstance(error, ssl.SSLError):
        return f"tls: {(error.reason or str(error)).replace('_', ' ').lower()} (does {address} speak HTTPS?)"
    if isinstance(error, socket.gaierror):
        return f"dial tcp: lookup {address.host}: no such host"
    if isinstance(error, ConnectionRefusedError):
        return f"dial tcp {address}: connect: connection refused"
    return f"dial tcp {address}: {(error.strerror or str(error) or type(error).__name__).lower()}"


def _flaw(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    if error.verify_code in _NOT_VALID_NOW:
        return f"certificate has expired or is not yet valid: {error.verify_message}"
    return error.verify_message
