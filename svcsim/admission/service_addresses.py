"""ServiceAddresses: gives Services their cluster addresses and node ports.

Addresses come from the cluster's own networks, one of each IP family that it has, and from those of ServiceCIDRs. A ServiceCIDR that is
being deleted, or isn't ready, gives none, not even if its network is the cluster's own. An IPAddress that the cluster didn't make itself
keeps its address from Services.

Kubernetes does this in the Service's own storage; here it is called like a plugin, so that the registry stays the same for all kinds, but
it can't be switched off.

If a service's record is damaged, the store still knows its first address and its type, as selectable fields, but neither its second address
nor its ports. While such a service may have any of them, none is allocated automatically; a client that names one does so at its own risk.
"""

import ipaddress
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from svcsim import limits
from svcsim.admission.allotted_values import AllottedValues
from svcsim.admission.ip_families import is_well_formed, settle
from svcsim.admission.plugin import Rule
from svcsim.chance import Chance
from svcsim.dialect import Dialect
from svcsim.meta import errors
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.ip_addresses import cluster_ips, is_allotted
from svcsim.meta.networks import Address, Network, canonical_address, family, parse_address, parse_network
from svcsim.meta.objects import condition_is, is_terminating
from svcsim.meta.services import is_asked_after
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers
from svcsim.storage.contract import Envelope

_NAMED_AT_LEAST, _NAMED_AT_MOST = 16, 256
"""So many of a network's first addresses, a sixteenth of all, are given out by chance only when the others are taken."""


