"""The IP families of a service: there are slices for each, and Endpoints go by the first."""

from svcsim.meta.networks import family_of
from svcsim.meta.types import Object

_ALL = ("IPv4", "IPv6")


def families_of(service: Object) -> tuple[str, ...]:
    """The IP families in its spec. For an old service without them, the family of its address, or all if it has no address either."""
    spec = service["spec"]
    if spec.get("ipFamilies"):
        return tuple(spec["ipFamilies"])
    address = spec.get("clusterIP") or "None"
    return _ALL if address == "None" else (family_of(address),)
