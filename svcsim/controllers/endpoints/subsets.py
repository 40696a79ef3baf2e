"""Endpoints objects: all addresses of a service in one piece, grouped by the ports at which they serve."""

from svcsim import limits
from svcsim.controllers.endpoints.ports import Groups, Port, Serving, hostname_of, target_of
from svcsim.meta.objects import is_terminating
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object

_READY, _NOT_READY = _FIELDS = ("addresses", "notReadyAddresses")


def make_subsets(service: Object, groups: Groups) -> list[Object]:
    """Addresses of the service's pods; those on their way out are left out."""
    regardless = bool(service["spec"].get("publishNotReadyAddresses"))
    subsets = []
    for ports, group in groups.items():
        addresses: dict[str, list[Object]] = {field: [] for field in _FIELDS}
        for one in group:
            if regardless or not is_terminating(one.pod):
                addresses[_READY if regardless or is_ready(one.pod) else _NOT_READY].append(_address(service, one))
        if any(addresses.values()):
            subsets.append(_subset(ports, addresses))
    return subsets


def _subset(ports: tuple[Port, ...], addresses: dict[str, list[Object]]) -> Object:
    subset: Object = {field: found for field, found in addresses.items() if found}
    if ports:
        subset["ports"] = [port.to_object() for port in ports]
    return subset


def truncated(subsets: list[Object]) -> list[Object]:
    """As many addresses as Endpoints may have: those that are ready before all others, and of each subset its share."""
    ready, others = (sum(len(subset.get(field) or ()) for subset in subsets) for field in _FIELDS)
    most = limits.ENDPOINTS_ADDRESSES
    if ready + others <= most:
        return subsets
    if ready > most:
        bare = [{name: value for name, value in subset.items() if name != _NOT_READY} for subset in subsets]
        return _shared_out(bare, _READY, ready, most)
    return _shared_out(subsets, _NOT_READY, others, most - ready)


def _shared_out(subsets: list[Object], field: str, total: int, room: int) -> list[Object]:
    """The subsets with at most ``room`` of their addresses in a field, each with its share, rounded up as long as there is room."""
    found: list[Object] = []
    left = room
    for subset in subsets:
        held: list[Object] = subset.get(field) or []
        kept = held[: min(-(-len(held) * room // total), left)]
        left -= len(kept)
        shortened = {name: kept if name == field else value for name, value in subset.items() if name != field or kept}
        if any(name in shortened for name in _FIELDS):
            found.append(shortened)
    return found


def _address(service: Object, serving: Serving) -> Object:
    pod = serving.pod
    address: Object = {"ip": serving.address}
    hostname = hostname_of(service, pod)
    if hostname:
        address["hostname"] = hostname
    if pod["spec"].get("nodeName"):
        address["nodeName"] = pod["spec"]["nodeName"]
    address["targetRef"] = target_of(pod)
    return address
