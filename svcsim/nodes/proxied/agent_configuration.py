"""How the agent of a simulated node says it is configured: what of a kubelet's configuration has a meaning here."""

from svcsim.meta.types import Object
from svcsim.nodes.machines.machine import STATUS_S
from svcsim.nodes.machines.node import LEASE_DURATION_S
from svcsim.nodes.streams.naming import CLUSTER_DOMAIN


def configuration(node: Object) -> Object:
    """The document of ``/configz``."""
    spec, status = node.get("spec") or {}, node.get("status") or {}
    told: Object = {
        "enableServer": True,
        "port": status["daemonEndpoints"]["kubeletEndpoint"]["Port"],
        "registerNode": True,
        "nodeStatusReportFrequency": f"{int(STATUS_S // 60)}m0s",
        "nodeLeaseDurationSeconds": LEASE_DURATION_S,
        "clusterDomain": CLUSTER_DOMAIN,
        "maxPods": int((status.get("capacity") or {}).get("pods") or 0),
        "podCIDR": spec.get("podCIDR") or "",
        "providerID": spec.get("providerID") or "",
        "enableControllerAttachDetach": True,
        "enableDebuggingHandlers": True,
    }
    return {"kubeletconfig": {name: value for name, value in told.items() if value != ""}}
