"""What processes of a pod may do: identities, capabilities and profiles, for a container and for the whole pod."""

import re
from collections.abc import Iterator

from svcsim.kinds.shared.checks import MAX_INT32, each, in_range, one_of
from svcsim.kinds.shared.references import STRINGS
from svcsim.meta.errors import FieldError, duplicate, invalid_value, required
from svcsim.meta.types import Json
from svcsim.schema.types import Bool, Field, Int, List, Rule, Str, Struct

_PROFILE_TYPE = one_of("Localhost", "RuntimeDefault", "Unconfined")
_ID = in_range(0, MAX_INT32)
_SYSCTL_MAX_CHARS = 253
_SYSCTL = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?", re.ASCII)


def _profile(word: str) -> Rule:
    """A profile's file is named exactly when its type says that it lies on the node."""

    def check(value: Json, path: str) -> Iterator[FieldError]:
        local = value.get("type") == "Localhost"
        if local and not value.get("localhostProfile"):
            yield required(f"{path}.localhostProfile", f"must be set when {word} type is Localhost")
        elif not local and value.get("localhostProfile"):
            yield invalid_value(f"{path}.localhostProfile", value["localhostProfile"], f"can only be set when {word} type is Localhost")

    return check


def _escalation(context: Json, path: str) -> Iterator[FieldError]:
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        yield invalid_value(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
    if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
        told = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        yield invalid_value(path, context, told)


def _sysctl_rules(sysctls: Json, path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        name, where = sysctl.get("name") or "", f"{path}[{index}].name"
        if not name:
            continue
        if len(name) > _SYSCTL_MAX_CHARS or not _SYSCTL.fullmatch(name):
            told = f"must have at most {_SYSCTL_MAX_CHARS} characters and match regex ^{_SYSCTL.pattern}$"
            yield invalid_value(where, name, told)
        elif name in seen:
            yield duplicate(where, name)
        seen.add(name)


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
    Field(1, "type", Str(), "Localhost, RuntimeDefault or Unconfined", required=True, rules=(_PROFILE_TYPE,)),
    Field(2, "localhostProfile", Str(), "The file on the node, for type Localhost"),
    rules=(_profile("seccomp"),),
    doc="Which system calls are let through",
)
APP_ARMOR_PROFILE = Struct(
    "AppArmorProfile",
    Field(1, "type", Str(), "Localhost, RuntimeDefault or Unconfined", required=True, rules=(_PROFILE_TYPE,)),
    Field(2, "localhostProfile", Str(), "The profile loaded on the node, for type Localhost"),
    rules=(_profile("AppArmor"),),
    doc="What AppArmor lets through",
)
SECURITY_CONTEXT = Struct(
    "SecurityContext",
    Field(1, "capabilities", CAPABILITIES, "Capabilities to add and drop"),
    Field(2, "privileged", Bool(), "Whether it has all powers of the node"),
    Field(3, "seLinuxOptions", SE_LINUX_OPTIONS, "SELinux labels, instead of the pod's"),
    Field(4, "runAsUser", Int(bits=64), "User id, instead of the image's", rules=(_ID,)),
    Field(5, "runAsNonRoot", Bool(), "Whether running as root is refused"),
    Field(6, "readOnlyRootFilesystem", Bool(), "Whether the root file system is read-only"),
    Field(7, "allowPrivilegeEscalation", Bool(), "Whether a process may get more powers than its parent"),
    Field(8, "runAsGroup", Int(bits=64), "Group id, instead of the image's", rules=(_ID,)),
    Field(9, "procMount", Str(), "Default or Unmasked", rules=(one_of("Default", "Unmasked"),)),
    Field(10, "windowsOptions", WINDOWS_OPTIONS, "What Windows needs to know"),
    Field(11, "seccompProfile", SECCOMP_PROFILE, "Which system calls are let through"),
    Field(12, "appArmorProfile", APP_ARMOR_PROFILE, "What AppArmor lets through"),
    rules=(_escalation,),
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
    Field(2, "runAsUser", Int(bits=64), "User id of all containers, instead of their images'", rules=(_ID,)),
    Field(3, "runAsNonRoot", Bool(), "Whether running as root is refused"),
    Field(
        4, "supplementalGroups", List(Int(bits=64), kind="atomic"), "More groups of the first process of each container", rules=(each(_ID),)
    ),
    Field(5, "fsGroup", Int(bits=64), "Group that owns the pod's volumes", rules=(_ID,)),
    Field(6, "runAsGroup", Int(bits=64), "Group id of all containers, instead of their images'", rules=(_ID,)),
    Field(7, "sysctls", List(SYSCTL, kind="atomic"), "Kernel parameters of the pod", rules=(_sysctl_rules,)),
    Field(8, "windowsOptions", WINDOWS_OPTIONS, "What Windows needs to know"),
    Field(
        9, "fsGroupChangePolicy", Str(), "Always or OnRootMismatch: when volumes change owner", rules=(one_of("Always", "OnRootMismatch"),)
    ),
    Field(10, "seccompProfile", SECCOMP_PROFILE, "Which system calls are let through"),
    Field(11, "appArmorProfile", APP_ARMOR_PROFILE, "What AppArmor lets through"),
    Field(12, "supplementalGroupsPolicy", Str(), "Merge or Strict: whether groups of the image count", rules=(one_of("Merge", "Strict"),)),
    Field(
        13, "seLinuxChangePolicy", Str(), "Recursive or MountOption: how volumes are labelled", rules=(one_of("MountOption", "Recursive"),)
    ),
    doc="What the processes of a pod may do",
)
