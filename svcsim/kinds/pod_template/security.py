"""What processes of a pod may do: identities, capabilities and profiles, for a container and for the whole pod."""

from svcsim.kinds.references import STRINGS
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

CAPABILITIES = Struct(
    "Capabilities",
    Field(1, "add", STRINGS, "Capabilities to add"),
    Field(2, "drop", STRINGS, "Capabilities to take away"),
    doc="POSIX capabilities beside the runtime's own set",
)
SE_LINUX_OPTIONS = Struct(
    "SELinuxOptions",
    Field(1, "user", Str(), "User label"),
    Field(2, "role", Str(), "Role label"),
    Field(3, "type", Str(), "Type label"),
    Field(4, "level", Str(), "Level label"),
    doc="SELinux labels",
)
WINDOWS_OPTIONS = Struct(
    "WindowsSecurityContextOptions",
    Field(1, "gmsaCredentialSpecName", Str(), "Name of the group managed service account's credential spec"),
    Field(2, "gmsaCredentialSpec", Str(), "The credential spec itself"),
    Field(3, "runAsUserName", Str(), "User to run as"),
    Field(4, "hostProcess", Bool(), "Whether it runs as a process of the host"),
    doc="What Windows needs to know",
)
SECCOMP_PROFILE = Struct(
    "SeccompProfile",
    Field(1, "type", Str(), "Localhost, RuntimeDefault or Unconfined", required=True),
    Field(2, "localhostProfile", Str(), "The file on the node, for type Localhost"),
    doc="Which system calls are let through",
)
APP_ARMOR_PROFILE = Struct(
    "AppArmorProfile",
    Field(1, "type", Str(), "Localhost, RuntimeDefault or Unconfined", required=True),
    Field(2, "localhostProfile", Str(), "The profile loaded on the node, for type Localhost"),
    doc="What AppArmor lets through",
)
SECURITY_CONTEXT = Struct(
    "SecurityContext",
    Field(1, "capabilities", CAPABILITIES, "Capabilities to add and drop"),
    Field(2, "privileged", Bool(), "Whether it has all powers of the node"),
    Field(3, "seLinuxOptions", SE_LINUX_OPTIONS, "SELinux labels, instead of the pod's"),
    Field(4, "runAsUser", Int(bits=64), "User id, instead of the image's"),
    Field(5, "runAsNonRoot", Bool(), "Whether running as root is refused"),
    Field(6, "readOnlyRootFilesystem", Bool(), "Whether the root file system is read-only"),
    Field(7, "allowPrivilegeEscalation", Bool(), "Whether a process may get more powers than its parent"),
    Field(8, "runAsGroup", Int(bits=64), "Group id, instead of the image's"),
    Field(9, "procMount", Str(), "Default or Unmasked"),
    Field(10, "windowsOptions", WINDOWS_OPTIONS, "What Windows needs to know"),
    Field(11, "seccompProfile", SECCOMP_PROFILE, "Which system calls are let through"),
    Field(12, "appArmorProfile", APP_ARMOR_PROFILE, "What AppArmor lets through"),
    doc="What a container's processes may do; wins over the pod's",
)
SYSCTL = Struct(
    "Sysctl",
    Field(1, "name", Str(), "Name of the parameter", required=True),
    Field(2, "value", Str(), "What it is set to", required=True),
    doc="A kernel parameter",
)
POD_SECURITY_CONTEXT = Struct(
    "PodSecurityContext",
    Field(1, "seLinuxOptions", SE_LINUX_OPTIONS, "SELinux labels of all containers"),
    Field(2, "runAsUser", Int(bits=64), "User id of all containers, instead of their images'"),
    Field(3, "runAsNonRoot", Bool(), "Whether running as root is refused"),
    Field(4, "supplementalGroups", List(Int(bits=64), kind="atomic"), "More groups of the first process of each container"),
    Field(5, "fsGroup", Int(bits=64), "Group that owns the pod's volumes"),
    Field(6, "runAsGroup", Int(bits=64), "Group id of all containers, instead of their images'"),
    Field(7, "sysctls", List(SYSCTL, kind="atomic"), "Kernel parameters of the pod"),
    Field(8, "windowsOptions", WINDOWS_OPTIONS, "What Windows needs to know"),
    Field(9, "fsGroupChangePolicy", Str(), "Always or OnRootMismatch: when volumes change owner"),
    Field(10, "seccompProfile", SECCOMP_PROFILE, "Which system calls are let through"),
    Field(11, "appArmorProfile", APP_ARMOR_PROFILE, "What AppArmor lets through"),
    Field(12, "supplementalGroupsPolicy", Str(), "Merge or Strict: whether groups of the image count"),
    Field(13, "seLinuxChangePolicy", Str(), "Recursive or MountOption: how volumes are labelled"),
    doc="What the processes of a pod may do",
)
