"""What makes a Service's spec right: types, addresses, ports and policies that fit each other."""

from collections.abc import Iterator, Sequence

from svcsim.kinds.shared.checks import (
    PROTOCOLS,
    address,
    named,
    network,
    one_of,
    port,
    port_number_or_name,
    reachable_address,
)
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_label, dns_subdomain, qualified_name
from svcsim.meta.networks import family as family_of
from svcsim.meta.networks import parse_address
from svcsim.meta.objects import get_path
from svcsim.meta.services import is_asked_after
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_NODE_AGENT_PORT = 10250
_FAMILIES = 2
_DAY_S = 86400
_ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'"
_OTHER_CHECK = "cannot change healthCheckNodePort on loadBalancer service with externalTraffic=Local during update"
_SET_ONCE = "may not change once set"


def externally_reachable(spec: Object) -> bool:
    """Whether traffic may come from outside the cluster."""
    return spec.get("type") in ("NodePort", "LoadBalancer") or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def _headless(spec: Object) -> bool:
    return spec.get("clusterIP") == "None" or (spec.get("clusterIPs") or [""])[0] == "None"


def service_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """All that is wrong with a service's spec."""
    kind = spec.get("type")
    if not spec.get("ports") and not _headless(spec) and kind != "ExternalName":
        yield required(f"{path}.ports")
    yield from _type_rules(spec, path)
    yield from _port_rules(spec, path)
    yield from _affinity_rules(spec, path)
    yield from _address_rules(spec, path)
    yield from _load_balancer_rules(spec, path)
    yield from _policy_rules(spec, path)


