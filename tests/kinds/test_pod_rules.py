"""What is wrong with a pod, in the words users of kubectl know."""

import pytest

from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import findings

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
CONTAINER = {"name": "a", "image": "a:1"}
ONE = "spec.containers[0]"
ENV = "a valid environment variable name must consist only of printable ASCII characters other than '='"
SOURCES = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
ONLY_PRIVILEGED = "Bidirectional mount propagation is available only to privileged containers"
UNKNOWN_FIELD = "error converting fieldPath: field label not supported: spec.wrong"


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": {"containers": [CONTAINER], **spec}}


def with_container(**fields):
    return pod(containers=[{**CONTAINER, **fields}])


def check(spec, expected):
    assert findings(POD, spec) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (pod(), []),
        (pod(containers=[]), ["spec.containers: Required value"]),
        (pod(containers=[{"name": "a"}]), [f"{ONE}.image: Required value"]),
        (pod(containers=[{"image": "a"}]), [f"{ONE}.name: Required value"]),
        (pod(containers=[{"name": "A_b", "image": "a"}]), [f'{ONE}.name: Invalid value: "A_b": {LABEL}']),
        (with_container(image=" a"), [f'{ONE}.image: Invalid value: " a": must not have leading or trailing whitespace']),
        (pod(containers=[CONTAINER, CONTAINER]), ['spec.containers[1].name: Duplicate value: "a"']),
        (pod(initContainers=[CONTAINER]), ['spec.initContainers[0].name: Duplicate value: "a"']),
        (
            with_container(imagePullPolicy="Sometimes"),
            [f'{ONE}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"'],
        ),
        (
            pod(restartPolicy="Perhaps"),
            ['spec.restartPolicy: Unsupported value: "Perhaps": supported values: "Always", "OnFailure", "Never"'],
        ),
        (
            pod(dnsPolicy="x"),
            ['spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'],
        ),
        (
            pod(dnsPolicy="None"),
            ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
        ),
        (pod(activeDeadlineSeconds=0), ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"]),
        (pod(hostname="a.b"), ['spec.hostname: Invalid value: "a.b": must not contain dots']),
        (
            pod(hostPID=True, shareProcessNamespace=True),
            ["spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"],
        ),
        (pod(os={"name": "beos"}), ['spec.os: Unsupported value: "beos": supported values: "linux", "windows"']),
        (
            pod(schedulingGates=[{"name": "a"}, {"name": "a"}], nodeName="n"),
            [
                'spec.schedulingGates[1]: Duplicate value: "a"',
                "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
            ],
        ),
    ],
)
def test_a_pod_as_a_whole(spec, expected):
    check(spec, expected)


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([{"containerPort": 80, "name": "http"}, {"containerPort": 443, "name": "https"}], []),
        ([{"containerPort": 80}, {"containerPort": 80}], []),
        ([{"name": "http"}], [f"{ONE}.ports[0].containerPort: Required value"]),
        ([{"containerPort": 70000}], [f"{ONE}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"]),
        (
            [{"containerPort": 80, "protocol": "ICMP"}],
            [f'{ONE}.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
        ),
        ([{"containerPort": 80, "name": "x"}, {"containerPort": 81, "name": "x"}], [f'{ONE}.ports[1].name: Duplicate value: "x"']),
        (
            [{"containerPort": 80, "name": "123"}],
            [f'{ONE}.ports[0].name: Invalid value: "123": must contain at least one letter (a-z)'],
        ),
        (
            [{"containerPort": 80, "hostPort": 8}, {"containerPort": 81, "hostPort": 8}],
            [f'{ONE}.ports[1].hostPort: Duplicate value: "TCP//8"'],
        ),
    ],
)
def test_ports_of_a_container(ports, expected):
    check(with_container(ports=ports), expected)


