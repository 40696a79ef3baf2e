"""Objects as texts."""

from svcsim.meta.types import Object
from svcsim.tui.model.ink import Ink
from svcsim.tui.model.texts import describe_spans, yaml_lines, yaml_spans

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web-1",
        "namespace": "shop",
        "uid": "u",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"b": "2", "a": "1"},
        "finalizers": ["example.com/wait"],
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "controller": True}],
        "managedFields": [{"manager": "kubectl"}],
    },
    "spec": {"nodeName": "node-1"},
    "status": {},
}


def test_yaml_leaves_managed_fields_out_until_asked_for():
    assert "  managedFields:" not in yaml_lines(POD)
    assert "  managedFields:" in yaml_lines(POD, managed_fields=True)
    assert "managedFields" in POD["metadata"]


def test_keys_and_states_are_inked():
    assert [(span.text, span.ink) for span in yaml_spans("  phase: Running")] == [
        ("  ", Ink.FAINT),
        ("phase", Ink.KEY),
        (":", Ink.FAINT),
        (" Running", Ink.OK),
    ]


def test_inking_loses_nothing():
    for line in [*yaml_lines(POD, managed_fields=True), "  - image: nginx:1.27", '  "a b": c', "plain", ""]:
        assert "".join(span.text for span in yaml_spans(line)) == line
    for line in ("Name:         web-1", "Status:", "  Normal   Started  30s", "Data", "", "key: a: b", "  http://host: x"):
        assert "".join(span.text for span in describe_spans(line)) == line


def test_labels_states_and_warnings_of_a_description_are_inked():
    assert describe_spans("  Warning  BackOff  2s  kubelet  Back-off: x")[0].ink is Ink.BUSY
    assert describe_spans("  Normal  Pulled  2s  kubelet  Pulled: x")[0].ink is Ink.PLAIN
    assert describe_spans("    Ready:   False")[0] == ("    Ready:", Ink.KEY)
    assert describe_spans("Status:       Running")[1].ink is Ink.OK
