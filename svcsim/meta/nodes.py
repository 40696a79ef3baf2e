"""What nodes say of themselves, for all who read it."""

from svcsim.meta.types import Object


def internal_addresses(node: Object) -> tuple[str, ...]:
    """The addresses at which a node is reached within the cluster; none if it says none."""
    addresses = (node.get("status") or {}).get("addresses") or ()
    return tuple(one["address"] for one in addresses if one.get("type") == "InternalIP" and one.get("address"))


def internal_address(node: Object) -> str:
    """The address at which a node is reached within the cluster; empty if it says none."""
    return next(iter(internal_addresses(node)), "")
