"""What a Service is unless it says, which depends on its type."""

from svcsim.kinds.core.service_rules import externally_reachable
from svcsim.meta.types import Object


def fill_port(port: Object) -> None:
    if port.get("targetPort") in (None, 0, ""):
        port["targetPort"] = port.get("port", 0)


def fill_spec(spec: Object) -> None:
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        client.setdefault("timeoutSeconds", 10800)
    if externally_reachable(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] in ("ClusterIP", "NodePort", "LoadBalancer"):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def fill_ingress(ingress: Object) -> None:
    if ingress.get("ip"):
        ingress.setdefault("ipMode", "VIP")
