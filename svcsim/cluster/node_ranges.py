"""What nodes get their networks from, as the settings say, and what doesn't go together in them."""

from collections.abc import Sequence

from svcsim import limits
from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.cidr_set import CidrSet
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.networks import Network

_USUAL = {4: 24, 6: 64}


def ranges_of_nodes(spec: ClusterSpec) -> tuple[CidrSet, ...]:
    """Those of a cluster, with nothing taken from them. Raises `ConfigurationError`."""
    return node_ranges(spec.node_ranges, spec.nodes, spec.service_cluster_ip_range)


def node_ranges(spec: NodeRangesSpec, nodes: int, services: Sequence[Network]) -> tuple[CidrSet, ...]:
    """One a network of the cluster; none where nodes get nothing. Raises `ConfigurationError`.

    There is to be one for each of so many ``nodes``, and none of an address that ``services`` get theirs from.
    """
    if not spec.allocate:
        return ()
    of_family = {4: spec.mask_size_ipv4, 6: spec.mask_size_ipv6}
    if len(spec.cluster_cidr) > 1:
        if spec.mask_size is not None:
            raise ConfigurationError("--node-cidr-mask-size is for clusters of one IP family; give --node-cidr-mask-size-ipv4 and -ipv6")
    else:
        of_family = {version: size or spec.mask_size for version, size in of_family.items()}
    found: list[CidrSet] = []
    for network in spec.cluster_cidr:
        prefix = of_family[network.version] or _USUAL[network.version]
        if not network.prefixlen <= prefix <= network.max_prefixlen:
            raise ConfigurationError(f"--cluster-cidr: in {network} there is no network for a node with a mask of {prefix} bits")
        if prefix - network.prefixlen > limits.NODE_RANGES_BITS:
            raise ConfigurationError(
                f"--cluster-cidr: {network} has more than {1 << limits.NODE_RANGES_BITS} networks of {prefix} bits; that is too many"
            )
        if nodes > 1 << (prefix - network.prefixlen):
            raise ConfigurationError(
                f"--cluster-cidr: {network} has {1 << (prefix - network.prefixlen)} networks of {prefix} bits, "
                f"too few for {nodes} nodes; give a larger one, or fewer --nodes"
            )
        for other in services:
            if other.version == network.version and other.overlaps(network):
                raise ConfigurationError(
                    f"--cluster-cidr: {network} overlaps {other}, where services get their addresses (--service-cluster-ip-range)"
                )
        found.append(CidrSet(network, prefix))
    return tuple(found)
