"""What nodes, namespaces, config maps, secrets, events and leases are refused for, and warned of, in Kubernetes' words."""

import base64

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.coordination.lease import LEASE
from svcsim.kinds.core.config_map import CONFIG_MAP
from svcsim.kinds.core.event import EVENT
from svcsim.kinds.core.namespace import NAMESPACE
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.secret import SECRET
from svcsim.kinds.events.event import EVENTS_EVENT
from tests.kinds.helpers import change_findings, context, findings, texts

QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
    "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
NETWORK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
FAMILIES = "may specify no more than one CIDR for each IP family"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
EFFECTS = '"NoSchedule", "PreferNoSchedule", "NoExecute"'


# Node


def tainted(**taint):
    return {"spec": {"taints": [taint]}}


def avoiding(entry):
    return {"metadata": {"annotations": {AVOID: f'{{"preferAvoidPods": [{entry}]}}'}}}


NODES = [
    ({"spec": {"podCIDRs": ["192.168.0.0/16", "2000::/10"]}}, []),
    (tainted(effect="NoSchedule"), ["spec.taints[0].key: Required value"]),
    (tainted(key="a=b", effect="NoSchedule"), [f'spec.taints[0].key: Invalid value: "a=b": name part {QUALIFIED}']),
    (
        tainted(key="a", value="some\\bad\\value", effect="NoSchedule"),
        [f'spec.taints[0].value: Invalid value: "some\\\\bad\\\\value": {LABEL_VALUE}'],
    ),
    (tainted(key="a"), ["spec.taints[0].effect: Required value"]),
    (tainted(key="a", effect="x"), [f'spec.taints[0].effect: Unsupported value: "x": supported values: {EFFECTS}']),
    (
        {"spec": {"taints": [{"key": "a", "value": value, "effect": "NoSchedule"} for value in ("1", "2")]}},
        ['spec.taints[1]: Duplicate value: {"key":"a","value":"2","effect":"NoSchedule"}: taints must be unique by key and effect pair'],
    ),
    ({"spec": {"podCIDRs": ["192.168.0.0"]}}, [f'spec.podCIDRs[0]: Invalid value: "192.168.0.0": {NETWORK}']),
    ({"spec": {"podCIDRs": ["10.0.0.0/16", "x"]}}, [f'spec.podCIDRs[1]: Invalid value: "x": {NETWORK}']),
    (
        {"spec": {"podCIDRs": ["10.0.0.0/16", "10.1.0.0/16"]}},
        [f'spec.podCIDRs: Invalid value: ["10.0.0.0/16","10.1.0.0/16"]: {FAMILIES}'],
    ),
    (
        {"spec": {"podCIDRs": ["10.0.0.0/16", "2000::/10", "10.2.0.0/16"]}},
        [f'spec.podCIDRs: Invalid value: ["10.0.0.0/16","2000::/10","10.2.0.0/16"]: {FAMILIES}'],
    ),
    (
        {"spec": {"podCIDRs": ["10.0.0.0/16", "10.0.0.0/16"]}},
        [
            'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/16"',
            f'spec.podCIDRs: Invalid value: ["10.0.0.0/16","10.0.0.0/16"]: {FAMILIES}',
        ],
    ),
    ({"spec": {"podCIDR": "10.0.0.0/16", "podCIDRs": ["10.1.0.0/16"]}}, []),
    (
        {"status": {"capacity": {"cpu": "-1"}, "allocatable": {"cpu": "1"}}},
        ['status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0'],
    ),
    (
        {"status": {"capacity": {"cpu": "1"}, "allocatable": {"memory": "-10G"}}},
        ['status.allocatable.memory: Invalid value: "-10G": must be greater than or equal to 0'],
    ),
    (
        {"status": {"capacity": {"example.com/a": "500m"}, "allocatable": {"pods": "1500m"}}},
        [
            'status.capacity.example.com/a: Invalid value: "500m": must be an integer',
            'status.allocatable.pods: Invalid value: "1500m": must be an integer',
        ],
    ),
    (avoiding('{"podSignature": {"podController": {"controller": true}}}'), []),
    (avoiding('{"reason": "some"}'), [f"metadata.annotations.{AVOID}[0].PodSignature: Required value"]),
    (
        avoiding('{"podSignature": {"podController": {"controller": false}}}'),
        [f"metadata.annotations.{AVOID}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller"],
    ),
    (
        {"metadata": {"annotations": {AVOID: "[]"}}},
        [f'metadata.annotations.AvoidPods: Invalid value: "{AVOID}": must be a JSON object'],
    ),
]


