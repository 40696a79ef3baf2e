"""The ports of its node that a pod takes: the scheduler asks where they are free, and a node before it takes a pod."""

from typing import NamedTuple

from svcsim.meta.pods import sidecars
from svcsim.meta.types import Object

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - the API's word for all of a node's addresses, and its default
SOME_ADDRESS = ""
"""Stands for whatever address a port was taken at."""


class HostPort(NamedTuple):
    """A port a pod takes on its node."""

    protocol: str
    port: int
    ip: str

    def at(self, ip: str) -> "HostPort":
        """The same port at another address."""
        return HostPort(self.protocol, self.port, ip)

    def excludes(self, other: "HostPort") -> bool:
        """Whether a node can't give away both."""
        same = (self.protocol, self.port) == (other.protocol, other.port)
        return same and (self.ip == other.ip or ANY_ADDRESS in (self.ip, other.ip))


def host_ports(spec: Object) -> tuple[HostPort, ...]:
    """The host ports in a pod's spec."""
    return tuple(
        HostPort(port.get("protocol") or "TCP", port["hostPort"], port.get("hostIP") or ANY_ADDRESS)
        for container in (*(spec.get("containers") or ()), *sidecars(spec))
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )
