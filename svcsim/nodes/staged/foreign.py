"""Addresses where no machine is: those of nodes that nobody runs, and ranges for the pods on them."""

import hashlib
import ipaddress
from collections.abc import Mapping, Sequence

from svcsim.meta.networks import Network

_HOSTS: Mapping[int, Network] = {4: ipaddress.IPv4Network("10.128.0.0/10"), 6: ipaddress.IPv6Network("fd00:11::/106")}
"""By the version of IP; apart from where machines and their pods have theirs."""
_PODS: Mapping[int, str] = {4: "10.200.0.0/16", 6: "fd00:200::/112"}


def foreign_ips(name: str, versions: Sequence[int] = (4,)) -> tuple[str, ...]:
    """The addresses of a node that says none itself, one of each version of IP: they follow from its name, so that they stay the same."""
    drawn = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
    return tuple(str(network[1 + drawn % (network.num_addresses - 2)]) for network in (_HOSTS[version] for version in versions))


def foreign_pods(versions: Sequence[int] = (4,)) -> tuple[str, ...]:
    """The ranges that pods have their addresses from on nodes that have no range of their own."""
    return tuple(_PODS[version] for version in versions)
