"""ServiceAddresses: gives Services their cluster addresses and node ports.

Addresses come from the cluster's own network and from those of ServiceCIDRs, other than those that are being deleted. An IPAddress that
the cluster didn't make itself keeps its address from Services.

Kubernetes does this in the Service's own storage; here it is a plugin like any other, so that the registry stays the same for all kinds.
What stored services have is known from the lister. What a request under way was given is claimed until that request is over: by then
its service is stored and in the lister, or nothing came of it and the address is free again.

Of a service whose record is damaged the store still knows address and type, as fields that selectors may name, but not its ports. While
there is one that may have any of them, nobody is given one by chance; who names one takes it on himself.
"""

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from svcsim import limits
from svcsim.admission.plugin import Rule
from svcsim.clock import Chance
from svcsim.dialect import Dialect
from svcsim.meta import errors
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.ip_addresses import cluster_ips, is_allotted
from svcsim.meta.networks import family, parse_address, parse_network
from svcsim.meta.objects import is_terminating
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Lister, Listers
from svcsim.registry.options import Caller
from svcsim.storage.contract import Envelope

SERVICE_NETWORK = ipaddress.IPv4Network("10.96.0.0/16")
FIRST_ADDRESS = str(SERVICE_NETWORK[1])
"""The API server's own Service has this one."""
NODE_PORTS = range(30_000, 32_768)
_NAMED_AT_LEAST, _NAMED_AT_MOST = 16, 256
"""So many of a network's first addresses, a sixteenth of all, are given out by chance only when the others are taken."""
_VALID_PORTS = f"The range of valid ports is {NODE_PORTS.start}-{NODE_PORTS.stop - 1}"


