"""Containers of a pod: regular ones, init containers, and ephemeral ones that are added to a running pod for debugging."""

from svcsim.kinds.shared.checks import one_of
from svcsim.kinds.shared.pod_spec.container_rules import container_rules, ephemeral_container_rules
from svcsim.kinds.shared.pod_spec.images import fill_pull_policy
from svcsim.kinds.shared.pod_spec.probes import LIFECYCLE, PROBE
from svcsim.kinds.shared.pod_spec.resources import RESOURCE_REQUIREMENTS, resource_rules
from svcsim.kinds.shared.pod_spec.restart_rules import resize_policy_rules
from svcsim.kinds.shared.pod_spec.security import SECURITY_CONTEXT
from svcsim.kinds.shared.pod_spec.sources import ENV_FROM_SOURCE, ENV_VAR
from svcsim.kinds.shared.types import STRINGS, map_list
from svcsim.kinds.shared.words import MOUNT_PROPAGATION, PROTOCOL, PULL_POLICY, TERMINATION_MESSAGE_POLICY
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_PULL_POLICY = one_of(*PULL_POLICY.values)

CONTAINER_PORT = Struct(
    "ContainerPort",
    Field(1, "name", Str(), "Name of the port, to which services can refer"),
    Field(2, "hostPort", Int(), "Port on the node that is forwarded to the container", presence=False),
    Field(3, "containerPort", Int(), "Port number on the address of the pod", required=True),
    Field(4, "protocol", PROTOCOL, "Protocol of the port", default="TCP"),
    Field(5, "hostIP", Str(), "Address on the node to which hostPort is bound"),
    doc="A port on which a container listens",
)
VOLUME_MOUNT = Struct(
    "VolumeMount",
    Field(1, "name", Str(), "Name of a volume of the pod", required=True),
    Field(2, "readOnly", Bool(), "Whether the volume is mounted read-only", presence=False),
    Field(3, "mountPath", Str(), "Path at which the volume is mounted; must not contain a colon", required=True),
    Field(4, "subPath", Str(), "Path within the volume to mount; its root if unset"),
    Field(
        5,
        "mountPropagation",
        MOUNT_PROPAGATION,
        "How mounts are shared with the node",
        presence=True,
    ),
    Field(6, "subPathExpr", Str(), "Like subPath, but $(NAME) is replaced by the environment variable NAME"),
    Field(
        7, "recursiveReadOnly", Str(), "Whether read-only applies to mounts below as well: Disabled, IfPossible or Enabled", presence=True
    ),
    doc="Mounts a volume into a container",
)
VOLUME_DEVICE = Struct(
    "VolumeDevice",
    Field(1, "name", Str(), "Name of a volume of the pod whose claim has volumeMode Block", required=True),
    Field(2, "devicePath", Str(), "Path of the device in the container", required=True),
    doc="Makes a volume available to a container as a raw device",
)
CONTAINER_RESIZE_POLICY = Struct(
    "ContainerResizePolicy",
    Field(1, "resourceName", Str(), "Name of the resource: cpu or memory", required=True),
    Field(2, "restartPolicy", Str(), "Whether a resize restarts the container: NotRequired or RestartContainer", required=True),
    doc="Whether a container restarts when a resource of it is resized",
)
CONTAINER_RESTART_RULE_ON_EXIT_CODES = Struct(
    "ContainerRestartRuleOnExitCodes",
    Field(1, "operator", Str(), "Whether the exit code must be among the values: In or NotIn", required=True),
    Field(2, "values", List(Int(), list_type="set"), "Exit codes"),
    doc="Selects exit codes of a container",
)
CONTAINER_RESTART_RULE = Struct(
    "ContainerRestartRule",
    Field(1, "action", Str(), "Action to take: Restart or RestartAllContainers", required=True),
    Field(2, "exitCodes", CONTAINER_RESTART_RULE_ON_EXIT_CODES, "Exit codes for which the rule applies"),
    doc="Action to take when a container exits with certain codes",
)


