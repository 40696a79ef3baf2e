"""What a Service says in vain, and what of it may be misunderstood."""

from collections.abc import Iterator

from svcsim.dialect import DIALECTS
from svcsim.kinds.shared.networks import address_warnings, network_warnings
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object
from svcsim.outbound.binding import binding_troubles

_FOR_TOPOLOGY = {dialect.key("topology-aware-hints", "service"): dialect.key("topology-mode", "service") for dialect in DIALECTS.values()}


def service_warnings(service: Object) -> Iterator[str]:
    spec = service.get("spec") or {}
    annotations, name = annotations_of(service), spec.get("type") == "ExternalName"
    headless = spec.get("type") == "ClusterIP" and spec.get("clusterIP") == "None"
    for old, new in _FOR_TOPOLOGY.items():
        if old in annotations:
            yield f"annotation {old} is deprecated, please use {new} instead"
    if headless:
        yield from _ignored_without_address(spec)
    yield from _addresses(spec)
    yield from binding_troubles(service)
    if name and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if not name and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _ignored_without_address(spec: Object) -> Iterator[str]:
    for name in ("loadBalancerIP", "externalIPs"):
        if spec.get(name):
            yield f"spec.{name} is ignored for headless services"
    if spec.get("sessionAffinity") not in (None, "None"):
        yield "spec.SessionAffinity is ignored for headless services"


def _addresses(spec: Object) -> Iterator[str]:
    for name in ("clusterIPs", "externalIPs"):
        for index, address in enumerate(spec.get(name) or ()):
            yield from address_warnings(address, f"spec.{name}[{index}]")
    yield from address_warnings(spec.get("loadBalancerIP") or "", "spec.loadBalancerIP")
    for index, network in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        yield from network_warnings(network.strip(), f"spec.loadBalancerSourceRanges[{index}]")