class ServiceAddresses:
    """Allocates from one network and one range of ports."""

    name = "ServiceAddresses"
    rules = (Rule(("CREATE", "UPDATE"), ("services",)),)

    def __init__(self, listers: Listers, dialect: Dialect, chance: Chance) -> None:
        services = listers.of("services", {"clusterIP": cluster_ips, "nodePort": _node_ports})
        group = dialect.group("networking")
        self._dialect = dialect
        self._cidrs = listers.of(f"servicecidrs.{group}")
        self._ip_addresses = listers.of(f"ipaddresses.{group}")
        self._chance = chance
        self._addresses = _Values(services, "clusterIP", _known_address)
        self._ports = _Values(services, "nodePort", _known_ports)

    async def admit(self, request: AdmissionRequest) -> None:
        """Allocate what the service needs and doesn't have; raises 422 when what it asks for is taken."""
        new = request.obj
        assert new is not None
        key = ObjectKey(request.namespace, request.name)
        spec = new["spec"]
        if request.old is not None:
            _keep(spec, request.old["spec"])
        if spec.get("type") == "ExternalName":
            for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
                spec.pop(name, None)
            return
        if request.old is not None and _moves(spec, request.old["spec"]):
            return  # an address doesn't change: validation says so, and nothing has to be found out about the new one
        if spec.get("clusterIP") != "None" and (findings := _unserved_families(spec)):
            raise errors.invalid(request.resource.group_kind, key.name, findings)
        await self._give_address(request, spec, key)
        if spec.get("type") in ("NodePort", "LoadBalancer"):
            await self._give_ports(request, spec, key)
        if _is_asked_after(spec):
            await self._give_health_port(request, spec, key)

    async def _give_address(self, request: AdmissionRequest, spec: Object, key: ObjectKey) -> None:
        if not spec.get("clusterIP") and spec.get("clusterIPs"):
            spec["clusterIP"] = spec["clusterIPs"][0]
        address = spec.get("clusterIP")
        if address and address != "None":
            has_it = request.old is not None and request.old["spec"].get("clusterIP") == address
            why = "" if has_it else self._out_of_range(address)
            if (not has_it and self._is_others(address)) or await self._addresses.surely_taken(address, key):
                why = "provided IP is already allocated"
            if why:
                finding = errors.invalid_value("spec.clusterIPs", [address], f"failed to allocate IP {address}: {why}")
                raise errors.invalid(request.resource.group_kind, key.name, [finding])
        elif not address:
            address = self._free_address(key)
        if address != "None":
            self._addresses.claim(address, key, request.caller)
        spec["clusterIP"] = address
        spec["clusterIPs"] = [address]
        if address == "None" and not spec.get("selector") and not spec.get("ipFamilyPolicy") and len(spec.get("ipFamilies") or ()) != 1:
            # Whoever writes its endpoints may have them of both families, whatever the cluster has.
            spec["ipFamilies"], spec["ipFamilyPolicy"] = spec.get("ipFamilies") or ["IPv4", "IPv6"], "RequireDualStack"
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")

    def _networks(self) -> list[ipaddress.IPv4Network]:
        """Where addresses come from, in the order in which they are looked for there."""
        texts = [text for one in self._cidrs.list() if not is_terminating(one) for text in one["spec"]["cidrs"]]
        networks = [network for text in texts if isinstance(network := parse_network(text), ipaddress.IPv4Network)]
        return list(dict.fromkeys((SERVICE_NETWORK, *networks)))

    def _out_of_range(self, address: str) -> str:
        """Why an address can't be had at all; empty if it can. What is no address is for validation to tell."""
        parsed, networks = parse_address(address), self._networks()
        if parsed is None or any(parsed in network and parsed not in _ends(network) for network in networks):
            return ""
        ranges = ", ".join(map(str, networks))
        return f"the provided IP ({address}) is not in the valid range. The range of valid IPs is {ranges}"

    def _is_others(self, address: str) -> bool:
        """Whether somebody took it for something that is no Service."""
        found = self._ip_addresses.get("", address)
        damaged = ObjectKey("", address) in self._ip_addresses.damaged
        return damaged or (found is not None and not is_allotted(found, self._dialect))

    def _free_address(self, key: ObjectKey) -> str:
        self._addresses.check_all_known("serviceIP", "clusterIP")
        for network in self._networks():
            for candidate in _candidates(network, self._chance):
                address = str(network[candidate])
                if not self._is_others(address) and not self._addresses.taken(address, key):
                    return address
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a serviceIP: range is full")

    async def _give_ports(self, request: AdmissionRequest, spec: Object, key: ObjectKey) -> None:
        """Ports of one number share a node port, as those of TCP and UDP do, where nothing else is asked for."""
        ports = spec.get("ports") or ()
        shared = {port["port"]: port["nodePort"] for port in reversed(ports) if port.get("nodePort")} if request.old is None else {}
        for index, port in enumerate(ports):
            wanted = port.get("nodePort")
            if wanted:
                if why := await self._refused(wanted, key):
                    finding = errors.invalid_value(f"spec.ports[{index}].nodePort", wanted, why)
                    raise errors.invalid(request.resource.group_kind, key.name, [finding])
            elif spec.get("allocateLoadBalancerNodePorts") is False and spec["type"] == "LoadBalancer":
                continue
            else:
                wanted = shared.get(port["port"]) or self._free_port(key, _own_ports(spec))
                port["nodePort"] = wanted
                if request.old is None:
                    shared[port["port"]] = wanted
            self._ports.claim(str(wanted), key, request.caller)

    async def _give_health_port(self, request: AdmissionRequest, spec: Object, key: ObjectKey) -> None:
        """The port on which nodes say whether they have endpoints."""
        wanted = spec.get("healthCheckNodePort")
        if not wanted:
            wanted = spec["healthCheckNodePort"] = self._free_port(key, _own_ports(spec))
        elif why := await self._refused(wanted, key):
            what = f"failed to allocate requested HealthCheck NodePort {wanted}"
            raise errors.StatusError(500, "InternalError", f"Internal error occurred: {what}: {why}")
        self._ports.claim(str(wanted), key, request.caller)

    async def _refused(self, port: int, key: ObjectKey) -> str:
        """Why a port can't be had; empty if it can."""
        if await self._ports.surely_taken(str(port), key):
            return "provided port is already allocated"
        return "" if port in NODE_PORTS else f"provided port is not in the valid range. {_VALID_PORTS}"

    def _free_port(self, key: ObjectKey, own: list[int]) -> int:
        self._ports.check_all_known("nodePort", "nodePort")
        for _ in range(limits.ADDRESS_TRIES):
            port = self._chance.integer(NODE_PORTS.start, NODE_PORTS.stop - 1)
            if port not in own and not self._ports.taken(str(port), key):
                return port
        raise errors.StatusError(500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full")


@dataclass(slots=True)
class _Claim:
    """A value that is about to be a service's."""

    holder: ObjectKey
    requests: int = 0
    """Requests for that service under way which were given the value."""


class _Values:
    """Who has which addresses, or which ports: what is stored under an index of the lister, and what is claimed.

    ``known`` says what a service has whose record is damaged; None where that can't be told.
    """

    def __init__(self, services: Lister, index: str, known: Callable[[Envelope], list[str] | None]) -> None:
        self._services = services
        self._index = index
        self._known = known
        self._claims: dict[str, _Claim] = {}

    def taken(self, value: str, asking: ObjectKey) -> bool:
        """Whether another service has the value, or is about to."""
        claim = self._claims.get(value)
        if claim is not None and claim.holder != asking and self._holds(claim):
            return True
        if any(object_key(service) != asking for service in self._services.by(self._index, value)):
            return True
        return any(holder != asking and value in (known or ()) for holder, known in self._damaged())

    def check_all_known(self, what: str, field: str) -> None:
        """Raises 500 where a damaged service may have any value."""
        unknown = [f"{holder.namespace}/{holder.name}" for holder, known in self._damaged() if known is None]
        if unknown:
            why = f"nobody knows which one the damaged service {unknown[0]} has; name a {field} that it doesn't have"
            raise errors.StatusError(500, "InternalError", f"Internal error occurred: failed to allocate a {what}: {why}")

    def _damaged(self) -> list[tuple[ObjectKey, list[str] | None]]:
        """The services whose records are damaged, and what each of them has, where that is known."""
        damaged = self._services.damaged
        return [(holder, None if envelope is None else self._known(envelope)) for holder, envelope in damaged.items()]

    async def surely_taken(self, value: str, asking: ObjectKey) -> bool:
        """The same for a refusal, which must not rest on a write that may yet fail."""
        if not self.taken(value, asking):
            return False
        await self._services.settled()
        return self.taken(value, asking)

    def claim(self, value: str, holder: ObjectKey, caller: Caller) -> None:
        """Keep a value that isn't taken from all others until the request is over."""
        claim = self._claims.get(value)
        if claim is None or claim.holder != holder:
            claim = self._claims[value] = _Claim(holder)
        claim.requests += 1
        caller.on_finish.append(partial(self._release, value, claim))

    def _release(self, value: str, claim: _Claim) -> None:
        claim.requests -= 1
        if self._claims.get(value) is claim and not self._holds(claim):
            del self._claims[value]

    def _holds(self, claim: _Claim) -> bool:
        # A request that was given up (its client went away) may have left a write behind.
        return claim.requests > 0 or self._services.pending(*claim.holder)


def _node_ports(service: Object) -> list[str]:
    return [str(port) for port in _own_ports(service.get("spec") or {})]


def _own_ports(spec: Object) -> list[int]:
    """The ports on nodes that a service has."""
    ports = [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]
    return [*ports, spec["healthCheckNodePort"]] if spec.get("healthCheckNodePort") else ports


def _unserved_families(spec: Object) -> list[errors.FieldError]:
    """What a service asks of a cluster that has one IP family and doesn't have the other."""
    findings = [
        errors.invalid_value(f"spec.ipFamilies[{index}]", wanted, "not configured on this cluster")
        for index, wanted in enumerate(spec.get("ipFamilies") or ())
        if wanted != family(SERVICE_NETWORK)
    ]
    if spec.get("ipFamilyPolicy") == "RequireDualStack":
        why = "this cluster is not configured for dual-stack services"
        findings.append(errors.invalid_value("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], why))
    return findings


def _is_asked_after(spec: Object) -> bool:
    """Whether nodes are asked if they have endpoints of the service."""
    return bool(spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local")


def _known_address(envelope: Envelope) -> list[str]:
    return [envelope.fields.get("spec.clusterIP", "")]


def _known_ports(envelope: Envelope) -> list[str] | None:
    return None if envelope.fields.get("spec.type") in ("NodePort", "LoadBalancer") else []


def _ends(network: ipaddress.IPv4Network) -> tuple[ipaddress.IPv4Address, ipaddress.IPv4Address]:
    """The addresses of a network that no Service can have."""
    return network.network_address, network.broadcast_address


def _candidates(network: ipaddress.IPv4Network, chance: Chance) -> Iterator[int]:
    """Places in a network to look at for a free address: from a random one on, those that people like to name themselves last."""
    last = network.num_addresses - 2
    named = min(max(_NAMED_AT_LEAST, last // _NAMED_AT_LEAST), _NAMED_AT_MOST) if last > _NAMED_AT_LEAST else 0
    for first, count in ((1 + named, last - named), (1, named)):
        start = chance.integer(0, count - 1) if count > 0 else 0
        yield from (first + (start + step) % count for step in range(min(count, limits.ADDRESS_TRIES)))


def _moves(spec: Object, before: Object) -> bool:
    """Whether a service that has an address, or wants none, is to have another."""
    held = before.get("clusterIP")
    return bool(held) and before.get("type") != "ExternalName" and spec.get("clusterIP") != held


def _keep(spec: Object, before: Object) -> None:
    """An update that leaves its addresses out keeps those it has."""
    if spec.get("type") == "ExternalName" or before.get("type") == "ExternalName":
        return
    for name in ("clusterIP", "clusterIPs"):
        if not spec.get(name) and before.get(name):
            spec[name] = before[name]
    if spec.get("type") not in ("NodePort", "LoadBalancer"):
        return
    if _is_asked_after(spec) and _is_asked_after(before):
        spec["healthCheckNodePort"] = spec.get("healthCheckNodePort") or before.get("healthCheckNodePort")
    held = {(port.get("name"), port.get("protocol"), port.get("port")): port.get("nodePort") for port in before.get("ports") or ()}
    for port in spec.get("ports") or ():
        known = held.get((port.get("name"), port.get("protocol"), port.get("port")))
        if not port.get("nodePort") and known:
            port["nodePort"] = known
