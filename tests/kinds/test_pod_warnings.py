"""What users are told of pods that are right, and hardly meant so."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.core.pod import POD

CONTAINER = {"name": "a", "image": "a"}
NOTHING = "a null labelSelector results in matching no pod"
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


def warned(kind, obj):
    return [text for warnings in kind.strategy.warnings for text in warnings(obj)]


def pod(annotations=None, **spec):
    return {"metadata": {"name": "p", "annotations": annotations or {}}, "spec": {"containers": [CONTAINER], **spec}}


def with_ports(*ports):
    return pod(containers=[{**CONTAINER, "ports": [{"protocol": "TCP", "containerPort": 80, **port} for port in ports]}])


def on_node(key):
    return {"matchExpressions": [{"key": key, "operator": "Exists"}]}


ARCH = 'deprecated since v1.14; use "kubernetes.io/arch" instead'
PORTS = "spec.containers[0].ports"
AFFINITY = "spec.affinity.nodeAffinity"
WARNINGS = [
    (pod(), []),
    (pod(nodeSelector={"beta.kubernetes.io/arch": "x"}), [f"spec.nodeSelector[beta.kubernetes.io/arch]: {ARCH}"]),
    (
        pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [on_node("beta.kubernetes.io/arch")]}}}),
        [f"{AFFINITY}.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is {ARCH}"],
    ),
    (
        pod(affinity={"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": on_node("beta.kubernetes.io/arch")}]}}),
        [f"{AFFINITY}.{PREFERRED}[0].preference.matchExpressions[0].key: beta.kubernetes.io/arch is {ARCH}"],
    ),
    (
        pod(topologySpreadConstraints=[{"topologyKey": "failure-domain.beta.kubernetes.io/zone"}]),
        [
            (
                "spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; "
                'use "topology.kubernetes.io/zone" instead'
            ),
            f"spec.topologySpreadConstraints[0].labelSelector: {NOTHING}",
        ],
    ),
    (
        pod(annotations={"scheduler.alpha.kubernetes.io/critical-pod": ""}),
        [
            (
                "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
                'non-functional in v1.16+; use the "priorityClassName" field instead'
            )
        ],
    ),
    (
        pod(annotations={"security.alpha.kubernetes.io/sysctls": ""}),
        ['metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead'],
    ),
    (
        pod(annotations={"seccomp.security.alpha.kubernetes.io/pod": "runtime/default"}),
        [
            (
                "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: "
                'non-functional in v1.27+; use the "seccompProfile" field instead'
            )
        ],
    ),
    (
        pod(annotations={"container.seccomp.security.alpha.kubernetes.io/a": "runtime/default"}),
        [
            (
                "metadata.annotations[container.seccomp.security.alpha.kubernetes.io/a]: "
                'non-functional in v1.27+; use the "seccompProfile" field instead'
            )
        ],
    ),
    *(
        (pod(volumes=[{"name": "v", name: {}}]), [f"spec.volumes[0].{name}: {text}"])
        for name, text in (
            ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
            ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
            ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
            ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
            ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
            ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
            ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
            ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
        )
    ),
    (pod(hostAliases=[{"ip": "1.1.1.1"}, {"ip": "1.1.1.1"}]), ['spec.hostAliases[1].ip: duplicate ip "1.1.1.1"']),
    (pod(imagePullSecrets=[{"name": "a"}, {"name": "a"}]), ['spec.imagePullSecrets[1].name: duplicate name "a"']),
    (pod(imagePullSecrets=[{}]), ['spec.imagePullSecrets[0].name: invalid empty name ""']),
    (pod(overhead={"memory": "1m"}), ['spec.overhead[memory]: fractional byte value "1m" is invalid, must be an integer']),
    (
        pod(containers=[{**CONTAINER, "resources": {"limits": {"memory": "1m"}, "requests": {"ephemeral-storage": "2500m"}}}]),
        [
            'spec.containers[0].resources.limits[memory]: fractional byte value "1m" is invalid, must be an integer',
            'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "2500m" is invalid, must be an integer',
        ],
    ),
    (pod(containers=[{**CONTAINER, "resources": {"limits": {"memory": "1000m"}}}]), []),
    (
        pod(initContainers=[{**CONTAINER, "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}]),
        ['spec.initContainers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ),
    (pod(containers=[{**CONTAINER, "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}]}]), []),
    (with_ports({}, {}), [f"{PORTS}[1]: duplicate port definition with {PORTS}[0]"]),
    (with_ports({}, {"hostPort": 80}), [f"{PORTS}[1]: overlapping port definition with {PORTS}[0]"]),
    (
        with_ports({"hostPort": 80}, {"hostPort": 80, "hostIP": "1.1.1.1"}),
        [f"{PORTS}[1]: dangerously ambiguous port definition with {PORTS}[0]"],
    ),
    (with_ports({"hostPort": 80, "hostIP": "1.1.1.2"}, {"hostPort": 80, "hostIP": "1.1.1.1"}), []),
    (with_ports({}, {"protocol": "UDP"}), []),
    (
        with_ports({"hostIP": "1.1.1.1"}),
        [f"{PORTS}[0]: hostIP set without hostPort: {{Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}}"],
    ),
    (
        pod(terminationGracePeriodSeconds=-1),
        ["spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"],
    ),
    (
        pod(affinity={"podAffinity": {REQUIRED: [{"topologyKey": "a"}], PREFERRED: [{"podAffinityTerm": {"topologyKey": "a"}}]}}),
        [
            f"spec.affinity.podAffinity.{REQUIRED}[0].labelSelector: {NOTHING}",
            f"spec.affinity.podAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector: {NOTHING}",
        ],
    ),
    (
        pod(affinity={"podAntiAffinity": {REQUIRED: [{"topologyKey": "a"}]}}),
        [f"spec.affinity.podAntiAffinity.{REQUIRED}[0].labelSelector: {NOTHING}"],
    ),
    (
        {**pod(), "metadata": {"name": "a.b"}},
        [
            (
                "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: "
                "[must not contain dots]"
            )
        ],
    ),
]


@pytest.mark.parametrize(("obj", "expected"), WARNINGS)
def test_what_is_hardly_meant(obj, expected):
    assert warned(POD, obj) == expected


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_a_template_is_looked_at_as_well_in_the_words_of_its_dialect(dialect):
    old, new = dialect.key("os", "beta"), dialect.key("os")
    template = pod(annotations={dialect.key("sysctls", "security.alpha"): ""}, nodeSelector={old: "linux"})
    assert warned(DEPLOYMENT, {"metadata": {"name": "d"}, "spec": {"template": template}}) == [
        f'spec.template.spec.nodeSelector[{old}]: deprecated since v1.14; use "{new}" instead',
        (
            f"spec.template.metadata.annotations[{dialect.key('sysctls', 'security.alpha')}]: "
            'non-functional in v1.11+; use the "sysctls" field instead'
        ),
    ]
