"""What a table shows of a Service: its addresses and ports."""

from svcsim.kinds.shared.columns import NONE, UNKNOWN, joined
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def cluster_ip(obj: Object, context: Context) -> Json:
    addresses = get_path(obj, "spec.clusterIPs") or ()
    return addresses[0] if addresses else get_path(obj, "spec.clusterIP") or NONE


def external_ip(obj: Object, context: Context) -> Json:
    spec = obj.get("spec") or {}
    external = spec.get("externalIPs") or []
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return joined(external)
        case "LoadBalancer":
            ingress = get_path(obj, "status.loadBalancer.ingress") or ()
            balancers = sorted({item.get("ip") or item.get("hostname") or "" for item in ingress} - {""})
            return joined([*balancers, *external], "<pending>")
        case "ExternalName":
            return spec.get("externalName") or ""
    return UNKNOWN


def ports(obj: Object, context: Context) -> Json:
    def text(port: Object) -> str:
        node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
        return f"{port.get('port')}{node_port}/{port.get('protocol')}"

    return joined(text(port) for port in get_path(obj, "spec.ports") or ())