@pytest.mark.parametrize(("node", "expected"), NODES)
def test_a_node(node, expected):
    assert findings(NODE, node) == expected


CONFIG = {"namespace": "a", "name": "b", "kubeletConfigKey": "c"}
SINGLE = "exactly one reference subfield must be non-nil"
ADDRESS = {"type": "ExternalIP", "address": "1.1.1.1"}


def config(**fields):
    return {"configMap": {**CONFIG, **fields}}


NODE_CHANGES = [
    ({}, {"spec": {"podCIDR": "10.0.0.0/16"}}, []),
    (
        {"spec": {"podCIDR": "10.0.0.0/16"}},
        {"spec": {"podCIDR": "10.1.0.0/16"}},
        ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ),
    ({}, {"spec": {"providerID": "a"}}, []),
    (
        {"spec": {"providerID": "a"}},
        {},
        ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ),
    ({"spec": {"externalID": "a"}}, {}, ["spec.externalID: Forbidden: may not be updated"]),
    ({}, {"spec": {"externalID": "a"}}, ["spec.externalID: Forbidden: may not be updated"]),
    ({}, {"spec": {"unschedulable": True}}, []),
    (
        {},
        {"status": {"addresses": [ADDRESS, ADDRESS]}},
        ['status.addresses[1]: Duplicate value: {"type":"ExternalIP","address":"1.1.1.1"}'],
    ),
    ({}, {"spec": {"configSource": {}}}, [f"spec.configSource: Invalid value: {{}}: {SINGLE}"]),
    ({}, {"spec": {"configSource": config()}}, []),
    (
        {},
        {"spec": {"configSource": config(uid="u", resourceVersion="1")}},
        [
            "spec.configSource.configMap.uid: Forbidden: uid must not be set in spec",
            "spec.configSource.configMap.resourceVersion: Forbidden: resourceVersion must not be set in spec",
        ],
    ),
    (
        {},
        {"spec": {"configSource": config(kubeletConfigKey="a b")}},
        [f'spec.configSource.configMap.kubeletConfigKey: Invalid value: "a b": {KEY}'],
    ),
    (
        {},
        {"status": {"config": {"active": config()}}},
        [
            "status.config.active.configMap.uid: Required value: uid must be set in status",
            "status.config.active.configMap.resourceVersion: Required value: resourceVersion must be set in status",
        ],
    ),
    ({}, {"status": {"config": {"assigned": config(uid="u", resourceVersion="1")}}}, []),
    ({}, {"status": {"config": {"lastKnownGood": {}}}}, [f"status.config.lastKnownGood: Invalid value: {{}}: {SINGLE}"]),
]


@pytest.mark.parametrize(("before", "after", "expected"), NODE_CHANGES)
def test_what_of_a_node_may_change(before, after, expected):
    assert change_findings(NODE, before, after) == expected


def test_what_of_a_node_nobody_uses():
    (warnings,) = NODE.strategy.warnings
    assert list(warnings({"spec": {"configSource": {}, "externalID": "x"}})) == [
        "spec.configSource: the feature is removed",
        "spec.externalID: this field is deprecated, and is unused",
    ]


# Namespace

NEITHER = "name is neither a standard finalizer name nor is it fully qualified"


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_finalizers_of_a_namespace(dialect):
    known = {"spec": {"finalizers": [dialect.namespace_finalizer, "example.com/a"]}}
    assert findings(NAMESPACE, known, context(dialect)) == []
    odd = {"spec": {"finalizers": ["nothing", "a_b/c"]}}
    found = findings(NAMESPACE, odd, context(dialect))
    assert found[0] == f'spec.finalizers: Invalid value: "nothing": {NEITHER}'
    assert found[1].startswith('spec.finalizers: Invalid value: "a_b/c": prefix part a lowercase RFC 1123 subdomain must consist of')
    window = next(sub for sub in NAMESPACE.subresources if sub.name == "finalize")
    through = texts([finding for rule in window.update_rules for finding in rule(odd, known, context(dialect))])
    assert [text.partition(":")[0] for text in through] == ["spec.finalizers[0]", "spec.finalizers[1]"]


# ConfigMap and Secret


def b64(text):
    return base64.b64encode(text.encode()).decode()


DATA = [
    ("a" * 254, "must be no more than 253 characters"),
    (".", "must not be '.'"),
    ("..", "must not be '..'"),
    ("..a", "must not start with '..'"),
    ("a*b", KEY),
    ("a/b", KEY),
]


