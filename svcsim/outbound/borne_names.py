"""Which names a server's certificate bears, where it isn't the one it was called by: who set it up wrong sees what is wrong about it.

TLS breaks off before the certificate can be seen. So the server is asked for it once more, by who still makes sure that an authority it
trusts has signed it, and hangs up at once.
"""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any

from svcsim import limits
from svcsim.meta.networks import parse_address
from svcsim.outbound.remote import Address


async def flaw_of_names(address: Address, context: ssl.SSLContext) -> str:
    """What is wrong with the names of its certificate; without them where the server doesn't show it again.

    ``context`` is one of its own: names aren't compared by it any more.
    """
    context.check_hostname = False
    try:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(
            asyncio.Protocol, address.host, address.port, ssl=context, server_hostname=address.server_name
        )
    except OSError:
        return f"certificate is not valid for {address.server_name}"
    certificate = transport.get_extra_info("peercert")
    transport.abort()
    return told(certificate or {}, address.server_name)


def told(certificate: Mapping[str, Any], name: str) -> str:
    """What is wrong with the names of a certificate, as `ssl` reads it, for a server of that name."""
    by_address = parse_address(name) is not None
    borne = [value for kind, value in certificate.get("subjectAltName", ()) if kind == ("IP Address" if by_address else "DNS")]
    if not borne and by_address:
        return f"cannot validate certificate for {name} because it doesn't contain any IP SANs"
    if not borne:
        return f"certificate is not valid for any names, but wanted to match {name}"
    if len(borne) > limits.CERTIFICATE_NAMES_TOLD:
        return f"certificate is valid for {len(borne)} names, but none matched {name}"
    return f"certificate is valid for {', '.join(borne)}, not {name}"
