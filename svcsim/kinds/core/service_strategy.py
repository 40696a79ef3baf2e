"""What goes with the type that a Service had: what it no longer needs is dropped, unless the update says something else of it."""

from svcsim.kinds.core.service_rules import externally_reachable
from svcsim.meta.codec import same_json
from svcsim.meta.services import is_asked_after
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_ON_NODES = ("NodePort", "LoadBalancer")


def drop_what_the_type_had(new: Object, old: Object, context: Context) -> None:
    """A client that changes the type alone sends back what the older type had; that isn't meant for the newer one."""
    spec, before = new["spec"], old["spec"]
    if _needs_node_ports(before) and not _needs_node_ports(spec) and _node_ports(spec) == _node_ports(before):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)
    if is_asked_after(before) and not is_asked_after(spec):
        _drop(spec, before, "healthCheckNodePort")
    if before.get("type") == "LoadBalancer" != spec.get("type"):
        _drop(spec, before, "allocateLoadBalancerNodePorts", "loadBalancerClass")
    if before.get("type") == "ExternalName" != spec.get("type"):
        _drop(spec, before, "externalName")
    if externally_reachable(before) and not externally_reachable(spec):
        _drop(spec, before, "externalTrafficPolicy")


def _drop(spec: Object, before: Object, *names: str) -> None:
    for name in names:
        if name in spec and same_json(spec[name], before.get(name)):
            del spec[name]


def _needs_node_ports(spec: Object) -> bool:
    return spec.get("type") in _ON_NODES


def _node_ports(spec: Object) -> list[int]:
    return sorted(port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
