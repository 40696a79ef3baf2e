"""Which port of what a ``proxy`` path names: ``NAME``, ``NAME:PORT`` or ``SCHEME:NAME:PORT``, where any but the name may be empty."""

from typing import NamedTuple

from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.quoting import quoted

_SCHEMES = ("", "http", "https")
_LAST_PORT = 65_535


class AskedPlace(NamedTuple):
    """What is named, as it is written."""

    scheme: str
    name: str
    port: str


def read_place(text: str, what: str) -> AskedPlace:
    """The place in something that is a pod, a service or a node. Raises 400."""
    parts = text.split(":")
    if len(parts) < 3:
        parts = ["", *parts, ""][:3]
    if len(parts) != 3 or not parts[1] or parts[0] not in _SCHEMES:
        raise bad_request(f"invalid {what} request {quoted(text)}")
    return AskedPlace(*parts)


def unavailable(why: str) -> StatusError:
    """503: there is nobody to ask."""
    return StatusError(503, "ServiceUnavailable", why)


def unreached(why: str) -> StatusError:
    """503: who is to be asked isn't reached."""
    return unavailable(f"error trying to reach service: {why}")


def port_number(port: str) -> int:
    """A port that is dialled, which has to be a number. Raises 503, as nobody is reached there."""
    if not (port.isascii() and port.isdigit()):
        raise unreached(f"dial tcp: lookup tcp/{port}: unknown port")
    number = int(port) if len(port) <= len("65535") else _LAST_PORT + 1
    if number > _LAST_PORT:
        raise unreached(f"dial tcp: address {port}: invalid port")
    return number
