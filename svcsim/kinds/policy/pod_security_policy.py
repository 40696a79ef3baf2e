"""PodSecurityPolicy: what pods may ask for that touches the security of their node. On its way out."""

from svcsim.kinds.groups import POLICY_V1BETA1
from svcsim.kinds.policy.pod_security_policy_rules import (
    group_rules,
    host_path_rules,
    optional_group_rules,
    runtime_rules,
    selinux_rules,
    spec_rules,
    sysctl_rules,
    user_rules,
    volume_rules,
)
from svcsim.kinds.shared.checks import each, one_of
from svcsim.kinds.shared.columns import list_at, text_at, truth_at
from svcsim.kinds.shared.pod_spec.security import SE_LINUX_OPTIONS
from svcsim.kinds.shared.words import PROC_MOUNT
from svcsim.registry.kind import Column, Deprecation, Kind
from svcsim.schema.types import Bool, Field, Int, List, Str, Struct

_NAMES = List(Str())
_RULE = Field(1, "rule", Str(), "What pods may be: any, or those of the ranges", required=True, presence=True, default="")
_ID_RANGE = Struct(
    "IDRange",
    Field(1, "min", Int(bits=64), "First ID", required=True, default=0),
    Field(2, "max", Int(bits=64), "Last ID", required=True, default=0),
    doc="A range of IDs, both ends included",
)
_RANGES = Field(2, "ranges", List(_ID_RANGE), "Ranges of IDs")
_SPEC = Struct(
    "PodSecurityPolicySpec",
    Field(1, "privileged", Bool(), "Whether pods may be privileged", presence=False),
    Field(2, "defaultAddCapabilities", _NAMES, "Capabilities that containers get unless they drop them"),
    Field(3, "requiredDropCapabilities", _NAMES, "Capabilities that containers never get"),
    Field(4, "allowedCapabilities", _NAMES, "Capabilities that containers may ask for; * for all"),
    Field(5, "volumes", _NAMES, "Types of volumes that may be used; * for all, none if empty", rules=(volume_rules,)),
    Field(6, "hostNetwork", Bool(), "Whether pods may be on the node's network", presence=False),
    Field(
        7,
        "hostPorts",
        List(
            Struct(
                "HostPortRange",
                Field(1, "min", Int(), "First port", required=True, default=0),
                Field(2, "max", Int(), "Last port", required=True, default=0),
                doc="A range of ports, both ends included",
            )
        ),
        "Ports of the node that may be used",
    ),
    Field(8, "hostPID", Bool(), "Whether pods may see the node's processes", presence=False),
    Field(9, "hostIPC", Bool(), "Whether pods may talk to the node's processes", presence=False),
    Field(
        10,
        "seLinux",
        Struct(
            "SELinuxStrategyOptions",
            _RULE,
            Field(2, "seLinuxOptions", SE_LINUX_OPTIONS, "Labels that containers must have, with rule MustRunAs"),
            rules=(selinux_rules,),
            doc="SELinux labels that containers may have",
        ),
        "SELinux labels that containers may have",
        required=True,
        default={},
    ),
    Field(
        11,
        "runAsUser",
        Struct("RunAsUserStrategyOptions", _RULE, _RANGES, rules=(user_rules,), doc="Users that containers may be"),
        "Users that containers may be",
        required=True,
        default={},
    ),
    Field(
        22,
        "runAsGroup",
        Struct("RunAsGroupStrategyOptions", _RULE, _RANGES, rules=(optional_group_rules,), doc="Groups that containers may be of"),
        "Groups that containers may be of; any if unset",
    ),
    Field(
        12,
        "supplementalGroups",
        Struct("SupplementalGroupsStrategyOptions", _RULE, _RANGES, rules=(group_rules,), doc="Groups that containers may also be of"),
        "Groups that containers may also be of",
        required=True,
        default={},
    ),
    Field(
        13,
        "fsGroup",
        Struct("FSGroupStrategyOptions", _RULE, _RANGES, rules=(group_rules,), doc="Groups that volumes may be of"),
        "Groups that volumes may be of",
        required=True,
        default={},
    ),
    Field(14, "readOnlyRootFilesystem", Bool(), "Whether containers must not write to their root file system", presence=False),
    Field(15, "defaultAllowPrivilegeEscalation", Bool(), "Whether processes may gain privileges, where a container doesn't say"),
    Field(16, "allowPrivilegeEscalation", Bool(), "Whether containers may ask to gain privileges", default=True),
    Field(
        17,
        "allowedHostPaths",
        List(
            Struct(
                "AllowedHostPath",
                Field(1, "pathPrefix", Str(), "Path; all below it is meant, too"),
                Field(2, "readOnly", Bool(), "Whether it may only be read", presence=False),
                doc="A path on the node",
            )
        ),
        "Paths on the node that may be used; all if empty",
        rules=(host_path_rules,),
    ),
    Field(
        18,
        "allowedFlexVolumes",
        List(Struct("AllowedFlexVolume", Field(1, "driver", Str(), "Name of the driver", required=True), doc="A driver of Flex volumes")),
        "Drivers of Flex volumes that may be used; all if empty",
    ),
    Field(
        23,
        "allowedCSIDrivers",
        List(Struct("AllowedCSIDriver", Field(1, "name", Str(), "Name of the driver", required=True), doc="A CSI driver")),
        "CSI drivers of inline volumes that may be used; all if empty",
    ),
    Field(19, "allowedUnsafeSysctls", _NAMES, "Unsafe sysctls that may be set; a trailing * stands for any end", rules=(sysctl_rules,)),
    Field(20, "forbiddenSysctls", _NAMES, "Sysctls that may not be set; a trailing * stands for any end", rules=(sysctl_rules,)),
    Field(
        21,
        "allowedProcMountTypes",
        List(PROC_MOUNT),
        "Ways to mount /proc that may be used; the default alone if empty",
        rules=(each(one_of(*PROC_MOUNT.values)),),
    ),
    Field(
        24,
        "runtimeClass",
        Struct(
            "RuntimeClassStrategyOptions",
            Field(1, "allowedRuntimeClassNames", _NAMES, "Names of RuntimeClasses; * for all", required=True, presence=True),
            Field(2, "defaultRuntimeClassName", Str(), "RuntimeClass of pods that name none", presence=True),
            rules=(runtime_rules,),
            doc="RuntimeClasses that pods may be of",
        ),
        "RuntimeClasses that pods may be of; any if unset",
    ),
    rules=(spec_rules,),
    doc="What pods may ask for",
)
POD_SECURITY_POLICY = Kind(
    POLICY_V1BETA1,
    "podsecuritypolicies",
    Struct(
        "PodSecurityPolicy",
        Field(2, "spec", _SPEC, "What pods may ask for", default={}),
        doc="What pods may ask for that touches the security of their node (deprecated)",
    ),
    short=("psp",),
    namespaced=False,
    columns=(
        Column("Priv", truth_at("spec.privileged"), doc="Whether pods may be privileged"),
        Column("Caps", list_at("spec.allowedCapabilities"), doc="Capabilities that containers may ask for"),
        Column("SELinux", text_at("spec.seLinux.rule"), doc="SELinux labels that containers may have"),
        Column("RunAsUser", text_at("spec.runAsUser.rule"), doc="Users that containers may be"),
        Column("FsGroup", text_at("spec.fsGroup.rule"), doc="Groups that volumes may be of"),
        Column("SupGroup", text_at("spec.supplementalGroups.rule"), doc="Groups that containers may also be of"),
        Column("ReadOnlyRootFs", truth_at("spec.readOnlyRootFilesystem"), doc="Whether the root file system is only read"),
        Column("Volumes", list_at("spec.volumes"), doc="Types of volumes that may be used"),
    ),
    deletes_to_object=True,
    deprecated=Deprecation("1.21", gone="1.25"),
    served=True,
)
