"""Namespace, Node, Event, Lease and ServiceAccount."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.coordination.lease import LEASE
from svcsim.kinds.core.event import EVENT
from svcsim.kinds.core.namespace import NAMESPACE
from svcsim.kinds.core.node import NODE
from svcsim.kinds.core.service_account import SERVICE_ACCOUNT
from tests.kinds.helpers import BY_NAME, ago, change_findings, context, created, filled, findings, restored, row

# Namespace


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_a_namespace_is_completed_in_the_words_of_its_dialect(dialect):
    namespace = created(NAMESPACE, {"metadata": {"name": "a"}}, context(dialect))
    assert namespace == {
        "metadata": {"name": "a", "labels": {dialect.key("metadata.name"): "a"}},
        "spec": {"finalizers": [dialect.namespace_finalizer]},
        "status": {"phase": "Active"},
    }


def test_a_namespace_is_held_by_its_own_finalizers():
    namespace = created(NAMESPACE, {"metadata": {"name": "a"}})
    assert NAMESPACE.strategy.held(namespace)
    NAMESPACE.strategy.terminate(namespace, context())
    assert namespace["status"]["phase"] == "Terminating"
    assert not NAMESPACE.strategy.held(restored(NAMESPACE, "finalize", {**namespace, "spec": {}}, namespace))


def test_only_the_finalize_subresource_takes_finalizers_away():
    old, new = created(NAMESPACE, {"metadata": {"name": "a"}}), filled(NAMESPACE, {"metadata": {"name": "a"}})
    NAMESPACE.strategy.update(new, old, context())
    assert new["spec"] == old["spec"]


@pytest.mark.parametrize(
    ("metadata", "phase", "expected"),
    [
        ({}, "Active", []),
        ({}, "Terminating", ["status.phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"]),
        ({"deletionTimestamp": ago(0)}, "Terminating", []),
        (
            {"deletionTimestamp": ago(0)},
            "Active",
            ["status.phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"],
        ),
    ],
)
def test_a_namespaces_phase_says_whether_it_goes(metadata, phase, expected):
    through = next(sub for sub in NAMESPACE.subresources if sub.name == "status")
    namespace = {"metadata": metadata, "status": {"phase": phase}}
    assert [f"{f.path}: {f.message}" for rule in through.update_rules for f in rule(namespace, namespace, context())] == expected


def test_a_namespaces_finalizers_are_known_or_qualified():
    assert findings(NAMESPACE, {"metadata": {"name": "a"}, "spec": {"finalizers": ["example.com/mine", "odd"]}}) == [
        'spec.finalizers: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified'
    ]


# Node


def node(labels=None, conditions=None, **spec):
    status = {
        "conditions": conditions or [],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "nodeInfo": {"kubeletVersion": "v1"},
    }
    return {"metadata": {"name": "n", "labels": labels or {}}, "spec": spec, "status": status}


READY = [{"type": "Ready", "status": "True"}]


@pytest.mark.parametrize(
    ("given", "status", "roles"),
    [
        (node(conditions=READY), "Ready", "<none>"),
        (node(conditions=[{"type": "Ready", "status": "Unknown"}]), "NotReady", "<none>"),
        (node(), "Unknown", "<none>"),
        (node(conditions=READY, unschedulable=True), "Ready,SchedulingDisabled", "<none>"),
        (
            node({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "db"}, READY),
            "Ready",
            "control-plane,db,worker",
        ),
    ],
)
def test_a_node_in_one_line(given, status, roles):
    assert row(NODE, given, wide=True) == {
        "Status": status,
        "Roles": roles,
        "Age": "<unknown>",
        "Version": "v1",
        "Internal-IP": "10.0.0.1",
        "External-IP": "<none>",
        "OS-Image": "<unknown>",
        "Kernel-Version": "<unknown>",
        "Container-Runtime": "<unknown>",
    }


TAINT = {"key": "a", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("taints", "expected"),
    [
        ([TAINT, {**TAINT, "effect": "NoExecute"}], []),
        ([{"key": "a"}], ["spec.taints[0].effect: Required value"]),
        (
            [{"key": "a", "effect": "Odd"}],
            ['spec.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'],
        ),
        (
            [TAINT, TAINT],
            ['spec.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair'],
        ),
    ],
)
def test_taints(taints, expected):
    assert findings(NODE, {"spec": {"taints": taints}}) == expected


def test_a_nodes_networks_and_amounts_are_completed():
    done = filled(NODE, {"spec": {"podCIDR": "10.1.0.0/24"}, "status": {"capacity": {"cpu": "4"}}})
    assert done["spec"]["podCIDRs"] == ["10.1.0.0/24"]
    assert done["status"]["allocatable"] == {"cpu": "4"}


def test_a_node_keeps_its_provider_and_networks():
    before = {"spec": {"providerID": "p://1", "podCIDRs": ["10.1.0.0/24"]}}
    assert change_findings(NODE, before, {"spec": {"providerID": "p://2", "podCIDRs": ["10.2.0.0/24"]}}) == [
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ]
    assert change_findings(NODE, {}, before) == []


# Event


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"metadata": {"namespace": "a"}, "involvedObject": {"namespace": "a"}}, []),
        ({"metadata": {"namespace": "default"}, "involvedObject": {"kind": "Node"}}, []),
        (
            {"metadata": {"namespace": "a"}, "involvedObject": {"namespace": "b"}},
            ['involvedObject.namespace: Invalid value: "b": does not match event.namespace'],
        ),
        (
            {"metadata": {"namespace": "a"}, "involvedObject": {}},
            ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
        ),
        (
            {
                "metadata": {"namespace": "a"},
                "eventTime": "2026-01-01T00:00:00.000000Z",
                "involvedObject": {"namespace": "a"},
                "reportingComponent": "x/y",
            },
            ["reportingInstance: Required value", "action: Required value", "reason: Required value"],
        ),
    ],
)
def test_what_is_wrong_with_an_event(event, expected):
    assert findings(EVENT, event) == expected


def test_an_event_in_one_line():
    event = {
        "metadata": {"name": "p.1"},
        "type": "Warning",
        "reason": "BackOff",
        "message": " again \n",
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec.containers{a}"},
        "source": {"component": "agent", "host": "n1"},
        "firstTimestamp": ago(3600),
        "lastTimestamp": ago(10),
        "count": 7,
    }
    assert not EVENT.name_column
    assert row(EVENT, event, wide=True) == {
        "Last Seen": "10s",
        "Type": "Warning",
        "Reason": "BackOff",
        "Object": "pod/p",
        "Subobject": "spec.containers{a}",
        "Source": "agent, n1",
        "Message": "again",
        "First Seen": "60m",
        "Count": 7,
        "Name": "p.1",
    }


def test_an_event_of_a_series():
    event = {
        "eventTime": ago(3600),
        "series": {"count": 4, "lastObservedTime": ago(20)},
        "involvedObject": {"kind": "Node"},
        "reportingComponent": "c",
    }
    wide = row(EVENT, event, wide=True)
    assert [wide[name] for name in ("Last Seen", "First Seen", "Count", "Object", "Source")] == ["20s", "60m", 4, "node", "c"]


def test_an_event_counts_as_its_series_does_even_if_that_says_nothing_yet():
    counts = [row(EVENT, {"count": 3, **series}, wide=True)["Count"] for series in ({}, {"series": {}}, {"series": {"count": 5}})]
    assert counts == [3, 0, 5]
    assert row(EVENT, {"lastTimestamp": ago(60), "series": {}})["Last Seen"] == "<unknown>"


# Fields that selectors name


@pytest.mark.parametrize(
    ("kind", "path", "obj", "expected"),
    [
        ("Event", "source", {"source": {"component": "a"}, "reportingComponent": "b"}, "a"),
        ("Event", "source", {"source": {}, "reportingComponent": "b"}, "b"),
        ("Pod", "spec.nodeName", {"spec": {"nodeName": "n"}}, "n"),
        ("Pod", "spec.hostNetwork", {"spec": {}}, None),
        ("Namespace", "name", {"metadata": {"name": "a"}}, "a"),
        ("Secret", "type", {"type": "Opaque"}, "Opaque"),
    ],
)
def test_a_field_that_selectors_name_is_found(kind, path, obj, expected):
    selectable = next(field for field in BY_NAME[kind].selectable if field.path == path)
    assert selectable.reader()(obj) == expected


# Lease and ServiceAccount


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"holderIdentity": "a", "leaseDurationSeconds": 15, "leaseTransitions": 0}, []),
        ({"leaseDurationSeconds": 0}, ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"]),
        ({"leaseTransitions": -1}, ["spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"]),
        ({"preferredHolder": "b"}, ["spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"]),
    ],
)
def test_what_is_wrong_with_a_lease(spec, expected):
    assert findings(LEASE, {"spec": spec}) == expected


def test_leases_and_accounts_in_one_line():
    assert row(LEASE, {"spec": {"holderIdentity": "a"}}) == {"Holder": "a", "Age": "<unknown>"}
    assert row(SERVICE_ACCOUNT, {"secrets": [{"name": "s"}]}) == {"Secrets": 1, "Age": "<unknown>"}
