"""What makes privileges of pods and containers wrong, on each operating system."""

import pytest

from tests.kinds.wrong_pods import CONTAINER, ID, ONE, SUBDOMAIN, WINDOWS, check, pod, with_container

SECURITY = [
    *(
        ({"securityContext": {name: -1}}, [f"securityContext.{name}: Invalid value: -1: {ID}"])
        for name in ("fsGroup", "runAsUser", "runAsGroup")
    ),
    ({"securityContext": {"supplementalGroups": [1, 2**31]}}, [f"securityContext.supplementalGroups[1]: Invalid value: 2147483648: {ID}"]),
    (
        {"securityContext": {"fsGroupChangePolicy": "invalid"}},
        ['securityContext.fsGroupChangePolicy: Unsupported value: "invalid": supported values: "Always", "OnRootMismatch"'],
    ),
    (
        {"securityContext": {"supplementalGroupsPolicy": "x"}},
        ['securityContext.supplementalGroupsPolicy: Unsupported value: "x": supported values: "Merge", "Strict"'],
    ),
    (
        {"securityContext": {"seLinuxChangePolicy": "x"}},
        ['securityContext.seLinuxChangePolicy: Unsupported value: "x": supported values: "MountOption", "Recursive"'],
    ),
    (
        {"securityContext": {"sysctls": [{"name": "A", "value": "1"}]}},
        [
            (
                'securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex '
                "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
            )
        ],
    ),
    (
        {"securityContext": {"sysctls": [{"name": "a.b", "value": "1"}, {"name": "a.b", "value": "2"}]}},
        ['securityContext.sysctls[1].name: Duplicate value: "a.b"'],
    ),
    (
        {"hostNetwork": True, "securityContext": {"sysctls": [{"name": "net.ipv4.ip_forward", "value": "1"}]}},
        ["securityContext.sysctls[0].name: Invalid value: \"net.ipv4.ip_forward\": may not be specified when 'hostNetwork' is true"],
    ),
    (
        {"hostIPC": True, "securityContext": {"sysctls": [{"name": "kernel.shmmax", "value": "1"}]}},
        ["securityContext.sysctls[0].name: Invalid value: \"kernel.shmmax\": may not be specified when 'hostIPC' is true"],
    ),
    ({"securityContext": {"seccompProfile": {}}}, ["securityContext.seccompProfile.type: Required value"]),
    (
        {"securityContext": {"seccompProfile": {"type": "x"}}},
        ['securityContext.seccompProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"'],
    ),
    (
        {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
        ["securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"],
    ),
    (
        {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "/abs"}}},
        ['securityContext.seccompProfile.localhostProfile: Invalid value: "/abs": must be a relative path'],
    ),
    (
        {"securityContext": {"seccompProfile": {"type": "Unconfined", "localhostProfile": "a"}}},
        [
            (
                "securityContext.seccompProfile.localhostProfile: Invalid value: "
                '{"type":"Unconfined","localhostProfile":"a"}: can only be set when seccomp type is Localhost'
            )
        ],
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "Localhost"}}},
        ["securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost"],
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": " a"}}},
        ['securityContext.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "a" * 4096}}},
        ["securityContext.appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes"],
    ),
    (
        {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault", "localhostProfile": "a"}}},
        ['securityContext.appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost'],
    ),
]


@pytest.mark.parametrize(("spec", "expected"), SECURITY)
def test_privileges_of_a_pod(spec, expected):
    check(pod(**spec), [f"spec.{text}" for text in expected])