@pytest.mark.parametrize(("key", "detail"), DATA)
def test_keys_of_data(key, detail):
    assert findings(CONFIG_MAP, {"data": {key: "x"}}) == [f'data[{key}]: Invalid value: "{key}": {detail}']
    assert findings(CONFIG_MAP, {"binaryData": {key: b64("x")}}) == [f'binaryData[{key}]: Invalid value: "{key}": {detail}']
    assert findings(SECRET, {"data": {key: b64("x")}}) == [f'data[{key}]: Invalid value: "{key}": {detail}']


FROZEN = "Forbidden: field is immutable when `immutable` is set"
SECRETS = [
    ({"data": {"a": "MQ=="}}, {"data": {"a": "Mg=="}}, []),
    ({"type": "a/b"}, {"type": "a/c"}, ['type: Invalid value: "a/c": field is immutable']),
    ({"immutable": True, "data": {"a": "MQ=="}}, {"immutable": True, "data": {"a": "Mg=="}}, [f"data: {FROZEN}"]),
    ({"immutable": True, "data": {"a": "MQ=="}}, {"immutable": True}, [f"data: {FROZEN}"]),
    ({"immutable": True}, {"immutable": False}, [f"immutable: {FROZEN}"]),
    ({"immutable": True}, {}, [f"immutable: {FROZEN}"]),
    ({"immutable": False}, {"immutable": True}, []),
]


@pytest.mark.parametrize(("before", "after", "expected"), SECRETS)
def test_what_of_a_secret_may_change(before, after, expected):
    assert change_findings(SECRET, before, after) == expected


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_a_secret_is_as_its_type_says_or_warned_of(dialect):
    (warnings,) = SECRET.strategy.warnings
    token = {"type": dialect.key("service-account-token")}
    name = dialect.key("service-account.name")
    assert findings(SECRET, token, context(dialect)) == [f"metadata.annotations[{name}]: Required value"]
    named = {**token, "metadata": {"annotations": {name: "a"}}}
    assert findings(SECRET, named, context(dialect)) == []
    pem = b64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    for data, expected in (
        ({"tls.crt": "", "tls.key": ""}, ["tls: failed to find any PEM data in certificate input"]),
        ({"tls.crt": pem, "tls.key": b64("x")}, ["tls: failed to find any PEM data in key input"]),
        ({"tls.crt": pem, "tls.key": pem}, ["tls: found a certificate rather than a key in the PEM for the private key"]),
    ):
        assert list(warnings({"type": dialect.key("tls"), "data": data})) == expected


# Event

INVOLVED = {"involvedObject": {"namespace": "a"}}
NEW_STYLE = {
    **INVOLVED,
    "metadata": {"namespace": "a"},
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "reportingComponent": "example.com/c",
    "reportingInstance": "c-1",
    "action": "Do",
    "reason": "Because",
}
MISMATCH = "does not match event.namespace"
EVENTS = [
    ({**INVOLVED, "metadata": {"namespace": "a"}}, []),
    ({"metadata": {"namespace": "default"}, "involvedObject": {"kind": "Node"}}, []),
    ({"metadata": {"namespace": "kube-system"}, "involvedObject": {}}, [f'involvedObject.namespace: Invalid value: "": {MISMATCH}']),
    ({**INVOLVED, "metadata": {"namespace": "b"}}, [f'involvedObject.namespace: Invalid value: "a": {MISMATCH}']),
    (NEW_STYLE, []),
    ({**NEW_STYLE, "metadata": {"namespace": "kube-system"}, "involvedObject": {}}, []),
    ({**NEW_STYLE, "involvedObject": {}}, [f'involvedObject.namespace: Invalid value: "": {MISMATCH}']),
    (
        {**NEW_STYLE, "reportingComponent": ""},
        [
            "reportingController: Required value",
            'reportingController: Invalid value: "": name part must be non-empty',
            f'reportingController: Invalid value: "": name part {QUALIFIED}',
        ],
    ),
    ({**NEW_STYLE, "reportingComponent": "my-contr@ller"}, [f'reportingController: Invalid value: "my-contr@ller": name part {QUALIFIED}']),
    ({**NEW_STYLE, "reportingInstance": ""}, ["reportingInstance: Required value"]),
    ({**NEW_STYLE, "reportingInstance": "a" * 129}, ['reportingInstance: Invalid value: "": can have at most 128 characters']),
    ({**NEW_STYLE, "action": ""}, ["action: Required value"]),
    ({**NEW_STYLE, "action": "a" * 129}, ['action: Invalid value: "": can have at most 128 characters']),
    ({**NEW_STYLE, "reason": ""}, ["reason: Required value"]),
    ({**NEW_STYLE, "reason": "a" * 129}, ['reason: Invalid value: "": can have at most 128 characters']),
    ({**NEW_STYLE, "message": "a" * 1025}, ['message: Invalid value: "": can have at most 1024 characters']),
    ({**NEW_STYLE, "message": "ä" * 513}, ['message: Invalid value: "": can have at most 1024 characters']),
]


