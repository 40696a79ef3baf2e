"""What a new pod is refused for, in Kubernetes' words: the parts of its spec one after the other, and its annotations."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import context, findings

CONTAINER = {"name": "a", "image": "a:1"}
ONE = "spec.containers[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
SEARCH = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
EPHEMERAL = "Forbidden: cannot be set for an Ephemeral Container"
WINDOWS = "Forbidden: cannot be set for a windows pod"
BYTES = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
ID = "must be between 0 and 2147483647, inclusive"


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER], **spec}}


def with_container(**fields):
    return pod(containers=[{**CONTAINER, **fields}])


def check(obj, expected):
    assert findings(POD, obj) == expected


def of_one(texts):
    return [f"{ONE}.{text}" for text in texts]


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


CLAIMED = {"name": "c", "persistentVolumeClaim": {"claimName": "c"}}
MOUNTS = [
    ({"volumeMounts": [{"mountPath": "/a"}]}, ["volumeMounts[0].name: Required value"]),
    ({"volumeMounts": [{"name": "v"}]}, ["volumeMounts[0].mountPath: Required value"]),
    ({"volumeMounts": [{"name": "w", "mountPath": "/a"}]}, ['volumeMounts[0].name: Not found: "w"']),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "/abs"}]},
        ['volumeMounts[0].subPath: Invalid value: "/abs": must be a relative path'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "a/.."}]},
        ["volumeMounts[0].subPath: Invalid value: \"a/..\": must not contain '..'"],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "a", "subPathExpr": "$(A)"}]},
        ['volumeMounts[0].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive'],
    ),
    (
        {"volumeMounts": [{"name": "i", "mountPath": "/a", "subPath": "x"}]},
        ['volumeMounts[0].subPath: Invalid value: "x": not allowed in image volume sources'],
    ),
    (
        {"volumeMounts": [{"name": "i", "mountPath": "/a", "subPathExpr": "x"}]},
        ['volumeMounts[0].subPathExpr: Invalid value: "x": not allowed in image volume sources'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "mountPropagation": "Unknown"}]},
        ['volumeMounts[0].mountPropagation: Unsupported value: "Unknown": supported values: "Bidirectional", "HostToContainer", "None"'],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled"}]},
        ["volumeMounts[0].recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
    ),
    (
        {
            "volumeMounts": [
                {"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled", "readOnly": True, "mountPropagation": "HostToContainer"}
            ]
        },
        ["volumeMounts[0].recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified"],
    ),
    (
        {"volumeMounts": [{"name": "v", "mountPath": "/a", "recursiveReadOnly": "x"}]},
        ['volumeMounts[0].recursiveReadOnly: Unsupported value: "x": supported values: "Disabled", "Enabled", "IfPossible"'],
    ),
    ({"volumeDevices": [{"name": "w", "devicePath": "/a"}]}, ['volumeDevices[0].name: Not found: "w"']),
    (
        {"volumeDevices": [{"name": "v", "devicePath": "/a"}]},
        ['volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'],
    ),
    ({"volumeDevices": [{"name": "c"}]}, ["volumeDevices[0].devicePath: Required value"]),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a/.."}]},
        ["volumeDevices[0].devicePath: Invalid value: \"/a/..\": can not contain backsteps ('..')"],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}, {"name": "c", "devicePath": "/a"}]},
        [
            'volumeDevices[1].name: Invalid value: "c": must be unique',
            'volumeDevices[1].devicePath: Invalid value: "/a": must be unique',
        ],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}], "volumeMounts": [{"name": "c", "mountPath": "/b"}]},
        [
            'volumeMounts[0].name: Invalid value: "c": must not already exist in volumeDevices',
            'volumeDevices[0].name: Invalid value: "c": must not already exist in volumeMounts',
        ],
    ),
    (
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}], "volumeMounts": [{"name": "v", "mountPath": "/a"}]},
        [
            'volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
            'volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts',
        ],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), MOUNTS)
def test_mounts_and_devices(fields, expected):
    volumes = [{"name": "v"}, CLAIMED, {"name": "i", "image": {"reference": "r"}}]
    check(pod(containers=[{**CONTAINER, **fields}], volumes=volumes), of_one(expected))


AMOUNTS = [
    ({"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "1Gi"}}, [": Forbidden: HugePages require cpu or memory"]),
    (
        {"requests": {"cpu": "1", "hugepages-2Mi": "1Gi"}, "limits": {"cpu": "1", "hugepages-2Mi": "2Gi"}},
        ['.requests: Invalid value: "1Gi": must be equal to hugepages-2Mi limit of 2Gi'],
    ),
    (
        {"requests": {"cpu": "1", "hugepages-2Mi": "5Mi"}, "limits": {"cpu": "1", "hugepages-2Mi": "5Mi"}},
        [
            '.limits[hugepages-2Mi]: Invalid value: "5Mi": 5Mi is not positive integer multiple of hugepages-2Mi',
            '.requests[hugepages-2Mi]: Invalid value: "5Mi": 5Mi is not positive integer multiple of hugepages-2Mi',
        ],
    ),
    (
        {"requests": {"example.com/a": "500m"}, "limits": {"example.com/a": "500m"}},
        [
            '.limits[example.com/a]: Invalid value: "500m": must be an integer',
            '.requests[example.com/a]: Invalid value: "500m": must be an integer',
        ],
    ),
    (
        {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}},
        ['.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi'],
    ),
    ({"claims": [{"name": "x"}]}, ['.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims: c1, c2']),
    ({"claims": [{"name": "c1"}, {"name": "c1"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1", "request": "r"}, {"name": "c1", "request": "r"}]}, ['.claims[1]: Duplicate value: "c1/r"']),
    ({"claims": [{"name": "c1", "request": "r"}, {"name": "c1"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1"}, {"name": "c1", "request": "r"}]}, ['.claims[1]: Duplicate value: "c1"']),
    ({"claims": [{"name": "c1", "request": "*$@%^"}]}, [f'.claims[0].request: Invalid value: "*$@%^": {LABEL}']),
]


@pytest.mark.parametrize(("resources", "expected"), AMOUNTS)
def test_amounts_and_claims_of_a_container(resources, expected):
    claims = [{"name": name, "resourceClaimName": name} for name in ("c2", "c1")]
    obj = pod(containers=[{**CONTAINER, "resources": resources}], resourceClaims=claims)
    check(obj, [f"{ONE}.resources{text}" for text in expected])


def test_claims_of_a_container_in_a_pod_without():
    check(
        with_container(resources={"claims": [{"name": "x"}]}),
        [f'{ONE}.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty'],
    )


ONE_CLAIM = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
TWO_CLAIMS = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
CLAIMS = [
    ([{"resourceClaimName": "a"}], ["[0].name: Required value"]),
    ([{"name": "../c", "resourceClaimName": "a"}], [f'[0].name: Invalid value: "../c": {LABEL}']),
    ([{"name": "c"}], [f'[0]: Invalid value: {{"name":"c"}}: {ONE_CLAIM}']),
    (
        [{"name": "c", "resourceClaimName": "a", "resourceClaimTemplateName": "b"}],
        [f'[0]: Invalid value: {{"name":"c","resourceClaimName":"a","resourceClaimTemplateName":"b"}}: {TWO_CLAIMS}'],
    ),
    ([{"name": "c", "resourceClaimName": ".foo"}], [f'[0].resourceClaimName: Invalid value: ".foo": {SUBDOMAIN}']),
    ([{"name": "c", "resourceClaimTemplateName": ".foo"}], [f'[0].resourceClaimTemplateName: Invalid value: ".foo": {SUBDOMAIN}']),
    ([{"name": "c", "resourceClaimName": "a"}, {"name": "c", "resourceClaimName": "b"}], ['[1].name: Duplicate value: "c"']),
]


@pytest.mark.parametrize(("claims", "expected"), CLAIMS)
def test_claims_of_a_pod(claims, expected):
    check(pod(resourceClaims=claims), [f"spec.resourceClaims{text}" for text in expected])


OF_PODS = [
    (
        {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}},
        ['requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
    ),
    (
        {"requests": {"cpu": "4"}, "limits": {"cpu": "2500m"}},
        [
            'requests: Invalid value: "4": must be less than or equal to cpu limit of 2500m',
            'containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2500m',
        ],
    ),
    (
        {"requests": {"cpu": "4", "example.com/a": "1"}, "limits": {"cpu": "4", "example.com/a": "1"}},
        [
            'limits[example.com/a]: Unsupported value: "example.com/a": supported values: "cpu", "memory"',
            'requests[example.com/a]: Unsupported value: "example.com/a": supported values: "cpu", "memory"',
        ],
    ),
    ({"requests": {"cpu": "4"}, "claims": [{"name": "c"}]}, ["claims: Forbidden: claims cannot be set for Resources at pod-level"]),
]


@pytest.mark.parametrize(("resources", "expected"), OF_PODS)
def test_resources_of_a_whole_pod(resources, expected):
    held = {**CONTAINER, "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}}}
    check(pod(containers=[held], resources=resources), [f"spec.resources.{text}" for text in expected])


def test_sidecars_and_init_containers_count_in_what_a_pod_asks_for():
    asks = {"resources": {"requests": {"cpu": "1"}}, "image": "i"}
    obj = pod(
        containers=[{**asks, "name": "a"}],
        initContainers=[{**asks, "name": "s", "restartPolicy": "Always"}, {**asks, "name": "i", "resources": {"requests": {"cpu": "5"}}}],
        resources={"requests": {"cpu": "2"}},
    )
    check(obj, ['spec.resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate container requests of 6'])


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
            ("a\tb", '"a\tb"', " cannot contain control characters"),
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


def test_a_pod_that_never_restarts_does_not_for_a_resize():
    resized = {**CONTAINER, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}
    check(
        pod(containers=[resized], restartPolicy="Never"),
        [f"{ONE}.resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'"],
    )


DIVISORS = [
    ("limits.cpu", "10m", "only divisor's values 1m and 1 are supported with the cpu resource"),
    ("requests.memory", "10Mi", f"only divisor's values {BYTES} are supported with the memory resource"),
    ("limits.ephemeral-storage", "2", f"only divisor's values {BYTES} are supported with the local ephemeral storage resource"),
    ("requests.hugepages-2Mi", "10Mi", f"only divisor's values {BYTES} are supported with the hugepages resource"),
]


@pytest.mark.parametrize(("resource", "divisor", "detail"), DIVISORS)
def test_units_of_amounts(resource, divisor, detail):
    env = [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": resource, "divisor": divisor}}}]
    check(with_container(env=env), [f'{ONE}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "{resource}": {detail}'])


NODE_TERMS = [
    (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
        ["matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ),
    (
        {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-1"]}]},
        [f'matchExpressions[0].values[0]: Invalid value: "-1": {LABEL_VALUE}'],
    ),
    (
        {"matchExpressions": [{"key": "a b", "operator": "Exists"}]},
        [f'matchExpressions[0].key: Invalid value: "a b": name part {QUALIFIED}'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "Exists"}]},
        ['matchFields[0].operator: Invalid value: "Exists": not a valid selector operator'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]},
        ["matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"],
    ),
    (
        {"matchFields": [{"key": "metadata.namespace", "operator": "In", "values": ["a"]}]},
        ['matchFields[0].key: Invalid value: "metadata.namespace": not a valid field selector key'],
    ),
    (
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["A"]}]},
        [f'matchFields[0].values[0]: Invalid value: "A": {SUBDOMAIN}'],
    ),
]


@pytest.mark.parametrize(("term", "expected"), NODE_TERMS)
def test_terms_for_nodes(term, expected):
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    where = f"spec.affinity.nodeAffinity.{required}.nodeSelectorTerms[0]"
    check(pod(affinity={"nodeAffinity": {required: {"nodeSelectorTerms": [term]}}}), [f"{where}.{text}" for text in expected])


def test_a_preference_may_be_for_a_value_that_no_label_has():
    term = {"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-1"]}]}}
    check(pod(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}), [])
    check(
        pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}),
        [
            (
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: "
                "must have at least one node selector term"
            )
        ],
    )


SELECTOR = {"matchLabels": {"app": "a"}}
POD_TERMS = [
    ({"namespaces": ["ns a"]}, [f'namespace: Invalid value: "ns a": {LABEL}']),
    ({"labelSelector": None, "matchLabelKeys": ["k"]}, ["matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"]),
    (
        {"labelSelector": None, "mismatchLabelKeys": ["k"]},
        ["mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
    ),
    ({"matchLabelKeys": ["/simple"]}, ['matchLabelKeys[0]: Invalid value: "/simple": prefix part must be non-empty']),
    (
        {"matchLabelKeys": ["k"], "mismatchLabelKeys": ["k"]},
        ['matchLabelKeys[0]: Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys'],
    ),
    (
        {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
        ['labelSelector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), POD_TERMS)
def test_terms_for_pods(fields, expected):
    term = {"topologyKey": "zone", "labelSelector": SELECTOR, **fields}
    where = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
    check(
        pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}), [f"{where}.{text}" for text in expected]
    )


SPREADS = [
    ({"maxSkew": 0}, ["maxSkew: Invalid value: 0: must be greater than zero"]),
    ({"topologyKey": ""}, ["topologyKey: Required value: can not be empty"]),
    ({"whenUnsatisfiable": "N/A"}, ['whenUnsatisfiable: Unsupported value: "N/A": supported values: "DoNotSchedule", "ScheduleAnyway"']),
    ({"minDomains": -1}, ["minDomains: Invalid value: -1: must be greater than zero"]),
    (
        {"minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"},
        ["minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"],
    ),
    ({"nodeAffinityPolicy": "N/A"}, ['nodeAffinityPolicy: Unsupported value: "N/A": supported values: "Honor", "Ignore"']),
    ({"nodeTaintsPolicy": "N/A"}, ['nodeTaintsPolicy: Unsupported value: "N/A": supported values: "Honor", "Ignore"']),
    ({"matchLabelKeys": ["app"]}, ['matchLabelKeys[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector']),
    (
        {"labelSelector": None, "matchLabelKeys": ["app"]},
        ["matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
    ),
    ({"matchLabelKeys": ["/a"]}, ['matchLabelKeys[0]: Invalid value: "/a": prefix part must be non-empty']),
]


@pytest.mark.parametrize(("fields", "expected"), SPREADS)
def test_spreading(fields, expected):
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR, **fields}
    check(pod(topologySpreadConstraints=[constraint]), [f"spec.topologySpreadConstraints[0].{text}" for text in expected])


TOLERATIONS = [
    ({"key": "nospecialchars^=@", "operator": "Equal"}, [f'key: Invalid value: "nospecialchars^=@": name part {QUALIFIED}']),
    ({"key": "a", "operator": "In"}, ['operator: Unsupported value: "In": supported values: "Equal", "Exists"']),
    ({"key": "a", "operator": "Exists", "value": "v"}, ["operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'"]),
    ({"key": "a", "value": "a b"}, [f'operator: Invalid value: "a b": {LABEL_VALUE}']),
    ({"key": "a", "effect": "x"}, ['effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"']),
    (
        {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5},
        ["effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
    ),
]


@pytest.mark.parametrize(("toleration", "expected"), TOLERATIONS)
def test_tolerations(toleration, expected):
    check(pod(tolerations=[toleration]), [f"spec.tolerations[0].{text}" for text in expected])


ARMOR, SECCOMP = "container.apparmor.security.beta.{domain}", "container.seccomp.security.alpha.{domain}"
ANNOTATIONS = [
    ("{domain}/config.mirror", "x", {}, ['[{key}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set']),
    ("controller.{domain}/pod-deletion-cost", "text", {}, ['[{key}]: Invalid value: "text": must be a 32bit integer']),
    ("controller.{domain}/pod-deletion-cost", "+10", {}, ['[{key}]: Invalid value: "+10": must be a 32bit integer']),
    ("controller.{domain}/pod-deletion-cost", "008", {}, ['[{key}]: Invalid value: "008": must be a 32bit integer']),
    (
        "controller.{domain}/pod-deletion-cost",
        "9223372036854775807",
        {},
        ['[{key}]: Invalid value: "9223372036854775807": must be a 32bit integer'],
    ),
    ("seccomp.security.alpha.{domain}/pod", "foo", {}, ['.{key}: Invalid value: "foo": must be a valid seccomp profile']),
    (f"{SECCOMP}/a", "localhost/../foo", {}, [".{key}: Invalid value: \"../foo\": must not contain '..'"]),
    (f"{SECCOMP}/a", "localhost//foo", {}, ['.{key}: Invalid value: "/foo": must be a relative path']),
    (f"{ARMOR}/b", "runtime/default", {}, ['[{key}]: Invalid value: "b": container not found']),
    (f"{ARMOR}/a", "bad-name", {}, ['[{key}]: Invalid value: "bad-name": invalid AppArmor profile name: "bad-name"']),
]


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(("key", "value", "spec", "expected"), ANNOTATIONS)
def test_annotations(dialect, key, value, spec, expected):
    key = key.replace("{domain}", dialect.domain)
    obj = {**pod(**spec), "metadata": {"name": "p", "annotations": {key: value}}}
    assert findings(POD, obj, context(dialect)) == [f"metadata.annotations{text}".replace("{key}", key) for text in expected]


FITTING = [
    (
        "seccomp.security.alpha.{domain}/pod",
        "unconfined",
        {"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
        "securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    ),
    (
        "seccomp.security.alpha.{domain}/pod",
        "localhost/x",
        {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "y"}}},
        "securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
    ),
    (
        f"{SECCOMP}/a",
        "runtime/default",
        {"containers": [{**CONTAINER, "securityContext": {"seccompProfile": {"type": "Unconfined"}}}]},
        "containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    ),
    (
        f"{ARMOR}/a",
        "unconfined",
        {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}},
        "containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ),
    (
        f"{ARMOR}/a",
        "localhost/x",
        {"containers": [{**CONTAINER, "securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "y"}}}]},
        "containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
    ),
]


@pytest.mark.parametrize(("key", "value", "spec", "expected"), FITTING)
def test_annotations_say_what_fields_say(key, value, spec, expected):
    obj = {**pod(**spec), "metadata": {"name": "p", "annotations": {key.replace("{domain}", "kubernetes.io"): value}}}
    check(obj, [f"spec.{expected}"])


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
