"""The status of a pod, as its node reports it."""

from svcsim.kinds.core.pod_status_defaults import fill_addresses
from svcsim.kinds.shared.conditions import conditions
from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS
from svcsim.kinds.shared.types import EXACT_AMOUNTS, RESOURCE_LIST, map_list
from svcsim.kinds.shared.words import POD_PHASE, QOS_CLASS
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct, Time

CONTAINER_STATE = Struct(
    "ContainerState",
    Field(
        1,
        "waiting",
        Struct(
            "ContainerStateWaiting",
            Field(1, "reason", Str(), "Machine-readable reason for the wait, one CamelCase word"),
            Field(2, "message", Str(), "Explanation of the wait for people to read"),
            doc="A container that waits to be started",
        ),
        "Set while the container waits to be started",
    ),
    Field(
        2,
        "running",
        Struct("ContainerStateRunning", Field(1, "startedAt", Time(), "When the container was started"), doc="A running container"),
        "Set while the container runs",
    ),
    Field(
        3,
        "terminated",
        Struct(
            "ContainerStateTerminated",
            Field(1, "exitCode", Int(), "Exit code of the main process", required=True),
            Field(2, "signal", Int(), "Number of the signal that ended the container", presence=False),
            Field(3, "reason", Str(), "Machine-readable reason for the end, one CamelCase word"),
            Field(4, "message", Str(), "The termination message of the container"),
            Field(5, "startedAt", Time(), "When the container was started"),
            Field(6, "finishedAt", Time(), "When the container ended"),
            Field(7, "containerID", Str(), "ID of the container, as runtime://id"),
            doc="A container that has ended",
        ),
        "Set when the container has ended",
    ),
    doc="State of a container; exactly one of these is set, and none means waiting",
)
VOLUME_STATUS = Struct(
    "VolumeStatus",
    Field(
        1,
        "image",
        Struct(
            "ImageVolumeStatus",
            Field(1, "imageRef", Str(), "Name of the image, by digest", required=True, default=""),
            doc="State of an image volume",
        ),
        "State of an image volume",
    ),
    doc="State of a mounted volume",
)
VOLUME_MOUNT_STATUS = Struct(
    "VolumeMountStatus",
    Field(1, "name", Str(), "Name of the volume", required=True, default=""),
    Field(2, "mountPath", Str(), "Path at which the volume is mounted", required=True, default=""),
    Field(3, "readOnly", Bool(), "Whether the volume is mounted read-only", presence=False),
    Field(4, "recursiveReadOnly", Str(), "Whether read-only applies to mounts below as well", presence=True),
    Field(5, "volumeStatus", VOLUME_STATUS, "State of the volume"),
    doc="State of a volume mount",
)
CONTAINER_USER = Struct(
    "ContainerUser",
    Field(
        1,
        "linux",
        Struct(
            "LinuxContainerUser",
            Field(1, "uid", Int(bits=64), "User ID of the main process", required=True),
            Field(2, "gid", Int(bits=64), "Primary group ID of the main process", required=True),
            Field(3, "supplementalGroups", List(Int(bits=64), list_type="atomic"), "Supplemental group IDs of the main process"),
            doc="User and group IDs of a process on Linux",
        ),
        "User and group IDs on Linux",
    ),
    doc="User as which a container runs",
)
RESOURCE_HEALTH = Struct(
    "ResourceHealth",
    Field(1, "resourceID", Str(), "ID of the device", required=True, default=""),
    Field(2, "health", Str(), "Health of the device: Healthy, Unhealthy or Unknown"),
    Field(6, "message", Str(), "Explanation for people to read", presence=True),
    doc="Health of a device",
)
RESOURCE_STATUS = Struct(
    "ResourceStatus",
    Field(1, "name", Str(), "Name of the resource", required=True, default=""),
    Field(2, "resources", List(RESOURCE_HEALTH, list_type="map", keys=("resourceID",), unique=False), "Health of the devices"),
    doc="Health of the devices of a resource",
)
CONTAINER_STATUS = Struct(
    "ContainerStatus",
    Field(1, "name", Str(), "Name of the container", required=True, default=""),
    Field(2, "state", CONTAINER_STATE, "Current state of the container"),
    Field(3, "lastState", CONTAINER_STATE, "State in which the previous run of the container ended"),
    Field(4, "ready", Bool(), "Whether the container is ready, as its readiness probe says", required=True),
    Field(5, "restartCount", Int(), "How often the container was restarted", required=True),
    Field(6, "image", Str(), "Name of the image that the container runs", required=True, default=""),
    Field(7, "imageID", Str(), "Name of the image, by digest", required=True, default=""),
    Field(8, "containerID", Str(), "ID of the container, as runtime://id"),
    Field(9, "started", Bool(), "Whether the container has started and passed its startup probe"),
    Field(10, "allocatedResources", RESOURCE_LIST, "Amounts that the node has allocated to the container"),
    Field(11, "resources", RESOURCE_REQUIREMENTS, "Requests and limits in force"),
    Field(
        12,
        "volumeMounts",
        map_list(VOLUME_MOUNT_STATUS, "mountPath"),
        "State of the volume mounts",
    ),
    Field(13, "user", CONTAINER_USER, "User as which the container runs"),
    Field(
        14,
        "allocatedResourcesStatus",
        map_list(RESOURCE_STATUS, "name"),
        "Health of the devices of the container",
    ),
    Field(15, "stopSignal", Str(), "Signal that asks the container to stop", presence=True),
    doc="Current state of a container",
)
_CONTAINER_STATUSES = List(CONTAINER_STATUS, list_type="atomic")
POD_IP = Struct("PodIP", Field(1, "ip", Str(), "IP address", required=True, default=""), doc="An IP address of the pod")
HOST_IP = Struct("HostIP", Field(1, "ip", Str(), "IP address", required=True, default=""), doc="An IP address of the node")
POD_RESOURCE_CLAIM_STATUS = Struct(
    "PodResourceClaimStatus",
    Field(1, "name", Str(), "Name of the entry in resourceClaims of the pod", required=True, default=""),
    Field(2, "resourceClaimName", Str(), "Name of the ResourceClaim that was created", presence=True),
    doc="ResourceClaim created for an entry in resourceClaims",
)
CONTAINER_EXTENDED_RESOURCE_REQUEST = Struct(
    "ContainerExtendedResourceRequest",
    Field(1, "containerName", Str(), "Name of the container", required=True, default=""),
    Field(2, "resourceName", Str(), "Name of the extended resource", required=True, default=""),
    Field(3, "requestName", Str(), "Name of the request in the claim", required=True, default=""),
    doc="Assigns an extended resource of a container to a request of a claim",
)
POD_EXTENDED_RESOURCE_CLAIM_STATUS = Struct(
    "PodExtendedResourceClaimStatus",
    Field(
        1,
        "requestMappings",
        List(CONTAINER_EXTENDED_RESOURCE_REQUEST, list_type="atomic"),
        "Which request of the claim covers which extended resource",
        required=True,
        presence=True,
    ),
    Field(2, "resourceClaimName", Str(), "Name of the ResourceClaim that was created for the pod", required=True, default=""),
    doc="ResourceClaim that covers the extended resources of a pod",
)
NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS = Struct(
    "NodeAllocatableResourceClaimStatus",
    Field(1, "resourceClaimName", Str(), "Name of the ResourceClaim", required=True, default=""),
    Field(2, "containers", List(Str(), list_type="set", unique=False), "Names of the containers that use the claim"),
    Field(3, "resources", EXACT_AMOUNTS, "Amounts that the claim takes from the node", required=True),
    doc="Amounts of the node's own resources that a device claim takes",
)

