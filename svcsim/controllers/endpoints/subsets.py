"""Endpoints objects: all addresses of a service in one piece, grouped by the ports at which they serve."""

from svcsim import limits
from svcsim.controllers.endpoints.ports import Groups, Port, Serving, hostname_of, target_of
from svcsim.meta.objects import is_terminating
from svcsim.meta.pods import is_ready
from svcsim.meta.types import Object


def make_subsets(service: Object, groups: Groups) -> list[Object]:
    """Addresses of the service's pods; those on their way out are left out."""
    regardless = bool(service["spec"].get("publishNotReadyAddresses"))
    subsets = []
    for ports, group in groups.items():
        addresses: dict[str, list[Object]] = {"addresses": [], "notReadyAddresses": []}
        for one in group:
            if regardless or not is_terminating(one.pod):
                addresses["addresses" if regardless or is_ready(one.pod) else "notReadyAddresses"].append(_address(service, one))
        if any(addresses.values()):
            subsets.append(_subset(ports, addresses))
    return subsets


def _subset(ports: tuple[Port, ...], addresses: dict[str, list[Object]]) -> Object:
    subset: Object = {}
    room = limits.ENDPOINTS_ADDRESSES
    for field in ("addresses", "notReadyAddresses"):
        if addresses[field][:room]:
            subset[field] = addresses[field][:room]
        room = max(room - len(addresses[field]), 0)
    if ports:
        subset["ports"] = [port.to_object() for port in ports]
    return subset


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
