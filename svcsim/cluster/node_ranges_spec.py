"""What can be asked for of the networks that nodes have for their pods: the options of the controller manager that are called so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network

from svcsim.cluster.settings import setting
from svcsim.cluster.values import AnyNetworks, Boolean, Integer, Nullable
from svcsim.meta.networks import Network

_USUAL: Mapping[int, Network] = {4: IPv4Network("10.224.0.0/11"), 6: IPv6Network("fd00:10:224::/48")}
"""Where nodes get their networks, by the version of IP, if nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRangesSpec:
    """Where nodes get them from, and how large they are."""

    allocate: bool = setting(
        True,
        Boolean(),
        help="Give each node a network for its pods.",
        flag="--allocate-node-cidrs",
    )
    cluster_cidr: tuple[Network, ...] = setting(
        (),
        AnyNetworks(),
        help="Where nodes get their networks for pods: one network, or two of different IP families (dual-stack).",
        json="clusterCIDR",
        flag="--cluster-cidr",
        metavar="CIDR[,CIDR]",
        shown_default=f"for each IP family that services have {_USUAL[4]} or {_USUAL[6]}",
        in_scenario=True,
    )
    mask_size: int | None = setting(
        None,
        Nullable(Integer(1, 128)),
        help="How many bits the prefix of a node's network has, in a cluster of one IP family.",
        flag="--node-cidr-mask-size",
        metavar="N",
        shown_default="24 for IPv4, 64 for IPv6",
        in_scenario=True,
    )
    mask_size_ipv4: int | None = setting(
        None,
        Nullable(Integer(1, 32)),
        help="The same for IPv4, in a cluster of two.",
        json="maskSizeIPv4",
        flag="--node-cidr-mask-size-ipv4",
        metavar="N",
        shown_default="24",
        in_scenario=True,
    )
    mask_size_ipv6: int | None = setting(
        None,
        Nullable(Integer(1, 128)),
        help="The same for IPv6, in a cluster of two.",
        json="maskSizeIPv6",
        flag="--node-cidr-mask-size-ipv6",
        metavar="N",
        shown_default="64",
        in_scenario=True,
    )


def settled(spec: NodeRangesSpec, services: Sequence[Network]) -> NodeRangesSpec:
    """What is asked for; where no network is, with the usual ones of the families in which ``services`` have addresses, in their order."""
    return spec if spec.cluster_cidr else replace(spec, cluster_cidr=tuple(_USUAL[network.version] for network in services))