POD_STATUS = Struct(
    "PodStatus",
    Field(1, "phase", POD_PHASE, "Phase of the pod"),
    Field(
        2,
        "conditions",
        conditions(
            "PodCondition",
            "PodScheduled, Initialized, ContainersReady, Ready, …",
            lastProbeTime=3,
            lastTransitionTime=4,
            reason=5,
            message=6,
            observedGeneration=7,
        ),
        "Current conditions of the pod",
    ),
    Field(3, "message", Str(), "Explanation of the state for people to read"),
    Field(4, "reason", Str(), "Machine-readable reason for the state, one CamelCase word"),
    Field(5, "hostIP", Str(), "IP address of the node"),
    Field(6, "podIP", Str(), "IP address of the pod"),
    Field(7, "startTime", Time(), "When the node accepted the pod"),
    Field(8, "containerStatuses", _CONTAINER_STATUSES, "State of the containers"),
    Field(9, "qosClass", QOS_CLASS, "Quality-of-service class"),
    Field(10, "initContainerStatuses", _CONTAINER_STATUSES, "State of the init containers"),
    Field(11, "nominatedNodeName", Str(), "Name of the node on which other pods are being preempted for the pod"),
    Field(12, "podIPs", map_list(POD_IP, "ip"), "All IP addresses of the pod, podIP first"),
    Field(13, "ephemeralContainerStatuses", _CONTAINER_STATUSES, "State of the ephemeral containers"),
    Field(14, "resize", Str(), "Progress of a resize (deprecated: see conditions)"),
    Field(
        15,
        "resourceClaimStatuses",
        map_list(POD_RESOURCE_CLAIM_STATUS, "name"),
        "ResourceClaims created for entries in resourceClaims",
        patch="merge,retainKeys",
    ),
    Field(16, "hostIPs", List(HOST_IP, list_type="atomic", merge_key="ip"), "All IP addresses of the node, hostIP first"),
    Field(17, "observedGeneration", Int(bits=64), "The metadata.generation for which the status was set", presence=False),
    Field(
        18, "extendedResourceClaimStatus", POD_EXTENDED_RESOURCE_CLAIM_STATUS, "ResourceClaim that covers the extended resources of the pod"
    ),
    Field(19, "allocatedResources", RESOURCE_LIST, "Amounts that the node has allocated to the whole pod"),
    Field(20, "resources", RESOURCE_REQUIREMENTS, "Requests and limits in force for the whole pod"),
    Field(
        21,
        "nodeAllocatableResourceClaimStatuses",
        List(NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS, list_type="atomic"),
        "Amounts of the node's own resources that device claims take",
    ),
    fill=fill_addresses,
    doc="Current state of a pod",
)
