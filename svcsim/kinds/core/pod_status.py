"""The status of a pod: what its node tells of it."""

from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS
from svcsim.kinds.shared.references import RESOURCE_LIST
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct, Time

POD_CONDITION = Struct(
    "PodCondition",
    Field(1, "type", Str(), "PodScheduled, Initialized, ContainersReady, Ready, …", required=True, default=""),
    Field(2, "status", Str(), "True, False or Unknown", required=True, default=""),
    Field(3, "lastProbeTime", Time(), "When it was last looked at"),
    Field(4, "lastTransitionTime", Time(), "When the status last changed"),
    Field(5, "reason", Str(), "Why, in one CamelCase word"),
    Field(6, "message", Str(), "Why, in a sentence"),
    Field(7, "observedGeneration", Int(bits=64), "The generation of the pod that the condition was set for"),
    doc="One aspect of a pod's state",
)
CONTAINER_STATE = Struct(
    "ContainerState",
    Field(
        1,
        "waiting",
        Struct(
            "ContainerStateWaiting",
            Field(1, "reason", Str(), "Why it doesn't run, in one CamelCase word"),
            Field(2, "message", Str(), "Why it doesn't run, in a sentence"),
            doc="A container that doesn't run yet, or not now",
        ),
        "Set while it waits",
    ),
    Field(
        2,
        "running",
        Struct("ContainerStateRunning", Field(1, "startedAt", Time(), "Since when it runs"), doc="A container that runs"),
        "Set while it runs",
    ),
    Field(
        3,
        "terminated",
        Struct(
            "ContainerStateTerminated",
            Field(1, "exitCode", Int(), "Exit code of its first process", required=True),
            Field(2, "signal", Int(), "The signal that ended it"),
            Field(3, "reason", Str(), "Why it ended, in one CamelCase word"),
            Field(4, "message", Str(), "Its last words"),
            Field(5, "startedAt", Time(), "When it started"),
            Field(6, "finishedAt", Time(), "When it ended"),
            Field(7, "containerID", Str(), "Id of the container, runtime://id"),
            doc="A container that has ended",
        ),
        "Set once it has ended",
    ),
    doc="What a container does: one of these; waiting if none",
)
VOLUME_STATUS = Struct(
    "VolumeStatus",
    Field(
        1,
        "image",
        Struct(
            "ImageVolumeStatus",
            Field(1, "imageRef", Str(), "The image by digest", required=True, default=""),
            doc="The image a volume shows",
        ),
        "Of an image volume",
    ),
    doc="The state of a volume",
)
VOLUME_MOUNT_STATUS = Struct(
    "VolumeMountStatus",
    Field(1, "name", Str(), "Name of the volume", required=True, default=""),
    Field(2, "mountPath", Str(), "Where it appears", required=True, default=""),
    Field(3, "readOnly", Bool(), "Whether it is mounted read-only"),
    Field(4, "recursiveReadOnly", Str(), "Whether mounts below are read-only too"),
    Field(5, "volumeStatus", VOLUME_STATUS, "The state of the volume"),
    doc="A volume as it is mounted",
)
CONTAINER_USER = Struct(
    "ContainerUser",
    Field(
        1,
        "linux",
        Struct(
            "LinuxContainerUser",
            Field(1, "uid", Int(bits=64), "User id of the first process", required=True),
            Field(2, "gid", Int(bits=64), "Group id of the first process", required=True),
            Field(3, "supplementalGroups", List(Int(bits=64), kind="atomic"), "Its other groups"),
            doc="Ids of a process on Linux",
        ),
        "Ids on Linux",
    ),
    doc="Whom a container runs as",
)
RESOURCE_HEALTH = Struct(
    "ResourceHealth",
    Field(1, "resourceID", Str(), "Id of the device", required=True, default=""),
    Field(2, "health", Str(), "Healthy, Unhealthy or Unknown"),
    Field(6, "message", Str(), "Why, in a sentence"),
    doc="How a device is",
)
RESOURCE_STATUS = Struct(
    "ResourceStatus",
    Field(1, "name", Str(), "Name of the resource", required=True, default=""),
    Field(2, "resources", List(RESOURCE_HEALTH, kind="map", keys=("resourceID",), unique=False), "How its devices are"),
    doc="How the devices of a resource are",
)
CONTAINER_STATUS = Struct(
    "ContainerStatus",
    Field(1, "name", Str(), "Name of the container", required=True, default=""),
    Field(2, "state", CONTAINER_STATE, "What it does"),
    Field(3, "lastState", CONTAINER_STATE, "How it ended the time before"),
    Field(4, "ready", Bool(), "Whether its readiness probe passes", required=True),
    Field(5, "restartCount", Int(), "How often it was restarted", required=True),
    Field(6, "image", Str(), "The image it runs", required=True, default=""),
    Field(7, "imageID", Str(), "The image by digest", required=True, default=""),
    Field(8, "containerID", Str(), "Id of the container, runtime://id"),
    Field(9, "started", Bool(), "Whether its startup probe has passed"),
    Field(10, "allocatedResources", RESOURCE_LIST, "What the node has set aside for it"),
    Field(11, "resources", RESOURCE_REQUIREMENTS, "Requests and limits in force"),
    Field(
        12,
        "volumeMounts",
        List(VOLUME_MOUNT_STATUS, kind="map", keys=("mountPath",), merge_key="mountPath", unique=False),
        "Volumes as they are mounted",
    ),
    Field(13, "user", CONTAINER_USER, "Whom it runs as"),
    Field(
        14,
        "allocatedResourcesStatus",
        List(RESOURCE_STATUS, kind="map", keys=("name",), merge_key="name", unique=False),
        "How its devices are",
    ),
    Field(15, "stopSignal", Str(), "The signal that tells it to stop"),
    doc="How a container is",
)
_CONTAINER_STATUSES = List(CONTAINER_STATUS, kind="atomic")
POD_IP = Struct("PodIP", Field(1, "ip", Str(), "The address", required=True, default=""), doc="An address of the pod")
HOST_IP = Struct("HostIP", Field(1, "ip", Str(), "The address", required=True, default=""), doc="An address of the node")
POD_RESOURCE_CLAIM_STATUS = Struct(
    "PodResourceClaimStatus",
    Field(1, "name", Str(), "Which of the pod's resourceClaims", required=True, default=""),
    Field(2, "resourceClaimName", Str(), "The ResourceClaim made for it"),
    doc="What became of a device claim",
)
CONTAINER_EXTENDED_RESOURCE_REQUEST = Struct(
    "ContainerExtendedResourceRequest",
    Field(1, "containerName", Str(), "Name of the container", required=True, default=""),
    Field(2, "resourceName", Str(), "Name of the extended resource", required=True, default=""),
    Field(3, "requestName", Str(), "The request in the claim", required=True, default=""),
    doc="Which request of a claim stands for an extended resource",
)
POD_EXTENDED_RESOURCE_CLAIM_STATUS = Struct(
    "PodExtendedResourceClaimStatus",
    Field(
        1,
        "requestMappings",
        List(CONTAINER_EXTENDED_RESOURCE_REQUEST, kind="atomic"),
        "Which request is whose",
        required=True,
        presence=True,
    ),
    Field(2, "resourceClaimName", Str(), "The ResourceClaim made for the pod", required=True, default=""),
    doc="The claim that stands for extended resources",
)
NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS = Struct(
    "NodeAllocatableResourceClaimStatus",
    Field(1, "resourceClaimName", Str(), "The ResourceClaim", required=True, default=""),
    Field(2, "containers", List(Str(), kind="set", unique=False), "Containers that use it"),
    Field(3, "resources", RESOURCE_LIST, "What it takes of the node", required=True),
    doc="What a device claim takes of the node's own resources",
)

