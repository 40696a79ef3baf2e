"""What pods may ask for: what is wrong with a PodSecurityPolicy, and what a table shows of it."""

import pytest

from svcsim.kinds.policy.pod_security_policy import POD_SECURITY_POLICY
from tests.kinds.helpers import created, findings, row
from tests.kinds.samples.policy import FULL

ANY = {"rule": "RunAsAny"}
GROUP_RULES = '"MayRunAs", "MustRunAs", "RunAsAny"'
BAD_SYSCTL = r"must have at most 253 characters and match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def policy(**spec):
    return {"spec": {"seLinux": ANY, "runAsUser": ANY, "supplementalGroups": ANY, "fsGroup": ANY, **spec}}


def ids(least, most, rule="MustRunAs"):
    return {"rule": rule, "ranges": [{"min": least, "max": most}]}


def of_each_range(least, most, found):
    """The same of everything that has ranges."""
    return [
        (policy(**{field: ids(least, most)}), [f"spec.{field}.ranges[0].{text}" for text in found])
        for field in ("runAsUser", "runAsGroup", "supplementalGroups", "fsGroup")
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (FULL["policy/v1beta1 PodSecurityPolicy"], []),
        (policy(), []),
        (policy(volumes=["*"]), []),
        (policy(forbiddenSysctls=["*"]), []),
        (
            {"spec": {}},
            [
                'spec.seLinux.rule: Unsupported value: "": supported values: "MustRunAs", "RunAsAny"',
                'spec.runAsUser.rule: Unsupported value: "": supported values: "MustRunAs", "MustRunAsNonRoot", "RunAsAny"',
                f'spec.supplementalGroups.rule: Unsupported value: "": supported values: {GROUP_RULES}',
                f'spec.fsGroup.rule: Unsupported value: "": supported values: {GROUP_RULES}',
            ],
        ),
        (policy(seLinux={"rule": "x"}), ['spec.seLinux.rule: Unsupported value: "x": supported values: "MustRunAs", "RunAsAny"']),
        (policy(runAsGroup={"rule": "x"}), [f'spec.runAsGroup.rule: Unsupported value: "x": supported values: {GROUP_RULES}']),
        (policy(runAsGroup={"rule": "MustRunAs"}), ["spec.runAsGroup.ranges: Invalid value: []: must provide at least one range"]),
        (
            policy(runAsGroup=ids(1, 2, "RunAsAny")),
            ['spec.runAsGroup.ranges: Invalid value: [{"min":1,"max":2}]: Ranges must be empty'],
        ),
        *of_each_range(-1, 1, ["min: Invalid value: -1: min cannot be negative"]),
        *of_each_range(1, -1, ["max: Invalid value: -1: max cannot be negative", "min: Invalid value: 1: min cannot be greater than max"]),
        *of_each_range(2, 1, ["min: Invalid value: 2: min cannot be greater than max"]),
        (
            policy(requiredDropCapabilities=["a"], allowedCapabilities=["*"]),
            ['requiredDropCapabilities: Invalid value: ["a"]: must be empty when all capabilities are allowed by a wildcard'],
        ),
        *(
            (
                policy(**{"requiredDropCapabilities": ["a"], field: ["a"]}),
                [f'{field}: Invalid value: "a": capability is listed in {field} and requiredDropCapabilities'],
            )
            for field in ("defaultAddCapabilities", "allowedCapabilities")
        ),
        (
            policy(defaultAllowPrivilegeEscalation=True, allowPrivilegeEscalation=False),
            [
                (
                    "spec.defaultAllowPrivilegeEscalation: Invalid value: true: Cannot set DefaultAllowPrivilegeEscalation to true "
                    "without also setting AllowPrivilegeEscalation to true"
                )
            ],
        ),
        (policy(allowedHostPaths=[{}]), ["spec.allowedHostPaths[0]: Required value: is required"]),
        (
            policy(allowedHostPaths=[{"pathPrefix": "/a/../b"}]),
            ["spec.allowedHostPaths[0]: Invalid value: \"/a/../b\": must not contain '..'"],
        ),
        (
            policy(allowedHostPaths=[{"pathPrefix": "/a/*"}]),
            ["spec.allowedHostPaths[0]: Invalid value: \"/a/*\": must not contain '*'"],
        ),
        *(
            (policy(**{field: {"rule": "MustRunAs"}}), [f"spec.{field}.ranges: Invalid value: []: must provide at least one range"])
            for field in ("runAsUser", "fsGroup", "supplementalGroups")
        ),
        (policy(seLinux={"rule": "MustRunAs", "seLinuxOptions": {"level": "s0"}}), []),
        (policy(allowedFlexVolumes=[{}]), ["spec.allowedFlexVolumes[0].driver: Required value"]),
        (policy(allowedCSIDrivers=[{"name": ""}]), ["spec.allowedCSIDrivers[0].name: Required value"]),
        (
            policy(allowedProcMountTypes=["Odd"]),
            ['spec.allowedProcMountTypes[0]: Unsupported value: "Odd": supported values: "Default", "Unmasked"'],
        ),
        (policy(allowedUnsafeSysctls=[""]), ['spec.allowedUnsafeSysctls[0]: Invalid value: "": empty sysctl not allowed']),
        (policy(forbiddenSysctls=["_a"]), [f'spec.forbiddenSysctls[0]: Invalid value: "_a": {BAD_SYSCTL}']),
        (policy(forbiddenSysctls=["a" * 254]), [f'spec.forbiddenSysctls[0]: Invalid value: "{"a" * 254}": {BAD_SYSCTL}']),
        (
            policy(allowedUnsafeSysctls=["*", "a"]),
            ["spec.allowedUnsafeSysctls.items: Forbidden: if '*' is present, must not specify other sysctls"],
        ),
        *(
            (
                policy(allowedUnsafeSysctls=[allowed], forbiddenSysctls=[forbidden]),
                [f'spec.{where}[0]: Invalid value: "{value}": sysctl overlaps with {other}'],
            )
            for allowed, forbidden, where, value, other in (
                ("a.b", "a.b", "allowedUnsafeSysctls", "a.b", "a.b"),
                ("a.b", "a.*", "allowedUnsafeSysctls", "a.b", "a.*"),
                ("a.*", "a.b", "forbiddenSysctls", "a.b", "a.*"),
                ("a.b*", "a.*", "allowedUnsafeSysctls", "a.b*", "a.*"),
                ("a.*", "a.b*", "forbiddenSysctls", "a.b*", "a.*"),
            )
        ),
        (policy(runtimeClass={}), ["spec.runtimeClass.allowedRuntimeClassNames: Required value"]),
        (policy(runtimeClass={"allowedRuntimeClassNames": []}), []),
        (policy(runtimeClass={"allowedRuntimeClassNames": ["*"], "defaultRuntimeClassName": "a"}), []),
        (
            policy(runtimeClass={"allowedRuntimeClassNames": ["A_B"]}),
            [f'spec.runtimeClass.allowedRuntimeClassNames[0]: Invalid value: "A_B": {SUBDOMAIN}'],
        ),
        (
            policy(runtimeClass={"allowedRuntimeClassNames": ["a", "a"]}),
            ['spec.runtimeClass.allowedRuntimeClassNames[1]: Duplicate value: "a"'],
        ),
        (
            policy(runtimeClass={"allowedRuntimeClassNames": ["*", "a"]}),
            [
                (
                    'spec.runtimeClass.allowedRuntimeClassNames: Invalid value: ["*","a"]: '
                    "if '*' is present, must not specify other RuntimeClass names"
                )
            ],
        ),
        (
            policy(runtimeClass={"allowedRuntimeClassNames": ["a"], "defaultRuntimeClassName": "b"}),
            ['spec.runtimeClass.allowedRuntimeClassNames: Required value: default runtimeClassName "b" must be allowed'],
        ),
    ],
)
def test_what_is_wrong_with_a_policy(obj, expected):
    assert findings(POD_SECURITY_POLICY, {"metadata": {"name": "p"}, **obj}) == expected


def test_a_volume_type_nobody_knows():
    (found,) = findings(POD_SECURITY_POLICY, policy(volumes=["secret", "odd"]))
    assert found.startswith('spec.volumes: Unsupported value: "odd": supported values: "*", "awsElasticBlockStore", "azureDisk"')


def test_a_new_policy_lets_processes_gain_privileges():
    assert created(POD_SECURITY_POLICY, policy())["spec"]["allowPrivilegeEscalation"] is True


def test_a_policy_in_one_line():
    rules = {"SELinux": "RunAsAny", "RunAsUser": "RunAsAny", "FsGroup": "RunAsAny", "SupGroup": "RunAsAny"}
    assert list(row(POD_SECURITY_POLICY, policy(volumes=["*"])).items()) == list(
        {"Priv": False, "Caps": "", **rules, "ReadOnlyRootFs": False, "Volumes": "*"}.items()
    )
