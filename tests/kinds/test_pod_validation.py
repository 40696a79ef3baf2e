"""What makes a pod and its containers wrong, each with path, reason and words."""

import pytest

from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import findings
from tests.kinds.wrong_pods import (
    ADDRESS,
    CONTAINER,
    EPHEMERAL,
    LABEL,
    LABEL_VALUE,
    ONE,
    QUALIFIED,
    SEARCH,
    SUBDOMAIN,
    check,
    of_one,
    pod,
    with_container,
)

SPECS = [
    (
        {"restartPolicy": "unknowpolicy"},
        ['restartPolicy: Unsupported value: "unknowpolicy": supported values: "Always", "OnFailure", "Never"'],
    ),
    ({"preemptionPolicy": "x"}, ['preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"']),
    ({"serviceAccountName": "invalidName"}, [f'serviceAccountName: Invalid value: "invalidName": {SUBDOMAIN}']),
    ({"nodeName": "A"}, [f'nodeName: Invalid value: "A": {SUBDOMAIN}']),
    ({"hostname": "A"}, [f'hostname: Invalid value: "A": {LABEL}']),
    ({"hostname": "a" * 64}, [f'hostname: Invalid value: "{"a" * 64}": must be no more than 63 characters']),
    ({"subdomain": "a.b"}, ['subdomain: Invalid value: "a.b": must not contain dots']),
    ({"priorityClassName": "A"}, [f'priorityClassName: Invalid value: "A": {SUBDOMAIN}']),
    ({"runtimeClassName": "A"}, [f'runtimeClassName: Invalid value: "A": {SUBDOMAIN}']),
    ({"nodeSelector": {"a b": "c"}}, [f'nodeSelector: Invalid value: "a b": name part {QUALIFIED}']),
    ({"nodeSelector": {"a": "b c"}}, [f'nodeSelector: Invalid value: "b c": {LABEL_VALUE}']),
    ({"activeDeadlineSeconds": 0}, ["activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"]),
    (
        {"activeDeadlineSeconds": 2**31},
        ["activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive"],
    ),
    (
        {"hostAliases": [{"ip": "999.999.999.999", "hostnames": ["a.b"]}]},
        [f'hostAliases[0].ip: Invalid value: "999.999.999.999": {ADDRESS}'],
    ),
    (
        {"hostAliases": [{"ip": "10.0.0.1", "hostnames": ["@#$^#@#$"]}]},
        [f'hostAliases[0].hostnames[0]: Invalid value: "@#$^#@#$": {SUBDOMAIN}'],
    ),
    ({"readinessGates": [{"conditionType": "a b"}]}, [f'readinessGates[0].conditionType: Invalid value: "a b": name part {QUALIFIED}']),
    ({"schedulingGates": [{"name": "a b"}]}, [f'schedulingGates[0]: Invalid value: "a b": name part {QUALIFIED}']),
    ({"schedulingGates": [{"name": "a"}, {"name": "a"}]}, ['schedulingGates[1]: Duplicate value: "a"']),
    (
        {"schedulingGates": [{"name": "a"}], "nodeName": "n"},
        ["nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
    ),
    ({"ephemeralContainers": [{"name": "e", "image": "e"}]}, ["ephemeralContainers: Forbidden: cannot be set on create"]),
    (
        {"hostUsers": False, "hostNetwork": True},
        ["hostNetwork: Forbidden: when `hostUsers` is false, hostNetwork cannot be set to true"],
    ),
    ({"hostUsers": False, "hostPID": True}, ["hostPID: Forbidden: when `hostUsers` is false, HostPID cannot be set to true"]),
    ({"hostUsers": False, "hostIPC": True}, ["hostIPC: Forbidden: when `hostUsers` is false, HostIPC cannot be set to true"]),
    (
        {"hostPID": True, "shareProcessNamespace": True},
        ["shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"],
    ),
    ({"os": {}}, ["os.name: Required value"]),
    ({"os": {"name": "dummyOS"}}, ['os: Unsupported value: "dummyOS": supported values: "linux", "windows"']),
    ({"overhead": {"cpu": "-1"}}, ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0']),
    (
        {"overhead": {"invalid": "1"}},
        [
            'overhead.limits[invalid]: Invalid value: "invalid": must be a standard resource type or fully qualified',
            'overhead.limits[invalid]: Invalid value: "invalid": must be a standard resource for containers',
        ],
    ),
    ({"hostnameOverride": "A"}, [f'hostnameOverride: Invalid value: "A": {SUBDOMAIN}']),
    ({"hostnameOverride": "a" * 65}, ["hostnameOverride: Too long: may not be more than 64 bytes"]),
    ({"hostnameOverride": "a", "hostNetwork": True}, ["hostnameOverride: Forbidden: may not be set when hostNetwork is true"]),
    ({"hostnameOverride": "a", "setHostnameAsFQDN": True}, ["hostnameOverride: Forbidden: may not be set when setHostnameAsFQDN is true"]),
]


@pytest.mark.parametrize(("spec", "expected"), SPECS)
def test_a_pod_as_a_whole(spec, expected):
    check(pod(**spec), [f"spec.{text}" for text in expected])


CONTAINERS = [
    ({"name": ""}, ["name: Required value"]),
    ({"name": "abc.123"}, ['name: Invalid value: "abc.123": must not contain dots']),
    ({"name": "a" * 64}, [f'name: Invalid value: "{"a" * 64}": must be no more than 63 characters']),
    ({"image": ""}, ["image: Required value"]),
    ({"image": "a "}, ['image: Invalid value: "a ": must not have leading or trailing whitespace']),
    ({"imagePullPolicy": "x"}, ['imagePullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never"']),
    (
        {"terminationMessagePolicy": "x"},
        ['terminationMessagePolicy: Unsupported value: "x": supported values: "FallbackToLogsOnError", "File"'],
    ),
    ({"restartPolicy": "Unknown"}, ['restartPolicy: Unsupported value: "Unknown": supported values: "Always", "Never", "OnFailure"']),
    (
        {"restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]},
        ["restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
    ),
    (
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart"}]},
        ["restartPolicyRules[0].exitCodes: Required value: must be specified"],
    ),
    (
        {"restartPolicy": "Never", "restartPolicyRules": [{"exitCodes": {"operator": "In"}}]},
        ["restartPolicyRules[0].action: Required value"],
    ),
    (
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Stop", "exitCodes": {"operator": "Near", "values": [1]}}]},
        [
            'restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
            'restartPolicyRules[0].exitCodes.operator: Unsupported value: "Near": supported values: "In", "NotIn"',
        ],
    ),
    (
        {
            "restartPolicy": "Never",
            "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": list(range(256))}}],
        },
        ["restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items"],
    ),
    (
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In"}}] * 21},
        ["restartPolicyRules: Too many: 21: must have at most 20 items"],
    ),
    (
        {"resizePolicy": [{"resourceName": "cpuuu", "restartPolicy": "NotRequired"}]},
        ['resizePolicy: Unsupported value: "cpuuu": supported values: "cpu", "memory"'],
    ),
    (
        {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "Restarrrt"}]},
        ['resizePolicy: Unsupported value: "Restarrrt": supported values: "NotRequired", "RestartContainer"'],
    ),
    (
        {
            "resizePolicy": [
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
            ]
        },
        ['resizePolicy[1]: Duplicate value: "cpu"'],
    ),
    ({"resizePolicy": [{"restartPolicy": "NotRequired"}]}, ["resizePolicy[0].resourceName: Required value"]),
    ({"resizePolicy": [{"resourceName": "cpu"}]}, ["resizePolicy[0].restartPolicy: Required value"]),
]