class ServiceAddresses:
    """Allots from the networks and the range of ports that a cluster was given."""

    name = "ServiceAddresses"
    rules = (Rule(("CREATE", "UPDATE"), ("services",)),)

    def __init__(self, listers: Listers, dialect: Dialect, chance: Chance, networks: Sequence[Network], node_ports: range) -> None:
        """``networks``: one of each IP family that services can have, the first being that of a service which doesn't say."""
        services = listers.of("services", {"clusterIP": cluster_ips, "nodePort": _node_ports})
        group = dialect.group("networking")
        self._dialect = dialect
        self._cidrs = listers.of(f"servicecidrs.{group}")
        self._ip_addresses = listers.of(f"ipaddresses.{group}")
        self._chance = chance
        self._networks = tuple(networks)
        self._families = tuple(map(family, networks))
        self._node_ports = node_ports
        self._addresses = {
            one: AllottedValues(services, "clusterIP", partial(_known_addresses, one, alone=len(networks) == 1)) for one in self._families
        }
        self._ports = AllottedValues(services, "nodePort", _known_ports)

    async def complete(self, request: AdmissionRequest) -> None:
        """Allocate what the service needs and doesn't have; raises 422 when what it asks for is taken."""
        new = request.obj
        assert new is not None
        key = ObjectKey(request.namespace, request.name)
        spec = new["spec"]
        before = request.old["spec"] if request.old is not None else {}
        _keep(spec, before)
        if spec.get("type") == "ExternalName":
            _drop_addresses(spec, before)
            return
        if before.get("type") == "ExternalName":
            before = {}
        if not is_well_formed(spec) or _moves(spec, before):
            return  # validation says so, and nothing has to be found out about addresses
        if findings := settle(spec, before, self._families):
            raise errors.invalid(request.resource.group_kind, key.name, findings)
        if spec.get("clusterIP") != "None":
            await self._give_addresses(request, spec, before, key)
        if spec.get("type") in ("NodePort", "LoadBalancer"):
            await self._give_ports(request, spec, before, key)
        if is_asked_after(spec):
            await self._give_health_port(request, spec, before, key)

    async def _give_addresses(self, request: AdmissionRequest, spec: Object, before: Object, key: ObjectKey) -> None:
        """One of each of its families."""
        held, wanted, given = before.get("clusterIPs") or (), spec.get("clusterIPs") or [], list[str]()
        for index, of_family in enumerate(spec["ipFamilies"]):
            address = wanted[index] if index < len(wanted) else self._free_address(of_family, key)
            if index < len(wanted) and (why := await self._address_refused(of_family, address, key, had=address in held)):
                finding = errors.invalid_value("spec.clusterIPs", wanted, f"failed to allocate IP {address}: {why}")
                raise errors.invalid(request.resource.group_kind, key.name, [finding])
            if of_family in self._addresses:
                self._addresses[of_family].claim(canonical_address(address), key, request.caller)
            given.append(address)
        spec["clusterIP"], spec["clusterIPs"] = given[0], given

    async def _address_refused(self, of_family: str, address: str, key: ObjectKey, *, had: bool) -> str:
        """Why an address can't be had; empty if it can. One that a service has is its own, whatever the cluster's networks are by now."""
        if had:
            return ""
        if self._is_others(address) or await self._addresses[of_family].surely_taken(canonical_address(address), key):
            return "provided IP is already allocated"
        return self._out_of_range(of_family, address)

    def _networks_of(self, of_family: str) -> list[Network]:
        """Where addresses of a family come from, in the order in which they are looked for there."""
        gives: dict[Network, bool] = dict.fromkeys(self._networks, True)
        service_cidrs = sorted(self._cidrs.list(), key=_gives_addresses)  # what is ready says the last word on a network
        for one in service_cidrs:
            for text in one["spec"]["cidrs"]:
                if (network := parse_network(text)) is not None:
                    gives[network] = _gives_addresses(one)
        return [network for network, ready in gives.items() if ready and family(network) == of_family]

    def _out_of_range(self, of_family: str, text: str) -> str:
        """Why an address can't be had at all; empty if it can."""
        address, networks = parse_address(text), self._networks_of(of_family)
        if address is None or any(address in network and address not in _ends(network) for network in networks):
            return ""
        ranges = ", ".join(map(str, networks))
        return f"the provided IP ({text}) is not in the valid range. The range of valid IPs is {ranges}"

    def _is_others(self, address: str) -> bool:
        """Whether it is in use by something other than a Service."""
        name = canonical_address(address)
        found = self._ip_addresses.get("", name)
        damaged = ObjectKey("", name) in self._ip_addresses.damaged
        return damaged or (found is not None and not is_allotted(found, self._dialect))

    def _free_address(self, of_family: str, key: ObjectKey) -> str:
        self._addresses[of_family].check_all_known("serviceIP", "clusterIP")
        for network in self._networks_of(of_family):
            for candidate in _candidates(network, self._chance):
                address = str(network[candidate])
                if not self._is_others(address) and not self._addresses[of_family].taken(address, key):
                    return address
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full")

    async def _give_ports(self, request: AdmissionRequest, spec: Object, before: Object, key: ObjectKey) -> None:
        """Ports of one number share a node port, as those of TCP and UDP do, where nothing else is asked for."""
        ports, held, own = spec.get("ports") or (), frozenset(_own_ports(before)), set(_own_ports(spec))
        shared = {port["port"]: port["nodePort"] for port in reversed(ports) if port.get("nodePort")} if request.old is None else {}
        for index, port in enumerate(ports):
            wanted = port.get("nodePort")
            if wanted:
                if why := await self._port_refused(wanted, key, held):
                    finding = errors.invalid_value(f"spec.ports[{index}].nodePort", wanted, why)
                    raise errors.invalid(request.resource.group_kind, key.name, [finding])
            elif spec.get("allocateLoadBalancerNodePorts") is False and spec["type"] == "LoadBalancer":
                continue
            else:
                wanted = shared.get(port["port"]) or self._free_port(key, own)
                port["nodePort"] = wanted
                own.add(wanted)
                if request.old is None:
                    shared[port["port"]] = wanted
            self._ports.claim(str(wanted), key, request.caller)

    async def _give_health_port(self, request: AdmissionRequest, spec: Object, before: Object, key: ObjectKey) -> None:
        """The port on which nodes say whether they have endpoints."""
        wanted = spec.get("healthCheckNodePort")
        if not wanted:
            wanted = spec["healthCheckNodePort"] = self._free_port(key, _own_ports(spec))
        elif why := await self._port_refused(wanted, key, _own_ports(before)):
            what = f"failed to allocate requested HealthCheck NodePort {wanted}"
            raise errors.StatusError(500, "InternalError", f"Internal error occurred: {what}: {why}")
        self._ports.claim(str(wanted), key, request.caller)

    async def _port_refused(self, port: int, key: ObjectKey, held: Collection[int]) -> str:
        """Why a port can't be had; empty if it can. One that a service has is its own, whatever the range is by now."""
        if await self._ports.surely_taken(str(port), key):
            return "provided port is already allocated"
        if port in held or port in self._node_ports:
            return ""
        valid = f"{self._node_ports.start}-{self._node_ports.stop - 1}"
        return f"provided port is not in the valid range. The range of valid ports is {valid}"

    def _free_port(self, key: ObjectKey, own: Collection[int]) -> int:
        self._ports.check_all_known("nodePort", "nodePort")
        for _ in range(limits.ADDRESS_TRIES):
            port = self._chance.integer(self._node_ports.start, self._node_ports.stop - 1)
            if port not in own and not self._ports.taken(str(port), key):
                return port
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full")


