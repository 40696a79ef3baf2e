"""What makes a ServiceCIDR right: at most one network of each family, which stay as they are while Services have addresses of them."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.kinds.shared.networks import canonical_network
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.networks import parse_networks
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_PATH = "spec.cidrs"
_FAMILIES = 2


def service_cidr_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    networks = _networks(obj)
    if not networks:
        yield required(_PATH, "at least one CIDR required")
        return
    if len(networks) > _FAMILIES:
        yield invalid_value(_PATH, {"CIDRs": networks}, "may only hold up to 2 values")
        return
    for index, text in enumerate(networks):
        yield from canonical_network(text, f"{_PATH}[{index}]")
    versions = [network.version for network in parse_networks(networks)]
    if len(versions) > len(dict.fromkeys(versions)):
        detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        yield invalid_value(_PATH, networks, detail)


def service_cidr_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Nothing changes, but that a network of the other family is added."""
    after, before = _networks(new), _networks(old)
    if len(after) not in (len(before), _FAMILIES) or len(after) < len(before):
        yield invalid_value(_PATH, after, IMMUTABLE)
        return
    for index, (text, was) in enumerate(zip(after, before, strict=False)):
        if text != was:
            yield invalid_value(f"{_PATH}[{index}]", text, IMMUTABLE)
    if len(after) > len(before):
        yield from service_cidr_rules(new, context)


def _networks(obj: Object) -> list[str]:
    found: list[str] = (obj.get("spec") or {}).get("cidrs") or []
    return found