def test_on_the_nodes_network_a_port_is_the_nodes():
    spec = pod(containers=[{**CONTAINER, "ports": [{"containerPort": 80, "hostPort": 81}]}], hostNetwork=True)
    check(spec, [f"{ONE}.ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"])


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"name": "A", "value": "x"}, []),
        (
            {"name": "A=B"},
            [f'name: Invalid value: "A=B": {ENV}'],
        ),
        ({"value": "x"}, ["name: Required value"]),
        (
            {"name": "A", "valueFrom": {}},
            [f'valueFrom: Invalid value: "": {SOURCES}'],
        ),
        (
            {"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ['valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
        ),
        ({"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}}, []),
        (
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.wrong"}}},
            [f'valueFrom.fieldRef.fieldPath: Invalid value: "spec.wrong": {UNKNOWN_FIELD}'],
        ),
        (
            {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.gpu"}}},
            [
                (
                    'valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", '
                    '"limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"'
                )
            ],
        ),
        ({"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}, ["valueFrom.secretKeyRef.key: Required value"]),
    ],
)
def test_environment_variables(env, expected):
    check(with_container(env=[env]), [f"{ONE}.env[0].{text}" for text in expected])


@pytest.mark.parametrize(
    ("volumes", "mounts", "expected"),
    [
        ([{"name": "v"}], [{"name": "v", "mountPath": "/a"}], []),
        ([], [{"name": "v", "mountPath": "/a"}], [f'{ONE}.volumeMounts[0].name: Not found: "v"']),
        (
            [{"name": "v"}],
            [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/a"}],
            [f'{ONE}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique'],
        ),
        (
            [{"name": "v"}],
            [{"name": "v", "mountPath": "/a", "subPath": "../x"}],
            [f"{ONE}.volumeMounts.subPath: Invalid value: \"../x\": must not contain '..'"],
        ),
        (
            [{"name": "v"}],
            [{"name": "v", "mountPath": "/a", "mountPropagation": "Bidirectional"}],
            [f"{ONE}.volumeMounts.mountPropagation: Forbidden: {ONLY_PRIVILEGED}"],
        ),
        ([{"name": "v"}, {"name": "v"}], [], ['spec.volumes[1].name: Duplicate value: "v"']),
        (
            [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/x"}}],
            [],
            ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
        ),
        ([{"name": "v", "secret": {}}], [], ["spec.volumes[0].secret.secretName: Required value"]),
        ([{"name": "v", "configMap": {}}], [], ["spec.volumes[0].configMap.name: Required value"]),
        (
            [{"name": "v", "configMap": {"name": "c", "defaultMode": 512}}],
            [],
            ["spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive"],
        ),
        (
            [{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "/x"}]}}],
            [],
            ['spec.volumes[0].configMap.items[0].path: Invalid value: "/x": must be a relative path'],
        ),
        (
            [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 1}}]}}],
            [],
            [
                (
                    "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: "
                    "may not specify a duration less than 10 minutes"
                )
            ],
        ),
        ([{"name": "v", "persistentVolumeClaim": {}}], [], ["spec.volumes[0].persistentVolumeClaim.claimName: Required value"]),
        (
            [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}],
            [],
            ["spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value"],
        ),
    ],
)
def test_volumes_and_mounts(volumes, mounts, expected):
    check(pod(containers=[{**CONTAINER, "volumeMounts": mounts}], volumes=volumes), expected)


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}}, []),
        (
            {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
            ['requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
        ),
        ({"requests": {"cpu": "-1"}}, ['requests[cpu]: Invalid value: "-1": must be greater than or equal to 0']),
        (
            {"limits": {"gpu": "1"}},
            [
                'limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
                'limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
                # the request follows from the limit
                'requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
                'requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
            ],
        ),
        ({"requests": {"example.com/gpu": "1"}}, ["limits: Required value: Limit must be set for non overcommitable resources"]),
        (
            {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "2"}},
            ['requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
        ),
    ],
)
def test_requests_and_limits(resources, expected):
    check(with_container(resources=resources), [f"{ONE}.resources.{text}" for text in expected])