POD_STATUS = Struct(
    "PodStatus",
    Field(1, "phase", Str(), "Pending, Running, Succeeded, Failed or Unknown"),
    Field(2, "conditions", List(POD_CONDITION, kind="map", keys=("type",), merge_key="type", unique=False), "Aspects of its state"),
    Field(3, "message", Str(), "Why it is so, in a sentence"),
    Field(4, "reason", Str(), "Why it is so, in one CamelCase word"),
    Field(5, "hostIP", Str(), "Address of its node"),
    Field(6, "podIP", Str(), "Its address"),
    Field(7, "startTime", Time(), "When its node took it on"),
    Field(8, "containerStatuses", _CONTAINER_STATUSES, "How its containers are"),
    Field(9, "qosClass", Str(), "Guaranteed, Burstable or BestEffort"),
    Field(10, "initContainerStatuses", _CONTAINER_STATUSES, "How its init containers are"),
    Field(11, "nominatedNodeName", Str(), "The node on which room is being made for it"),
    Field(12, "podIPs", List(POD_IP, kind="map", keys=("ip",), merge_key="ip", unique=False), "All its addresses, podIP first"),
    Field(13, "ephemeralContainerStatuses", _CONTAINER_STATUSES, "How its ephemeral containers are"),
    Field(14, "resize", Str(), "How a resize goes (deprecated; see conditions)"),
    Field(
        15,
        "resourceClaimStatuses",
        List(POD_RESOURCE_CLAIM_STATUS, kind="map", keys=("name",), merge_key="name", unique=False),
        "What became of its device claims",
        patch="merge,retainKeys",
    ),
    Field(16, "hostIPs", List(HOST_IP, kind="atomic", merge_key="ip"), "All addresses of its node, hostIP first"),
    Field(17, "observedGeneration", Int(bits=64), "The generation this status was set for"),
    Field(18, "extendedResourceClaimStatus", POD_EXTENDED_RESOURCE_CLAIM_STATUS, "The claim that stands for extended resources"),
    Field(19, "allocatedResources", RESOURCE_LIST, "What the node has set aside for the whole pod"),
    Field(20, "resources", RESOURCE_REQUIREMENTS, "Requests and limits in force for the whole pod"),
    Field(
        21,
        "nodeAllocatableResourceClaimStatuses",
        List(NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS, kind="atomic"),
        "What its device claims take of the node's own resources",
    ),
    doc="How a pod is",
)
