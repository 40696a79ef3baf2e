"""What users are told of again when they change an object, and what isn't worth being told twice."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.apps.daemon_set import DAEMON_SET
from svcsim.kinds.apps.deployment import DEPLOYMENT
from svcsim.kinds.apps.replica_set import REPLICA_SET
from svcsim.kinds.apps.stateful_set import STATEFUL_SET
from svcsim.kinds.batch.cron_job import CRON_JOB
from svcsim.kinds.batch.job import JOB
from svcsim.kinds.core.endpoints import ENDPOINTS
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.persistent_volume import PERSISTENT_VOLUME
from svcsim.kinds.core.persistent_volume_claim import PERSISTENT_VOLUME_CLAIM
from svcsim.kinds.core.pod import POD
from svcsim.kinds.core.replication_controller import REPLICATION_CONTROLLER
from svcsim.kinds.core.secret import SECRET
from svcsim.kinds.core.service import SERVICE
from svcsim.kinds.discovery.endpoint_slice import ENDPOINT_SLICE
from svcsim.kinds.networking.ingress import INGRESS
from svcsim.kinds.networking.network_policy import NETWORK_POLICY
from svcsim.kinds.node.runtime_class import RUNTIME_CLASS
from svcsim.kinds.storage.csi_storage_capacity import CSI_STORAGE_CAPACITY
from svcsim.kinds.storage.storage_class import STORAGE_CLASS
from tests.kinds.helpers import warned

REPEATED = {"metadata": {"labels": {"a": "b"}}, "spec": {"imagePullSecrets": [{"name": "a"}, {"name": "a"}]}}
TWICE = 'spec.imagePullSecrets[1].name: duplicate name "a"'
NO_PARTS = 'resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer'
CLAIM = {"resources": {"requests": {"storage": "1m"}}}
HISTORY = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
LABEL = 'deprecated since v1.14; use "kubernetes.io/arch" instead'
OLD_LABEL = {"key": "beta.kubernetes.io/arch", "operator": "Exists"}
LONG = "should be in RFC 5952 canonical format"


def told(kind, new, old=None):
    return [text for warnings in kind.strategy.update_warnings for text in warnings(new, new if old is None else old)]


def generation(number, spec, **metadata):
    return {"metadata": {"name": "a.b", "generation": number, **metadata}, "spec": spec}


@pytest.mark.parametrize("kind", [DEPLOYMENT, REPLICA_SET, STATEFUL_SET, REPLICATION_CONTROLLER, JOB])
def test_a_template_is_looked_at_again_where_a_workload_is_changed(kind):
    old, new = generation(1, {"template": REPEATED}), generation(2, {"template": REPEATED})
    assert told(kind, new, old) == [f"spec.template.{TWICE}"], "of the name, which stays, new objects alone are told"
    assert told(kind, old, old) == []


def test_the_template_of_a_cron_job_as_well():
    spec = {"jobTemplate": {"spec": {"template": REPEATED}}}
    assert told(CRON_JOB, generation(2, spec), generation(1, spec)) == [f"spec.jobTemplate.spec.template.{TWICE}"]
    assert told(CRON_JOB, generation(2, spec), generation(2, spec)) == []


def test_the_template_of_a_daemon_set_is_looked_at_where_it_is_another_one():
    count = "deprecated.daemonset.template.generation"
    first, second = ({"annotations": {count: number}} for number in "12")
    spec = {"template": REPEATED}
    assert told(DAEMON_SET, generation(2, spec, **second), generation(1, spec, **first)) == [f"spec.template.{TWICE}"]
    assert told(DAEMON_SET, generation(2, spec, **first), generation(1, spec, **first)) == []


def test_what_else_a_stateful_set_says_is_told_every_time():
    obj = generation(1, {"revisionHistoryLimit": -1, "volumeClaimTemplates": [{"spec": CLAIM}]})
    assert told(STATEFUL_SET, obj) == [HISTORY, f"spec.volumeClaimTemplates[0].spec.{NO_PARTS}"]
    assert [text for text in warned(STATEFUL_SET, {"metadata": {"name": "a"}, **obj}) if "template" in text.lower()]


def test_nobody_is_told_of_pods_again():
    assert POD.strategy.update_warnings == () == INGRESS.strategy.update_warnings


EVERY_TIME = [
    (NODE, {"spec": {"externalID": "x"}}, ["spec.externalID: this field is deprecated, and is unused"]),
    (PERSISTENT_VOLUME, {"spec": {"rbd": {}}}, ["spec.rbd: deprecated in v1.28, non-functional in v1.31+"]),
    (PERSISTENT_VOLUME_CLAIM, {"spec": CLAIM}, [f"spec.{NO_PARTS}"]),
    (SECRET, {"type": "kubernetes.io/tls", "data": {}}, ["tls: failed to find any PEM data in certificate input"]),
    (
        STORAGE_CLASS,
        {"allowedTopologies": [{"matchLabelExpressions": [{"key": "beta.kubernetes.io/arch"}]}]},
        [f"allowedTopologies[0].matchLabelExpressions[0].key: beta.kubernetes.io/arch is {LABEL}"],
    ),
    (
        NETWORK_POLICY,
        {"spec": {"egress": [{"to": [{"ipBlock": {"cidr": "fd00:0::/64"}}]}]}},
        [f'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "fd00:0::/64" {LONG} ("fd00::/64")'],
    ),
    (
        CSI_STORAGE_CAPACITY,
        {"nodeTopology": {"matchExpressions": [OLD_LABEL], "matchLabels": {"beta.kubernetes.io/arch": "x"}}},
        [
            f"nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is {LABEL}",
            f"nodeTopology.matchLabels.beta.kubernetes.io/arch: {LABEL}",
        ],
    ),
    (RUNTIME_CLASS, {"scheduling": {"nodeSelector": {"beta.kubernetes.io/arch": "x"}}}, [f"scheduling.nodeSelector: {LABEL}"]),
    (
        ENDPOINT_SLICE,
        {"addressType": "IPv6", "endpoints": [{"addresses": ["fd00:0::1"]}]},
        [f'endpoints[0].addresses[0]: IPv6 address "fd00:0::1" {LONG} ("fd00::1")'],
    ),
    (ENDPOINT_SLICE, {"addressType": "FQDN", "endpoints": [{"addresses": ["a.b"]}]}, ["addressType: FQDN endpoints are deprecated"]),
]


@pytest.mark.parametrize(("kind", "obj", "expected"), EVERY_TIME)
def test_others_are_told_of_new_and_changed_objects_alike(kind, obj, expected):
    assert told(kind, obj) == expected
    assert [text for warnings in kind.strategy.warnings for text in warnings(obj)] == expected


def test_addresses_of_endpoints_are_told_of_where_they_change():
    slow = {"subsets": [{"addresses": [{"ip": "fd00:0::1"}], "notReadyAddresses": [{"ip": "::ffff:1.2.3.4"}]}]}
    expected = [
        f'subsets[0].addresses[0].ip: IPv6 address "fd00:0::1" {LONG} ("fd00::1")',
        (
            'subsets[0].notReadyAddresses[0].ip: non-standard IP address "::ffff:1.2.3.4" '
            'will be considered invalid in a future Kubernetes release: use "1.2.3.4"'
        ),
    ]
    assert told(ENDPOINTS, slow, {}) == expected == [text for warnings in ENDPOINTS.strategy.warnings for text in warnings(slow)]
    assert told(ENDPOINTS, slow, slow) == []


SERVICES = [
    ({"type": "ClusterIP", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"]}, []),
    (
        {"type": "ClusterIP", "clusterIP": "None", "loadBalancerIP": "1.2.3.4", "externalIPs": ["1.2.3.4"], "sessionAffinity": "ClientIP"},
        [
            "spec.loadBalancerIP is ignored for headless services",
            "spec.externalIPs is ignored for headless services",
            "spec.SessionAffinity is ignored for headless services",
        ],
    ),
    ({"type": "ClusterIP", "clusterIP": "None", "sessionAffinity": "None"}, []),
    (
        {"type": "ExternalName", "externalName": "a.b", "externalIPs": ["1.2.3.4"]},
        ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ),
    ({"type": "NodePort", "externalName": "a.b"}, ['spec.externalName is ignored when spec.type is not "ExternalName"']),
    (
        {"type": "LoadBalancer", "loadBalancerIP": "fd00:0::1", "loadBalancerSourceRanges": [" 10.0.0.1/8"]},
        [
            f'spec.loadBalancerIP: IPv6 address "fd00:0::1" {LONG} ("fd00::1")',
            (
                'spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context '
                '(should be "10.0.0.0/8" or "10.0.0.1/32"?)'
            ),
        ],
    ),
    (
        {"trafficDistribution": "PreferClose", "type": "ClusterIP"},
        ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    ),
    ({"trafficDistribution": "PreferSameZone", "type": "ClusterIP"}, []),
]


@pytest.mark.parametrize(("spec", "expected"), SERVICES)
def test_what_a_service_says_in_vain(spec, expected):
    assert told(SERVICE, {"spec": spec}) == expected


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_the_older_name_of_topology(dialect):
    old, new = dialect.key("topology-aware-hints", "service"), dialect.key("topology-mode", "service")
    obj = {"metadata": {"annotations": {old: "auto"}}, "spec": {"type": "ClusterIP"}}
    assert told(SERVICE, obj) == [f"annotation {old} is deprecated, please use {new} instead"]