@pytest.mark.parametrize(
    ("probes", "expected"),
    [
        ({"livenessProbe": {"httpGet": {"port": "http"}}}, []),
        ({"livenessProbe": {}}, ["livenessProbe: Required value: must specify a handler type"]),
        (
            {"livenessProbe": {"exec": {"command": ["x"]}, "tcpSocket": {"port": 1}}},
            ["livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
        ),
        ({"livenessProbe": {"exec": {}}}, ["livenessProbe.exec.command: Required value"]),
        (
            {"livenessProbe": {"tcpSocket": {"port": 1}, "successThreshold": 2}},
            ["livenessProbe.successThreshold: Invalid value: 2: must be 1"],
        ),
        (
            {"readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": -1}},
            ["readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"readinessProbe": {"tcpSocket": {"port": 0}}},
            ["readinessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive"],
        ),
        ({"lifecycle": {"preStop": {}}}, ["lifecycle.preStop: Required value: must specify a handler type"]),
    ],
)
def test_probes_and_hooks(probes, expected):
    check(with_container(**probes), [f"{ONE}.{text}" for text in expected])


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"operator": "Exists"}, []),
        ({"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5}, []),
        ({}, ['operator: Invalid value: "": operator must be Exists when `key` is empty, which means \\"match all values and all keys\\"']),
        (
            {"key": "a", "operator": "Like"},
            ['operator: Unsupported value: "Like": supported values: "Equal", "Exists"'],
        ),
        (
            {"key": "a", "tolerationSeconds": 5},
            ["effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
        ),
    ],
)
def test_tolerations(toleration, expected):
    check(pod(tolerations=[toleration]), [f"spec.tolerations[0].{text}".replace('\\"', '"') for text in expected])


def node_terms(*requirements):
    terms = [{"matchExpressions": list(requirements)}]
    return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ({"key": "zone", "operator": "In", "values": ["a"]}, []),
        ({"key": "zone", "operator": "In"}, ["values: Required value: must be specified when `operator` is 'In' or 'NotIn'"]),
        (
            {"key": "n", "operator": "Gt", "values": []},
            ["values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"],
        ),
        ({"key": "n", "operator": "Near"}, ['operator: Invalid value: "Near": not a valid selector operator']),
    ],
)
def test_node_affinity(requirement, expected):
    where = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]"
    check(node_terms(requirement), [f"{where}.{text}" for text in expected])


def test_pod_affinity_names_a_place_and_a_weight():
    term = {"weight": 0, "podAffinityTerm": {"labelSelector": {}}}
    where = "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
    check(
        pod(affinity={"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}),
        [
            f"{where}.weight: Invalid value: 0: must be in the range 1-100",
            f"{where}.podAffinityTerm.topologyKey: Required value: can not be empty",
            f'{where}.podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
            f'{where}.podAffinityTerm.topologyKey: Invalid value: "": name part {QUALIFIED}',
        ],
    )


def test_spreading():
    constraint = {"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    check(
        pod(topologySpreadConstraints=[constraint, {**constraint, "maxSkew": 1}]),
        [
            "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
            'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
        ],
    )


@pytest.mark.parametrize(
    ("security", "expected"),
    [
        ({"runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"}}, []),
        ({"runAsUser": -1}, ["securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"]),
        (
            {"seccompProfile": {"type": "Localhost"}},
            ["securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"],
        ),
        (
            {"seccompProfile": {"type": "Odd"}},
            [
                (
                    'securityContext.seccompProfile.type: Unsupported value: "Odd": supported values: '
                    '"Localhost", "RuntimeDefault", "Unconfined"'
                )
            ],
        ),
        (
            {"privileged": True, "allowPrivilegeEscalation": False},
            [
                (
                    'securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: '
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
                )
            ],
        ),
    ],
)
def test_security_contexts(security, expected):
    check(with_container(securityContext=security), [f"{ONE}.{text}" for text in expected])


def test_only_a_sidecar_among_init_containers_is_probed():
    probe = {"tcpSocket": {"port": 1}}
    init = [
        {"name": "i", "image": "i", "livenessProbe": probe},
        {"name": "s", "image": "s", "restartPolicy": "Always", "livenessProbe": probe},
    ]
    check(
        pod(initContainers=init),
        ["spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"],
    )