OF_CONTAINERS = [
    ({"runAsUser": -1}, [f".runAsUser: Invalid value: -1: {ID}"]),
    ({"runAsGroup": -1}, [f".runAsGroup: Invalid value: -1: {ID}"]),
    ({"procMount": "x"}, ['.procMount: Unsupported value: "x": supported values: "Default", "Unmasked"']),
    ({"procMount": "Unmasked"}, ['.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`']),
    (
        {"allowPrivilegeEscalation": False, "privileged": True},
        [
            (
                ': Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: '
                "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            )
        ],
    ),
    (
        {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}},
        [
            (
                ': Invalid value: {"capabilities":{"add":["CAP_SYS_ADMIN"]},"allowPrivilegeEscalation":false}: '
                "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            )
        ],
    ),
    ({"windowsOptions": {"gmsaCredentialSpecName": "A"}}, [f'.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": {SUBDOMAIN}']),
    (
        {"windowsOptions": {"gmsaCredentialSpec": ""}},
        ['.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string'],
    ),
    (
        {"windowsOptions": {"gmsaCredentialSpec": "a" * (64 * 1024 + 1)}},
        [f'.windowsOptions.gmsaCredentialSpec: Invalid value: "{"a" * (64 * 1024 + 1)}": gmsaCredentialSpec size must be under 64 KiB'],
    ),
    *(
        ({"windowsOptions": {"runAsUserName": name}}, [f".windowsOptions.runAsUserName: Invalid value: {quoted}: runAsUserName{why}"])
        for name, quoted, why in (
            ("", '""', " cannot be an empty string"),
            ("a\tb", '"a\\tb"', " cannot contain control characters"),
            ("a\\b\\c", '"a\\\\b\\\\c"', " cannot contain more than one backslash"),
            ("a\\", '"a\\\\"', "'s User cannot be empty"),
            ("...", '"..."', "'s User cannot contain only periods or spaces"),
            ("a?b", '"a?b"', "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"),
            ("a" * 105, f'"{"a" * 105}"', "'s User length must not be longer than 104 characters"),
            (".a\\b", '".a\\\\b"', "'s Domain doesn't match the NetBios nor the DNS format"),
        )
    ),
]


@pytest.mark.parametrize(("fields", "expected"), OF_CONTAINERS)
def test_privileges_of_a_container(fields, expected):
    check(with_container(securityContext=fields), [f"{ONE}.securityContext{text}" for text in expected])


NOT_IDENTICAL = "pod hostProcess value must be identical if both are specified"
HOST = {"windowsOptions": {"hostProcess": True}}
SYSTEMS = [
    (
        {"os": {"name": "linux"}, "securityContext": HOST, "hostNetwork": True},
        ["spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod"],
    ),
    *(
        ({"os": {"name": "windows"}, name: value}, [f"spec.{name}: {WINDOWS}"])
        for name, value in (("hostUsers", True), ("hostPID", True), ("hostIPC", True), ("shareProcessNamespace", True))
    ),
    *(
        ({"os": {"name": "windows"}, "securityContext": {name: value}}, [f"spec.securityContext.{name}: {WINDOWS}"])
        for name, value in (
            ("appArmorProfile", {"type": "Unconfined"}),
            ("seLinuxOptions", {"role": "x"}),
            ("seccompProfile", {"type": "Unconfined"}),
            ("fsGroup", 1),
            ("fsGroupChangePolicy", "Always"),
            ("sysctls", [{"name": "a.b", "value": "1"}]),
            ("runAsUser", 1),
            ("runAsGroup", 1),
            ("supplementalGroups", [1]),
            ("supplementalGroupsPolicy", "Merge"),
            ("seLinuxChangePolicy", "Recursive"),
        )
    ),
    *(
        (
            {"os": {"name": "windows"}, "containers": [{**CONTAINER, "securityContext": {name: value}}]},
            [f"{ONE}.securityContext.{name}: {WINDOWS}"],
        )
        for name, value in (
            ("appArmorProfile", {"type": "Unconfined"}),
            ("seLinuxOptions", {"role": "x"}),
            ("seccompProfile", {"type": "Unconfined"}),
            ("capabilities", {"add": ["A"]}),
            ("readOnlyRootFilesystem", True),
            ("privileged", True),
            ("allowPrivilegeEscalation", True),
            ("procMount", "Default"),
            ("runAsUser", 1),
            ("runAsGroup", 1),
        )
    ),
    (
        {"securityContext": HOST},
        ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
    ),
    (
        {"hostNetwork": True, "containers": [{**CONTAINER, "securityContext": HOST}, {"name": "b", "image": "b"}]},
        ['spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers'],
    ),
    (
        {
            "securityContext": {"windowsOptions": {"hostProcess": False}},
            "hostNetwork": True,
            "containers": [{**CONTAINER, "securityContext": HOST}],
        },
        [f"{ONE}.securityContext.windowsOptions.hostProcess: Invalid value: true: {NOT_IDENTICAL}, was false"],
    ),
]


@pytest.mark.parametrize(("spec", "expected"), SYSTEMS)
def test_operating_systems(spec, expected):
    check(pod(**spec), expected)
