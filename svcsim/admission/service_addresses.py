"""ServiceAddresses: gives Services their cluster addresses and node ports.

Kubernetes does this in the Service's own storage; here it is a plugin like any other, so that the registry stays the same for all kinds.
What is taken is known from the store at first use. A service that is gone is noticed when its address is wanted again.
"""

import ipaddress

from svcsim.admission.plugin import Rule
from svcsim.clock import Chance
from svcsim.meta import errors
from svcsim.meta.codec import decode_json
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.contract import Key, Store

SERVICE_NETWORK = ipaddress.ip_network("10.96.0.0/16")
FIRST_ADDRESS = str(SERVICE_NETWORK[1])
"""The API server's own Service has this one."""
NODE_PORTS = range(30_000, 32_768)
_VALID_PORTS = f"The range of valid ports is {NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
_TRIES = 1_000


class ServiceAddresses:
    """Allocates from one network and one range of ports."""

    name = "ServiceAddresses"
    rules = (Rule(("CREATE", "UPDATE"), ("services",)),)

    def __init__(self, store: Store, chance: Chance) -> None:
        self._store = store
        self._chance = chance
        self._addresses: dict[str, Key] = {}
        self._ports: dict[int, Key] = {}
        self._known = False

    async def admit(self, request: AdmissionRequest) -> None:
        """Allocate what the service needs and doesn't have; raises 422 when what it asks for is taken."""
        new = request.obj
        assert new is not None
        await self._learn()
        key = Key(request.resource.store_name, request.namespace, request.name)
        spec = new["spec"]
        if request.old is not None:
            _keep(spec, request.old["spec"])
        if spec.get("type") == "ExternalName":
            for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
                spec.pop(name, None)
            return
        self._give_address(request, spec, key)
        if spec.get("type") in ("NodePort", "LoadBalancer") and spec.get("allocateLoadBalancerNodePorts") is not False:
            self._give_ports(request, spec, key)

    async def _learn(self) -> None:
        if self._known:
            return
        self._known = True
        for record in (await self._store.list("services")).records:
            spec = decode_json(record.body)["spec"]
            for address in spec.get("clusterIPs") or ():
                self._addresses[address] = record.key
            for port in spec.get("ports") or ():
                if port.get("nodePort"):
                    self._ports[port["nodePort"]] = record.key

    def _taken(self, holder: Key | None, asking: Key) -> bool:
        return holder is not None and holder != asking and self._store.latest(holder) is not None

    def _give_address(self, request: AdmissionRequest, spec: Object, key: Key) -> None:
        if not spec.get("clusterIP") and spec.get("clusterIPs"):
            spec["clusterIP"] = spec["clusterIPs"][0]
        address = spec.get("clusterIP")
        if address and address != "None":
            why = _out_of_range(address)
            if self._taken(self._addresses.get(address), key):
                why = "provided IP is already allocated"
            if why:
                finding = errors.invalid_value("spec.clusterIPs", [address], f"failed to allocate IP {address}: {why}")
                raise errors.invalid(request.resource.group_kind, key.name, [finding])
        elif not address:
            address = self._free_address(key)
        if address != "None":
            self._addresses[address] = key
        spec["clusterIP"] = address
        spec["clusterIPs"] = [address]
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")

    def _free_address(self, key: Key) -> str:
        for _ in range(_TRIES):
            address = str(SERVICE_NETWORK[self._chance.whole(10, SERVICE_NETWORK.num_addresses - 2)])
            if not self._taken(self._addresses.get(address), key):
                return address
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full")

    def _give_ports(self, request: AdmissionRequest, spec: Object, key: Key) -> None:
        for index, port in enumerate(spec.get("ports") or ()):
            wanted = port.get("nodePort")
            if wanted:
                why = "" if wanted in NODE_PORTS else f"provided port is not in the valid range. {_VALID_PORTS}"
                if self._taken(self._ports.get(wanted), key):
                    why = "provided port is already allocated"
                if why:
                    finding = errors.invalid_value(f"spec.ports[{index}].nodePort", wanted, why)
                    raise errors.invalid(request.resource.group_kind, key.name, [finding])
            else:
                wanted = port["nodePort"] = self._free_port(key)
            self._ports[wanted] = key

    def _free_port(self, key: Key) -> int:
        for _ in range(_TRIES):
            port = self._chance.whole(NODE_PORTS.start, NODE_PORTS.stop - 1)
            if port not in self._ports or not self._taken(self._ports[port], key):
                return port
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full")


def _out_of_range(address: str) -> str:
    """Why an address can't be had at all; empty if it can. What is no address is for validation to tell."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if parsed in SERVICE_NETWORK and parsed not in (SERVICE_NETWORK.network_address, SERVICE_NETWORK.broadcast_address):
        return ""
    return f"the provided IP ({address}) is not in the valid range. The range of valid IPs is {SERVICE_NETWORK}"


def _keep(spec: Object, before: Object) -> None:
    """An update that leaves its addresses out keeps those it has."""
    if spec.get("type") == "ExternalName" or before.get("type") == "ExternalName":
        return
    for name in ("clusterIP", "clusterIPs"):
        if not spec.get(name) and before.get(name):
            spec[name] = before[name]
    if spec.get("type") not in ("NodePort", "LoadBalancer"):
        return
    held = {(port.get("name"), port.get("protocol"), port.get("port")): port.get("nodePort") for port in before.get("ports") or ()}
    for port in spec.get("ports") or ():
        known = held.get((port.get("name"), port.get("protocol"), port.get("port")))
        if not port.get("nodePort") and known:
            port["nodePort"] = known
