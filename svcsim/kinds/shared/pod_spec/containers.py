"""Containers of a pod: the usual ones, those that run first, and those added to a running pod to look into it."""

from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.pod_spec.container_rules import container_rules, ephemeral_container_rules
from svcsim.kinds.shared.pod_spec.images import fill_pull_policy
from svcsim.kinds.shared.pod_spec.probes import LIFECYCLE, PROBE
from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS
from svcsim.kinds.shared.pod_spec.security import SECURITY_CONTEXT
from svcsim.kinds.shared.pod_spec.sources import ENV_FROM_SOURCE, ENV_VAR
from svcsim.kinds.shared.references import STRINGS
from svcsim.meta.types import Object
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_PULL_POLICY = one_of("Always", "IfNotPresent", "Never")

CONTAINER_PORT = Struct(
    "ContainerPort",
    Field(1, "name", Str(), "Name that services may refer to"),
    Field(2, "hostPort", Int(), "Port of the node that leads to it", presence=False),
    Field(3, "containerPort", Int(), "Port of the pod's address", required=True),
    Field(4, "protocol", Str(), "TCP, UDP or SCTP", default="TCP"),
    Field(5, "hostIP", Str(), "Address of the node that hostPort is bound to"),
    doc="A port that a container listens on",
)
VOLUME_MOUNT = Struct(
    "VolumeMount",
    Field(1, "name", Str(), "One of the pod's volumes", required=True),
    Field(2, "readOnly", Bool(), "Whether it is mounted read-only", presence=False),
    Field(3, "mountPath", Str(), "Where it appears in the container; no colon in it", required=True),
    Field(4, "subPath", Str(), "Path within the volume to mount"),
    Field(5, "mountPropagation", Str(), "None, HostToContainer or Bidirectional"),
    Field(6, "subPathExpr", Str(), "Like subPath, with $(NAME) for environment variables"),
    Field(7, "recursiveReadOnly", Str(), "Disabled, IfPossible or Enabled: whether mounts below are read-only too"),
    doc="A volume seen in a container",
)
VOLUME_DEVICE = Struct(
    "VolumeDevice",
    Field(1, "name", Str(), "One of the pod's volumes, bound to a claim in mode Block", required=True),
    Field(2, "devicePath", Str(), "Where the device appears in the container", required=True),
    doc="A raw device seen in a container",
)
CONTAINER_RESIZE_POLICY = Struct(
    "ContainerResizePolicy",
    Field(1, "resourceName", Str(), "cpu or memory", required=True, rules=(one_of("cpu", "memory"),)),
    Field(2, "restartPolicy", Str(), "NotRequired or RestartContainer", required=True, rules=(one_of("NotRequired", "RestartContainer"),)),
    doc="What a change of a resource does to the container",
)
CONTAINER_RESTART_RULE_ON_EXIT_CODES = Struct(
    "ContainerRestartRuleOnExitCodes",
    Field(1, "operator", Str(), "In or NotIn", required=True, rules=(one_of("In", "NotIn"),)),
    Field(2, "values", List(Int(), kind="set"), "The exit codes"),
    doc="A choice of exit codes",
)
CONTAINER_RESTART_RULE = Struct(
    "ContainerRestartRule",
    Field(1, "action", Str(), "What is done: Restart or RestartAllContainers", required=True),
    Field(2, "exitCodes", CONTAINER_RESTART_RULE_ON_EXIT_CODES, "At which exit codes"),
    doc="What happens when a container ends in a certain way",
)


def _fill_container(container: Object) -> None:
    fill_pull_policy(container)


_CONTAINER_FIELDS = (
    Field(1, "name", Str(), "Name of the container, a DNS label, unique in the pod", required=True),
    Field(2, "image", Str(), "Name of the image"),
    Field(3, "command", STRINGS, "What is run, instead of the image's entry point"),
    Field(4, "args", STRINGS, "Its arguments, instead of the image's"),
    Field(5, "workingDir", Str(), "Working directory, instead of the image's"),
    Field(
        6,
        "ports",
        List(CONTAINER_PORT, kind="map", keys=("containerPort", "protocol"), merge_key="containerPort", unique=False),
        "Ports it listens on",
    ),
    Field(7, "env", List(ENV_VAR, kind="map", keys=("name",), merge_key="name", unique=False), "Environment variables"),
    Field(8, "resources", RESOURCE_REQUIREMENTS, "What it needs of the node", default={}),
    Field(9, "volumeMounts", List(VOLUME_MOUNT, kind="map", keys=("mountPath",), merge_key="mountPath", unique=False), "Volumes it sees"),
    Field(10, "livenessProbe", PROBE, "When this fails it is restarted"),
    Field(11, "readinessProbe", PROBE, "While this fails it gets no traffic"),
    Field(12, "lifecycle", LIFECYCLE, "What is done after its start and before its stop"),
    Field(13, "terminationMessagePath", Str(), "File its last words are read from", default="/dev/termination-log"),
    Field(
        14, "imagePullPolicy", Str(), "Always, IfNotPresent or Never; Always if the tag is latest, else IfNotPresent", rules=(_PULL_POLICY,)
    ),
    Field(15, "securityContext", SECURITY_CONTEXT, "What its processes may do"),
    Field(16, "stdin", Bool(), "Whether it has a standard input", presence=False),
    Field(17, "stdinOnce", Bool(), "Whether the standard input closes after the first client", presence=False),
    Field(18, "tty", Bool(), "Whether it has a terminal; needs stdin", presence=False),
    Field(19, "envFrom", List(ENV_FROM_SOURCE, kind="atomic"), "Sets of environment variables; env wins over them"),
    Field(
        20,
        "terminationMessagePolicy",
        Str(),
        "File, or FallbackToLogsOnError",
        default="File",
        rules=(one_of("FallbackToLogsOnError", "File"),),
    ),
    Field(
        21,
        "volumeDevices",
        List(VOLUME_DEVICE, kind="map", keys=("devicePath",), merge_key="devicePath", unique=False),
        "Raw devices it sees",
    ),
    Field(22, "startupProbe", PROBE, "Until this succeeds, the other probes wait"),
    Field(23, "resizePolicy", List(CONTAINER_RESIZE_POLICY, kind="atomic"), "What changes of its resources do to it"),
    Field(24, "restartPolicy", Str(), "Its own restart policy; Always makes an init container a sidecar"),
    Field(25, "restartPolicyRules", List(CONTAINER_RESTART_RULE, kind="atomic"), "Exceptions from its restart policy"),
)
CONTAINER = Struct("Container", *_CONTAINER_FIELDS, fill=_fill_container, rules=(container_rules,), doc="A container of a pod")
EPHEMERAL_CONTAINER_COMMON = Struct(
    "EphemeralContainerCommon",
    *_CONTAINER_FIELDS,
    doc="What an ephemeral container has in common with others",
)
EPHEMERAL_CONTAINER = Struct(
    "EphemeralContainer",
    Field(1, "ephemeralContainerCommon", EPHEMERAL_CONTAINER_COMMON, inline=True),
    Field(2, "targetContainerName", Str(), "The container whose namespaces it shares"),
    fill=_fill_container,
    rules=(container_rules, ephemeral_container_rules),
    doc="A container added to a running pod, to look into it",
)
CONTAINERS = List(CONTAINER, kind="map", keys=("name",), merge_key="name")
EPHEMERAL_CONTAINERS = List(EPHEMERAL_CONTAINER, kind="map", keys=("name",), merge_key="name")