_CONTAINER_FIELDS = (
    Field(1, "name", Str(), "Name of the container, a DNS label that is unique in the pod", required=True),
    Field(2, "image", Str(), "Name of the container image"),
    Field(3, "command", STRINGS, "Command to run; the entry point of the image if unset"),
    Field(4, "args", STRINGS, "Arguments of the command; those of the image if unset"),
    Field(5, "workingDir", Str(), "Working directory; that of the image if unset"),
    Field(
        6,
        "ports",
        map_list(CONTAINER_PORT, "containerPort", "protocol"),
        "Ports on which the container listens",
    ),
    Field(7, "env", map_list(ENV_VAR, "name"), "Environment variables"),
    Field(8, "resources", RESOURCE_REQUIREMENTS, "Requested and maximum amounts of resources", default={}, rules=(resource_rules,)),
    Field(9, "volumeMounts", map_list(VOLUME_MOUNT, "mountPath"), "Volumes to mount into the container"),
    Field(10, "livenessProbe", PROBE, "Check of the container; when it fails, the container is restarted"),
    Field(11, "readinessProbe", PROBE, "Check of the container; while it fails, services send no traffic"),
    Field(12, "lifecycle", LIFECYCLE, "Actions to take after the start and before the stop of the container"),
    Field(13, "terminationMessagePath", Str(), "File from which the termination message is read", default="/dev/termination-log"),
    Field(
        14,
        "imagePullPolicy",
        PULL_POLICY,
        "When the image is pulled; if unset, Always for the tag latest, else IfNotPresent",
        rules=(_PULL_POLICY,),
    ),
    Field(15, "securityContext", SECURITY_CONTEXT, "Privileges and identity of the processes; takes precedence over those of the pod"),
    Field(16, "stdin", Bool(), "Whether to allocate a standard input", presence=False),
    Field(17, "stdinOnce", Bool(), "Whether to close the standard input after the first client has disconnected", presence=False),
    Field(18, "tty", Bool(), "Whether to allocate a terminal; requires stdin", presence=False),
    Field(19, "envFrom", List(ENV_FROM_SOURCE, list_type="atomic"), "Sources of environment variables; env takes precedence over them"),
    Field(
        20,
        "terminationMessagePolicy",
        TERMINATION_MESSAGE_POLICY,
        "Where the termination message comes from",
        default="File",
        rules=(one_of(*TERMINATION_MESSAGE_POLICY.values),),
    ),
    Field(
        21,
        "volumeDevices",
        map_list(VOLUME_DEVICE, "devicePath"),
        "Volumes to make available as raw devices",
    ),
    Field(22, "startupProbe", PROBE, "Check of the container; until it succeeds, the other probes are not run"),
    Field(
        23,
        "resizePolicy",
        List(CONTAINER_RESIZE_POLICY, list_type="atomic"),
        "Whether the container restarts when a resource is resized, by resource",
        rules=(resize_policy_rules,),
    ),
    Field(24, "restartPolicy", Str(), "Restart policy of the container; Always makes an init container a sidecar", presence=True),
    Field(
        25,
        "restartPolicyRules",
        List(CONTAINER_RESTART_RULE, list_type="atomic"),
        "Rules by exit code that take precedence over the restart policy",
    ),
)
CONTAINER = Struct("Container", *_CONTAINER_FIELDS, fill=fill_pull_policy, rules=(container_rules,), doc="A container of a pod")
EPHEMERAL_CONTAINER_COMMON = Struct(
    "EphemeralContainerCommon",
    *_CONTAINER_FIELDS,
    doc="Fields that ephemeral containers share with other containers",
)
EPHEMERAL_CONTAINER = Struct(
    "EphemeralContainer",
    Field(1, "ephemeralContainerCommon", EPHEMERAL_CONTAINER_COMMON, inline=True),
    Field(2, "targetContainerName", Str(), "Name of the container whose process namespace is shared"),
    fill=fill_pull_policy,
    rules=(container_rules, ephemeral_container_rules),
    doc="A container added to a running pod for debugging",
)
CONTAINERS = map_list(CONTAINER, "name", unique=True)
EPHEMERAL_CONTAINERS = map_list(EPHEMERAL_CONTAINER, "name", unique=True)