@pytest.mark.parametrize(("fields", "expected"), CONTAINERS)
def test_a_container(fields, expected):
    check(with_container(**fields), of_one(expected))


PORTS = [
    ({"name": "a" * 16, "containerPort": 80}, [f'name: Invalid value: "{"a" * 16}": must be no more than 15 characters']),
    (
        {"name": "a.b.c", "containerPort": 80},
        ['name: Invalid value: "a.b.c": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    ),
    ({"name": "80", "containerPort": 80}, ['name: Invalid value: "80": must contain at least one letter (a-z)']),
    ({"name": "a--b", "containerPort": 80}, ['name: Invalid value: "a--b": must not contain consecutive hyphens']),
    ({"name": "a-", "containerPort": 80}, ['name: Invalid value: "a-": must not begin or end with a hyphen']),
    ({"containerPort": 0}, ["containerPort: Required value"]),
    ({"containerPort": 65536}, ["containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive"]),
    ({"containerPort": 80, "hostPort": 65536}, ["hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive"]),
    ({"containerPort": 80, "protocol": "tcp"}, ['protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"']),
]


@pytest.mark.parametrize(("port", "expected"), PORTS)
def test_a_port(port, expected):
    check(with_container(ports=[port]), of_one([f"ports[0].{text}" for text in expected]))


def test_ports_of_the_node_are_taken_once():
    taken = {**CONTAINER, "ports": [{"containerPort": 80, "hostPort": 80}]}
    check(pod(containers=[taken, {**taken, "name": "b"}]), ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'])
    check(pod(initContainers=[{**taken, "name": "b"}, {**taken, "name": "c"}]), [])
    twice = {**taken, "name": "b", "ports": taken["ports"] + [{"containerPort": 81, "hostPort": 80}]}
    check(pod(initContainers=[twice]), ['spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//80"'])
    other = {**taken, "name": "b", "ports": [{"containerPort": 80, "hostPort": 80, "hostIP": "1.2.3.4"}]}
    check(pod(containers=[taken, other]), [])


PROBES = [
    ({"livenessProbe": {}}, ["livenessProbe: Required value: must specify a handler type"]),
    ({"startupProbe": {"tcpSocket": {"port": 80}, "successThreshold": 2}}, ["startupProbe.successThreshold: Invalid value: 2: must be 1"]),
    (
        {"readinessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 1}},
        ["readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes"],
    ),
    (
        {"livenessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 0}},
        ["livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0"],
    ),
    *(
        (
            {"readinessProbe": {"tcpSocket": {"port": 80}, name: -1}},
            [f"readinessProbe.{name}: Invalid value: -1: must be greater than or equal to 0"],
        )
        for name in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
    ),
    ({"livenessProbe": {"httpGet": {}}}, ["livenessProbe.httpGet.port: Required value"]),
    (
        {"livenessProbe": {"httpGet": {"port": 65536}}},
        ["livenessProbe.httpGet.port: Invalid value: 65536: must be between 1 and 65535, inclusive"],
    ),
    (
        {"livenessProbe": {"httpGet": {"port": 80, "scheme": "FTP"}}},
        ['livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"'],
    ),
    (
        {"livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "Host:", "value": "a"}]}}},
        [
            (
                'livenessProbe.httpGet.httpHeaders: Invalid value: "Host:": a valid HTTP header must consist of alphanumeric characters or '
                "'-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
            )
        ],
    ),
    ({"livenessProbe": {"grpc": {"port": 0}}}, ["livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"]),
    (
        {"lifecycle": {"preStop": {"exec": {"command": ["ls"]}, "tcpSocket": {"port": 80}}}},
        ["lifecycle.preStop.tcpSocket: Forbidden: may not specify more than 1 handler type"],
    ),
    ({"lifecycle": {"postStart": {"exec": {}}}}, ["lifecycle.postStart.exec.command: Required value"]),
    (
        {"lifecycle": {"preStop": {"sleep": {"seconds": -1}}}},
        ["lifecycle.preStop.sleep: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (30)"],
    ),
    (
        {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
        ["lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)"],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), PROBES)
def test_probes_and_hooks(fields, expected):
    check(with_container(**fields), of_one(expected))


INIT = [
    (
        {name: {"tcpSocket": {"port": 80}}},
        [f"{name}: Forbidden: may not be set for init containers without restartPolicy=Always"],
    )
    for name in ("livenessProbe", "readinessProbe", "startupProbe")
] + [
    (
        {"lifecycle": {"preStop": {"exec": {"command": ["ls"]}}}},
        ["lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always"],
    ),
    ({"name": "a"}, ['name: Duplicate value: "a"']),
    ({"restartPolicy": "Always", "livenessProbe": {}}, ["livenessProbe: Required value: must specify a handler type"]),
    ({"restartPolicy": "foo"}, ['restartPolicy: Unsupported value: "foo": supported values: "Always", "Never", "OnFailure"']),
    ({"image": " a"}, ['image: Invalid value: " a": must not have leading or trailing whitespace']),
]


@pytest.mark.parametrize(("fields", "expected"), INIT)
def test_an_init_container(fields, expected):
    check(pod(initContainers=[{"name": "i", "image": "i", **fields}]), [f"spec.initContainers[0].{text}" for text in expected])


EPHEMERALS = [
    ({"name": "a"}, ['name: Duplicate value: "a"']),
    ({"image": ""}, ["image: Required value"]),
    ({"image": " a "}, ['image: Invalid value: " a ": must not have leading or trailing whitespace']),
    ({"targetContainerName": "bogus"}, ['targetContainerName: Not found: "bogus"']),
    ({"ports": [{"containerPort": 80}]}, [f"ports: {EPHEMERAL}"]),
    ({"resources": {"limits": {"cpu": "1"}}}, [f"resources: {EPHEMERAL}"]),
    ({"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]}, [f"resizePolicy: {EPHEMERAL}"]),
    ({"restartPolicy": "Always"}, [f"restartPolicy: {EPHEMERAL}"]),
    ({"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}, [f"lifecycle: {EPHEMERAL}"]),
    ({"livenessProbe": {"tcpSocket": {"port": 80}}}, [f"livenessProbe: {EPHEMERAL}"]),
    ({"readinessProbe": {"tcpSocket": {"port": 80}}}, [f"readinessProbe: {EPHEMERAL}"]),
    ({"startupProbe": {"tcpSocket": {"port": 80}}}, [f"startupProbe: {EPHEMERAL}"]),
    ({"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "x"}]}, [f"volumeMounts[0].subPath: {EPHEMERAL}"]),
    ({"volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]}, [f"volumeMounts[0].subPathExpr: {EPHEMERAL}"]),
]


@pytest.mark.parametrize(("fields", "expected"), EPHEMERALS)
def test_an_ephemeral_container(fields, expected):
    obj = pod(ephemeralContainers=[{"name": "e", "image": "e", **fields}], volumes=[{"name": "v"}])
    of_the_spec = [text for text in findings(POD, obj) if not text.endswith("cannot be set on create")]
    assert of_the_spec == [f"spec.ephemeralContainers[0].{text}" for text in expected]


DNS = [
    ({"dnsPolicy": "None"}, [": Required value: must provide `dnsConfig` when `dnsPolicy` is None"]),
    (
        {"dnsPolicy": "None", "dnsConfig": {"searches": ["a"]}},
        [".nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"],
    ),
    (
        {"dnsConfig": {"nameservers": ["1.1.1.1"] * 4}},
        ['.nameservers: Invalid value: ["1.1.1.1","1.1.1.1","1.1.1.1","1.1.1.1"]: must not have more than 3 nameservers'],
    ),
    ({"dnsConfig": {"nameservers": ["invalid"]}}, [f'.nameservers[0]: Invalid value: "invalid": {ADDRESS}']),
    ({"dnsConfig": {"searches": ["A"]}}, [f'.searches[0]: Invalid value: "A": {SEARCH}']),
    ({"dnsConfig": {"searches": [".", "_tcp.example.com", "a."]}}, []),
    ({"dnsConfig": {"options": [{"value": "x"}]}}, [".options[0]: Required value: must not be empty"]),
]


@pytest.mark.parametrize(("spec", "expected"), DNS)
def test_dns_settings(spec, expected):
    check(pod(**spec), [f"spec.dnsConfig{text}" for text in expected])


def test_dns_settings_have_an_end():
    (many,) = findings(POD, pod(dnsConfig={"searches": ["a"] * 33}))
    assert many.endswith("must not have more than 32 search paths")
    (long,) = findings(POD, pod(dnsConfig={"searches": ["a" * 63 + "." + "b" * 63 + "." + "c" * 63] * 11}))
    assert long.endswith("must not have more than 2048 characters (including spaces) in the search list")


def test_a_template_has_no_ephemeral_containers():
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [CONTAINER], "ephemeralContainers": [{"name": "e", "image": "e"}]},
    }
    assert findings(DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}) == [
        "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"
    ]


def test_a_template_may_leave_its_image_open():
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{**CONTAINER, "image": " "}]}}
    assert findings(DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}) == []
    check(with_container(image=" "), [f'{ONE}.image: Invalid value: " ": must not have leading or trailing whitespace'])
