"""Which program on the user's machine stands behind a port of a service, as an annotation of that Service.

``svcsim.dev/bound-to: 443=127.0.0.1:9443`` leads what is meant for the service's port 443 to port 9443 of this machine; several stand one
after the other, with commas. It is an annotation so that it is seen, outlives restarts and can stand in a manifest.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from svcsim.meta.annotation_places import BOUND_TO
from svcsim.meta.networks import host_port
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Object

LOCALHOST = "127.0.0.1"
_PORTS = range(1, 65_536)


class Local(NamedTuple):
    """A program's address."""

    host: str
    port: int

    def __str__(self) -> str:
        return host_port(self.host, self.port)


class BindingError(ValueError):
    """What is no binding; the message says why, and how one is written."""


def bindings_of(service: Object) -> dict[int, Local]:
    """The programs behind a service, by its ports. Raises `BindingError` for an annotation that can't be read."""
    text = (metadata_of(service).get("annotations") or {}).get(BOUND_TO, "")
    return read_bindings(text)


def read_bindings(text: str) -> dict[int, Local]:
    """What the annotation says. Raises `BindingError`."""
    found: dict[int, Local] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        port, equals, where = part.strip().partition("=")
        host, colon, local = where.rpartition(":")
        if not equals or not colon or not host:
            raise BindingError(f'the annotation {BOUND_TO} has "{part.strip()}", which should read like 443={LOCALHOST}:9443')
        try:
            number, program = read_port(port), Local(host.strip("[]"), read_port(local))
        except BindingError as error:
            raise BindingError(f'the annotation {BOUND_TO} has "{part.strip()}": {error}') from None
        if number in found:
            raise BindingError(f"the annotation {BOUND_TO} binds port {number} twice")
        found[number] = program
    return found


def binding_troubles(service: Object) -> Iterator[str]:
    """Why some of what a service is bound to is never asked."""
    try:
        bindings = bindings_of(service)
    except BindingError as error:
        yield str(error)
        return
    for port in bindings:
        if trouble := unbindable(service, port):
            yield f"the annotation {BOUND_TO} binds port {port}, but {trouble}"


def unbindable(service: Object, port: int) -> str:
    """Why nobody can ask a service for something at a port; empty where that can be."""
    ports = (service.get("spec") or {}).get("ports") or ()
    tcp = [one.get("port") for one in ports if one.get("protocol") in (None, "TCP")]
    if port in tcp:
        return ""
    other = next((one["protocol"] for one in ports if one.get("port") == port), None)
    if other:
        return f"port {port} is for {other}: only TCP ports lead to a program"
    return f"the service has no port {port}; it has {', '.join(map(str, tcp))}" if tcp else "the service has no TCP ports"


def written(bindings: Mapping[int, Local]) -> str:
    """The annotation that says this."""
    return ",".join(f"{port}={local}" for port, local in bindings.items())


def read_port(text: str) -> int:
    """A port's number. Raises `BindingError`."""
    if not (text.isascii() and text.isdigit()) or int(text) not in _PORTS:
        raise BindingError(f'"{text}" is no port: it must be between 1 and 65535')
    return int(text)
