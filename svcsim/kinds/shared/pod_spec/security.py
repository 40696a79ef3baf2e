"""Privileges of the processes of a pod: identities, capabilities and profiles, for a container and for the whole pod."""

from svcsim.kinds.shared.checks import MAX_INT32, each, in_range, one_of
from svcsim.kinds.shared.pod_spec.os_rules import windows_rules
from svcsim.kinds.shared.pod_spec.security_rules import app_armor_rules, escalation_rules, seccomp_rules, sysctl_rules
from svcsim.kinds.shared.types import STRINGS
from svcsim.kinds.shared.words import GROUP_CHANGE_POLICY, PROC_MOUNT, PROFILE_TYPE, SUPPLEMENTAL_GROUPS_POLICY
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_PROFILE_TYPE = one_of("Localhost", "RuntimeDefault", "Unconfined")
_ID = in_range(0, MAX_INT32)

CAPABILITIES = Struct(
    "Capabilities",
    Field(1, "add", STRINGS, "Capabilities to add"),
    Field(2, "drop", STRINGS, "Capabilities to drop"),
    doc="POSIX capabilities to add to or drop from the default set of the container runtime",
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
    Field(1, "gmsaCredentialSpecName", Str(), "Name of the credential spec of the group-managed service account (GMSA)", presence=True),
    Field(2, "gmsaCredentialSpec", Str(), "Content of the GMSA credential spec", presence=True),
    Field(3, "runAsUserName", Str(), "Name of the user to run as", presence=True),
    Field(4, "hostProcess", Bool(), "Whether the container runs as a process of the host"),
    rules=(windows_rules,),
    doc="Settings for Windows",
)
SECCOMP_PROFILE = Struct(
    "SeccompProfile",
    Field(1, "type", PROFILE_TYPE, "Type of the profile", required=True, rules=(_PROFILE_TYPE,)),
    Field(2, "localhostProfile", Str(), "Path of the profile on the node, for type Localhost", presence=True),
    rules=(seccomp_rules,),
    doc="Seccomp profile, which limits the system calls",
)
APP_ARMOR_PROFILE = Struct(
    "AppArmorProfile",
    Field(1, "type", PROFILE_TYPE, "Type of the profile", required=True, rules=(_PROFILE_TYPE,)),
    Field(2, "localhostProfile", Str(), "Name of a profile that is loaded on the node, for type Localhost", presence=True),
    rules=(app_armor_rules,),
    doc="AppArmor profile, which limits the access to files and other resources",
)
SECURITY_CONTEXT = Struct(
    "SecurityContext",
    Field(1, "capabilities", CAPABILITIES, "Capabilities to add and drop"),
    Field(2, "privileged", Bool(), "Whether the container is privileged, which is much the same as being root on the node"),
    Field(3, "seLinuxOptions", SE_LINUX_OPTIONS, "SELinux labels of the container"),
    Field(4, "runAsUser", Int(bits=64), "User ID of the processes; that of the image if unset", rules=(_ID,)),
    Field(5, "runAsNonRoot", Bool(), "Whether to refuse to run as root"),
    Field(6, "readOnlyRootFilesystem", Bool(), "Whether the root file system is read-only"),
    Field(7, "allowPrivilegeEscalation", Bool(), "Whether a process can gain more privileges than its parent process"),
    Field(8, "runAsGroup", Int(bits=64), "Primary group ID of the processes; that of the image if unset", rules=(_ID,)),
    Field(9, "procMount", PROC_MOUNT, "How /proc is mounted", rules=(one_of(*PROC_MOUNT.values),), presence=True),
    Field(10, "windowsOptions", WINDOWS_OPTIONS, "Settings for Windows"),
    Field(11, "seccompProfile", SECCOMP_PROFILE, "Seccomp profile, which limits the system calls"),
    Field(12, "appArmorProfile", APP_ARMOR_PROFILE, "AppArmor profile, which limits the access to files and other resources"),
    rules=(escalation_rules,),
    doc="Privileges and identity of the processes of a container; takes precedence over those of the pod",
)
SYSCTL = Struct(
    "Sysctl",
    Field(1, "name", Str(), "Name of the parameter", required=True),
    Field(2, "value", Str(), "Value of the parameter", required=True),
    doc="A kernel parameter (sysctl)",
)
POD_SECURITY_CONTEXT = Struct(
    "PodSecurityContext",
    Field(1, "seLinuxOptions", SE_LINUX_OPTIONS, "SELinux labels of all containers"),
    Field(2, "runAsUser", Int(bits=64), "User ID of the processes in all containers; those of the images if unset", rules=(_ID,)),
    Field(3, "runAsNonRoot", Bool(), "Whether to refuse to run as root"),
    Field(
        4,
        "supplementalGroups",
        List(Int(bits=64), list_type="atomic"),
        "Supplemental group IDs of the main process in each container",
        rules=(each(_ID),),
    ),
    Field(5, "fsGroup", Int(bits=64), "ID of the group that owns the volumes of the pod", rules=(_ID,)),
    Field(6, "runAsGroup", Int(bits=64), "Primary group ID of the processes in all containers; those of the images if unset", rules=(_ID,)),
    Field(7, "sysctls", List(SYSCTL, list_type="atomic"), "Kernel parameters (sysctls) to set for the pod", rules=(sysctl_rules,)),
    Field(8, "windowsOptions", WINDOWS_OPTIONS, "Settings for Windows"),
    Field(
        9,
        "fsGroupChangePolicy",
        GROUP_CHANGE_POLICY,
        "When the owner of volumes is changed to fsGroup",
        rules=(one_of(*GROUP_CHANGE_POLICY.values),),
        presence=True,
    ),
    Field(10, "seccompProfile", SECCOMP_PROFILE, "Seccomp profile, which limits the system calls"),
    Field(11, "appArmorProfile", APP_ARMOR_PROFILE, "AppArmor profile, which limits the access to files and other resources"),
    Field(
        12,
        "supplementalGroupsPolicy",
        SUPPLEMENTAL_GROUPS_POLICY,
        "Whether groups defined in the image are added to the supplemental groups",
        rules=(one_of(*SUPPLEMENTAL_GROUPS_POLICY.values),),
        presence=True,
    ),
    Field(
        13,
        "seLinuxChangePolicy",
        Str(),
        "How SELinux labels are applied to volumes: Recursive or MountOption",
        rules=(one_of("MountOption", "Recursive"),),
        presence=True,
    ),
    doc="Privileges and identity of the processes of all containers of a pod",
)