def _type_rules(spec: Object, path: str) -> Iterator[FieldError]:
    kind = spec.get("type")
    yield from one_of(*TYPES)(kind, f"{path}.type")
    if kind in ("LoadBalancer", "NodePort") and _headless(spec):
        yield invalid_value(f"{path}.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "LoadBalancer":
        for index, one in enumerate(spec.get("ports") or ()):
            if one.get("port") == _NODE_AGENT_PORT:
                detail = f"may not expose port {_NODE_AGENT_PORT} externally since it is used by kubelet"
                yield invalid_value(f"{path}.ports[{index}]", _NODE_AGENT_PORT, detail)
    if kind == "ExternalName":
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(name):
                yield forbidden_field(f"{path}.{name}", "may not be set for ExternalName services")
        external = (spec.get("externalName") or "").removesuffix(".")
        if external:
            yield from named(dns_subdomain)(external, f"{path}.externalName")
        else:
            yield required(f"{path}.externalName")


def _port_rules(spec: Object, path: str) -> Iterator[FieldError]:
    ports = spec.get("ports") or []
    names: set[str] = set()
    taken: set[tuple[str, int]] = set()
    on_nodes: set[tuple[str, int]] = set()
    for index, one in enumerate(ports):
        where = f"{path}.ports[{index}]"
        yield from _one_port(one, where, name_needed=len(ports) > 1)
        name, protocol, number = one.get("name"), one.get("protocol") or "", one.get("port") or 0
        if name:
            if name in names:
                yield duplicate(f"{where}.name", name)
            names.add(name)
        if (protocol, number) in taken:
            same = {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": number, "TargetPort": 0, "NodePort": 0}
            yield duplicate(where, same)
        taken.add((protocol, number))
        if node_port := one.get("nodePort"):
            if spec.get("type") == "ClusterIP":
                yield forbidden_field(f"{where}.nodePort", "may not be used when `type` is 'ClusterIP'")
            if (protocol, node_port) in on_nodes:
                yield duplicate(f"{where}.nodePort", node_port)
            on_nodes.add((protocol, node_port))


def _one_port(one: Object, path: str, *, name_needed: bool) -> Iterator[FieldError]:
    if one.get("name"):
        yield from named(dns_label)(one["name"], f"{path}.name")
    elif name_needed:
        yield required(f"{path}.name")
    yield from port(one.get("port") or 0, f"{path}.port")
    yield from one_of(*PROTOCOLS)(one.get("protocol"), f"{path}.protocol")
    yield from port_number_or_name(one.get("targetPort"), f"{path}.targetPort")
    yield from named(qualified_name)(one.get("appProtocol"), f"{path}.appProtocol")


def _affinity_rules(spec: Object, path: str) -> Iterator[FieldError]:
    affinity = spec.get("sessionAffinity")
    yield from one_of("ClientIP", "None")(affinity, f"{path}.sessionAffinity")
    config = spec.get("sessionAffinityConfig")
    if affinity == "None":
        if config is not None:
            yield forbidden_field(f"{path}.sessionAffinityConfig", "must not be set when session affinity is None")
    elif affinity == "ClientIP":
        seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
        where = f"{path}.sessionAffinityConfig.clientIP.timeoutSeconds"
        if seconds is None:
            yield required(where, "when session affinity type is ClientIP")
        elif not 0 < seconds <= _DAY_S:
            yield invalid_value(where, seconds, f"must be greater than 0 and less than {_DAY_S}")


def _address_rules(spec: Object, path: str) -> Iterator[FieldError]:
    for index, external in enumerate(spec.get("externalIPs") or ()):
        yield from reachable_address(external, f"{path}.externalIPs[{index}]")
    families = spec.get("ipFamilies") or ()
    for index, family in enumerate(families):
        yield from one_of("IPv4", "IPv6")(family, f"{path}.ipFamilies[{index}]")
        if family in families[:index]:
            yield duplicate(f"{path}.ipFamilies[{index}]", family)
    if policy := spec.get("ipFamilyPolicy"):
        yield from one_of("PreferDualStack", "RequireDualStack", "SingleStack")(policy, f"{path}.ipFamilyPolicy")
    own = spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else [])
    if spec.get("clusterIP") and own[0] != spec["clusterIP"]:
        yield invalid_value(f"{path}.clusterIPs[0]", own[0], "first value must match `clusterIP`")
    yield from _own_addresses(own, families, f"{path}.clusterIPs")


def _own_addresses(own: list[str], families: Sequence[str], path: str) -> Iterator[FieldError]:
    """No address at all, one, or one of each family, in the order of the families."""
    parsed = [parse_address(one) for one in own]
    for index, one in enumerate(own):
        if one == "None":
            if len(own) > 1:
                yield invalid_value(path, own, "'None' must be the first and only value")
        else:
            yield from address(one, f"{path}[{index}]")
    if len(own) > _FAMILIES:
        yield invalid_value(path, own, "may only hold up to 2 values")
    elif len(own) == _FAMILIES and parsed[0] and parsed[1] and parsed[0].version == parsed[1].version:
        yield invalid_value(path, own, "may specify no more than one IP for each IP family")
    for index, (read, wanted) in enumerate(zip(parsed, families, strict=False)):
        if read is not None and wanted != family_of(read):
            yield invalid_value(f"{path}[{index}]", own[index], f"expected an {wanted} value as indicated by `ipFamilies[{index}]`")


def _load_balancer_rules(spec: Object, path: str) -> Iterator[FieldError]:
    balanced = spec.get("type") == "LoadBalancer"
    if ranges := spec.get("loadBalancerSourceRanges"):
        if not balanced:
            yield forbidden_field(f"{path}.LoadBalancerSourceRanges", _ONLY_LOAD_BALANCER)
        for index, one in enumerate(ranges):
            yield from network(one.strip(), f"{path}.loadBalancerSourceRanges[{index}]")
    for name in ("allocateLoadBalancerNodePorts", "loadBalancerClass"):
        if spec.get(name) is not None and not balanced:
            yield forbidden_field(f"{path}.{name}", _ONLY_LOAD_BALANCER)
    if balanced and spec.get("allocateLoadBalancerNodePorts") is None:
        yield required(f"{path}.allocateLoadBalancerNodePorts")
    yield from named(qualified_name)(spec.get("loadBalancerClass"), f"{path}.loadBalancerClass")


def _policy_rules(spec: Object, path: str) -> Iterator[FieldError]:
    kind, outside, inside = spec.get("type"), spec.get("externalTrafficPolicy"), spec.get("internalTrafficPolicy")
    if not externally_reachable(spec):
        if outside:
            yield invalid_value(f"{path}.externalTrafficPolicy", outside, "may only be set for externally-accessible services")
    elif not outside:
        yield required(f"{path}.externalTrafficPolicy")
    else:
        yield from one_of("Cluster", "Local")(outside, f"{path}.externalTrafficPolicy")
    if (check := spec.get("healthCheckNodePort")) and not (kind == "LoadBalancer" and outside == "Local"):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield invalid_value(f"{path}.healthCheckNodePort", check, detail)
    if kind in ("ClusterIP", "NodePort", "LoadBalancer"):
        if not inside:
            yield required(f"{path}.internalTrafficPolicy")
        else:
            yield from one_of("Cluster", "Local")(inside, f"{path}.internalTrafficPolicy")
    if distribution := spec.get("trafficDistribution"):
        yield from one_of("PreferClose", "PreferSameNode", "PreferSameZone")(distribution, f"{path}.trafficDistribution")


def service_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Addresses and classes stay as they are once set, while the type does."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if "ExternalName" not in (spec.get("type"), before.get("type")):
        held, wanted = before.get("clusterIPs") or [], spec.get("clusterIPs") or []
        if held and not wanted:
            yield invalid_value("spec.clusterIPs[0]", wanted, "primary clusterIP can not be unset")
        elif held and held[0] != wanted[0]:
            yield invalid_value("spec.clusterIPs[0]", wanted, _SET_ONCE)
        elif held[1:] and wanted[1:] and held[1] != wanted[1]:
            yield invalid_value("spec.clusterIPs[1]", wanted, _SET_ONCE)
        families, wanted_families = before.get("ipFamilies") or [], spec.get("ipFamilies") or []
        if families and wanted_families and families[0] != wanted_families[0]:
            yield invalid_value("spec.ipFamilies[0]", wanted_families, _SET_ONCE)
        elif families[1:] and wanted_families[1:] and families[1] != wanted_families[1]:
            yield invalid_value("spec.ipFamilies[1]", wanted_families, _SET_ONCE)
    checked, check = before.get("healthCheckNodePort"), spec.get("healthCheckNodePort")
    if is_asked_after(before) and is_asked_after(spec) and checked and check != checked:
        yield invalid_value("spec.healthCheckNodePort", check, _OTHER_CHECK)
    if spec.get("type") == before.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") != before.get("loadBalancerClass"):
        yield invalid_value("spec.loadBalancerClass", spec.get("loadBalancerClass"), _SET_ONCE)


def balancer_rules(balancer: Json, path: str) -> Iterator[FieldError]:
    """The rules of a load balancer in the status: where it is, and how it delivers traffic to an address."""
    mode, host = balancer.get("ipMode"), balancer.get("hostname") or ""
    if balancer.get("ip"):
        yield from address(balancer["ip"], f"{path}.ip")
        if mode is not None:
            yield from one_of("Proxy", "VIP")(mode, f"{path}.ipMode")
    elif mode is not None:
        yield forbidden_field(f"{path}.ipMode", "may not be specified when `ip` is not set")
    yield from named(dns_subdomain)(host, f"{path}.hostname")
    if parse_address(host) is not None:
        yield invalid_value(f"{path}.hostname", host, "must be a DNS name, not an IP address")


def service_status_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Only a load balancer is somewhere."""
    ingress = get_path(new, "status.loadBalancer.ingress")
    if ingress and get_path(new, "spec.type") != "LoadBalancer":
        yield forbidden_field("status.loadBalancer.ingress", 'may only be used when `spec.type` is "LoadBalancer"')
