"""What can be asked for of the networks that nodes have for their pods: the options of the controller manager that are called so."""

from dataclasses import dataclass
from ipaddress import IPv4Network

from svcsim.cluster.settings import setting
from svcsim.cluster.values import Boolean, ClusterNetworks, Integer, Nullable
from svcsim.meta.networks import Network


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
        (IPv4Network("10.224.0.0/11"),),
        ClusterNetworks(),
        help="Where nodes get their networks for pods: one network, or two of different IP families (dual-stack).",
        json="clusterCIDR",
        flag="--cluster-cidr",
        metavar="CIDR[,CIDR]",
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
