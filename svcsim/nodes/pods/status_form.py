"""The form in which a pod's status is stored: what stands in which order.

A node hands its statuses over in that form, so that nobody has to bring them into it (`svcsim.client.api.Collection.hand_over_patch`).
"""

from svcsim.meta.types import Object

_STATUS = (
    "phase",
    "conditions",
    "message",
    "reason",
    "hostIP",
    "podIP",
    "startTime",
    "containerStatuses",
    "qosClass",
    "initContainerStatuses",
    "nominatedNodeName",
    "podIPs",
    "ephemeralContainerStatuses",
    "resize",
    "resourceClaimStatuses",
    "hostIPs",
    "observedGeneration",
    "extendedResourceClaimStatus",
    "allocatedResources",
    "resources",
    "nodeAllocatableResourceClaimStatuses",
)
_CONDITION = ("type", "status", "lastProbeTime", "lastTransitionTime", "reason", "message", "observedGeneration")


def arranged(status: Object) -> Object:
    """A pod's status with all in its place; what is in a container's status stands in order already."""
    whole = {name: status[name] for name in _STATUS if name in status}
    if "conditions" in whole:
        whole["conditions"] = [{name: condition[name] for name in _CONDITION if name in condition} for condition in whole["conditions"]]
    return whole