@pytest.mark.parametrize(("event", "expected"), EVENTS)
def test_an_event(event, expected):
    assert findings(EVENT, event) == expected


SENT = {
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "type": "Normal",
    "regarding": {"kind": "Pod", "name": "p"},
    "reason": "Because",
    "note": "it did",
    "action": "Do",
    "reportingController": "example.com/c",
    "reportingInstance": "c-1",
}
SERIES = {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}
NEW_EVENTS = [
    ({}, []),
    ({"series": SERIES}, []),
    ({"series": {**SERIES, "count": 0}}, ['series.count: Invalid value: "": should be at least 2']),
    ({"series": {"count": 2}}, ["series.lastObservedTime: Required value"]),
    ({"eventTime": None}, ["eventTime: Required value"]),
    ({"type": ""}, ['type: Invalid value: "": has invalid value: ']),
    ({"type": "invalid-type"}, ['type: Invalid value: "": has invalid value: invalid-type']),
    ({"deprecatedFirstTimestamp": "2026-01-01T00:00:00Z"}, ['firstTimestamp: Invalid value: "": needs to be unset']),
    ({"deprecatedLastTimestamp": "2026-01-01T00:00:00Z"}, ['lastTimestamp: Invalid value: "": needs to be unset']),
    ({"deprecatedCount": 1}, ['count: Invalid value: "": needs to be unset']),
    ({"deprecatedSource": {"host": "h"}}, ['source: Invalid value: "": needs to be unset']),
]


@pytest.mark.parametrize(("fields", "expected"), NEW_EVENTS)
def test_a_new_event_of_the_events_group(fields, expected):
    event = {name: value for name, value in {**SENT, **fields}.items() if value is not None}
    assert texts([finding for rule in EVENTS_EVENT.strategy.create_rules for finding in rule(event, context())]) == expected


STAYS = [
    ("regarding", {"kind": "Node"}, "involvedObject"),
    ("reason", "Other", "reason"),
    ("note", "other", "message"),
    ("deprecatedSource", {"host": "h"}, "source"),
    ("deprecatedFirstTimestamp", "2026-01-01T00:00:00Z", "firstTimestamp"),
    ("deprecatedLastTimestamp", "2026-01-01T00:00:00Z", "lastTimestamp"),
    ("deprecatedCount", 3, "count"),
    ("type", "Warning", "type"),
    ("eventTime", "2026-01-02T00:00:00.000000Z", "eventTime"),
    ("action", "Undo", "action"),
    ("related", {"kind": "Node"}, "related"),
    ("reportingController", "example.com/d", "reportingController"),
    ("reportingInstance", "c-2", "reportingInstance"),
]


@pytest.mark.parametrize(("name", "value", "path"), STAYS)
def test_what_of_an_event_stays(name, value, path):
    (rule,) = EVENTS_EVENT.strategy.update_rules
    (finding,) = texts(list(rule({**SENT, name: value}, SENT, context())))
    assert finding.startswith(f"{path}: Invalid value: ")
    assert finding.endswith(": field is immutable")


# Lease

LEASES = [
    ({"holderIdentity": "a", "leaseDurationSeconds": 1, "leaseTransitions": 0}, []),
    ({"leaseDurationSeconds": 0}, ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"]),
    ({"leaseDurationSeconds": -3}, ["spec.leaseDurationSeconds: Invalid value: -3: must be greater than 0"]),
    ({"leaseTransitions": -4}, ["spec.leaseTransitions: Invalid value: -4: must be greater than or equal to 0"]),
    ({"strategy": "OldestEmulationVersion", "preferredHolder": "b"}, []),
    ({"strategy": "example.com/mine"}, []),
    ({"strategy": "foo"}, ['spec.strategy: Unsupported value: "foo": supported values: "OldestEmulationVersion"']),
    ({"strategy": "example.com/a b"}, [f'spec.strategy: Invalid value: "example.com/a b": name part {QUALIFIED}']),
    ({"preferredHolder": "b"}, ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"]),
]


@pytest.mark.parametrize(("spec", "expected"), LEASES)
def test_a_lease(spec, expected):
    assert findings(LEASE, {"spec": spec}) == expected