def _gives_addresses(service_cidr: Object) -> bool:
    """Whether new addresses come from it: also before anybody has said whether it is ready."""
    return not is_terminating(service_cidr) and not condition_is(service_cidr, "Ready", "False")


def _node_ports(service: Object) -> list[str]:
    return [str(port) for port in _own_ports(service.get("spec") or {})]


def _own_ports(spec: Object) -> list[int]:
    """The ports on nodes that a service has."""
    ports = [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
    return [*ports, spec["healthCheckNodePort"]] if spec.get("healthCheckNodePort") else ports


def _known_addresses(of_family: str, envelope: Envelope, *, alone: bool) -> list[str] | None:
    """What a damaged service has of a family. A second address of it would be of the other family than its first."""
    text = envelope.fields.get("spec.clusterIP", "")
    first = parse_address(text)
    if first is None:  # it is headless, or has none
        return []
    return [str(first)] if family(first) == of_family else [] if alone else None


def _known_ports(envelope: Envelope) -> list[str] | None:
    return None if envelope.fields.get("spec.type") in ("NodePort", "LoadBalancer") else []


def _ends(network: Network) -> tuple[Address, ...]:
    """The addresses of a network that no Service can have."""
    return (network[0], network[-1]) if isinstance(network, ipaddress.IPv4Network) else (network[0],)


def _candidates(network: Network, chance: Chance) -> Iterator[int]:
    """Places in a network to look at for a free address: from a random one on, those that people like to name themselves last."""
    last = network.num_addresses - len(_ends(network))
    named = min(max(_NAMED_AT_LEAST, last // _NAMED_AT_LEAST), _NAMED_AT_MOST) if last > _NAMED_AT_LEAST else 0
    for first, count in ((1 + named, last - named), (1, named)):
        start = chance.integer(0, count - 1) if count > 0 else 0
        yield from (first + (start + step) % count for step in range(min(count, limits.ADDRESS_TRIES)))


def _moves(spec: Object, before: Object) -> bool:
    """Whether a service that has addresses, or wants none, is to have others: they don't change, though a second may come and go."""
    pairs = zip(before.get("clusterIPs") or (), spec.get("clusterIPs") or (), strict=False)
    return any(held != wanted for held, wanted in pairs)


def _drop_addresses(spec: Object, before: Object) -> None:
    """A service that becomes a mere name has none. What an update sends of them that is new isn't dropped: validation refuses that."""
    spec.pop("internalTrafficPolicy", None)
    for names in (("clusterIP", "clusterIPs"), ("ipFamilies",), ("ipFamilyPolicy",)):
        if all(spec.get(name) == before.get(name) for name in names):
            for name in names:
                spec.pop(name, None)


def _keep(spec: Object, before: Object) -> None:
    """An update that leaves its addresses out keeps those it has. One that names, or changes, the first alone means the only one."""
    first, addresses = spec.get("clusterIP"), spec.get("clusterIPs")
    if not first and addresses:
        spec["clusterIP"] = addresses[0]
    elif first and first != before.get("clusterIP") and (not addresses or addresses == before.get("clusterIPs")):
        spec["clusterIPs"] = [first]
    if spec.get("type") == "ExternalName" or before.get("type") == "ExternalName":
        return
    for name in ("clusterIP", "clusterIPs"):
        if not spec.get(name) and before.get(name):
            spec[name] = before[name]
    if spec.get("type") not in ("NodePort", "LoadBalancer"):
        return
    if is_asked_after(spec) and is_asked_after(before):
        spec["healthCheckNodePort"] = spec.get("healthCheckNodePort") or before.get("healthCheckNodePort")
    held = {(port.get("name"), port.get("protocol"), port.get("port")): port.get("nodePort") for port in before.get("ports") or ()}
    for port in spec.get("ports") or ():
        known = held.get((port.get("name"), port.get("protocol"), port.get("port")))
        if not port.get("nodePort") and known:
            port["nodePort"] = known
