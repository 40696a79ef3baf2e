"""Objects as texts."""

from svcsim.meta.types import Object
from svcsim.tui.model.ink import Ink
from svcsim.tui.model.texts import describe_lines, describe_spans, yaml_lines, yaml_spans

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
NOW = 1_767_225_600.0 + 330


def event(reason: str, seen: str, kind: str = "Normal", count: int = 1) -> Object:
    return {
        "metadata": {"name": f"web.{reason}"},
        "type": kind,
        "reason": reason,
        "message": f"{reason}\nhappened",
        "lastTimestamp": seen,
        "count": count,
        "source": {"component": "kubelet"},
    }


def test_yaml_leaves_managed_fields_out_until_asked_for():
    assert "  managedFields:" not in yaml_lines(POD)
    assert "  managedFields:" in yaml_lines(POD, managed_fields=True)
    assert "managedFields" in POD["metadata"]


def test_a_description_says_who_it_is():
    lines = describe_lines(POD, [], NOW)
    assert lines[:6] == [
        "Name:          web-1",
        "Namespace:     shop",
        "Kind:          Pod (v1)",
        "Age:           5m30s",
        "Labels:        a=1",
        "               b=2",
    ]
    assert "Controlled by: ReplicaSet/web" in lines


def test_a_description_has_the_parts_that_say_something():
    lines = describe_lines(POD, [], NOW)
    assert "  nodeName: node-1" in lines
    assert "  - example.com/wait" in lines
    assert "Status" not in lines


def test_events_stand_in_the_order_in_which_they_happened():
    events = [event("Started", "2026-01-01T00:05:00Z"), event("BackOff", "2026-01-01T00:04:30Z", "Warning", 3)]
    lines = describe_lines(POD, events, NOW)
    assert lines[-3:] == [
        "  Type     Reason   Age       From     Message",
        "  Warning  BackOff  60s (x3)  kubelet  BackOff happened",
        "  Normal   Started  30s       kubelet  Started happened",
    ]


def test_an_object_without_events_says_so():
    assert describe_lines(POD, [], NOW)[-2:] == ["Events", "  <none>"]


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
    for line in describe_lines(POD, [event("X", "2026-01-01T00:04:30Z", "Warning")], NOW):
        assert "".join(span.text for span in describe_spans(line)) == line


def test_warnings_are_inked():
    assert describe_spans("  Warning  BackOff")[0].ink is Ink.BUSY
