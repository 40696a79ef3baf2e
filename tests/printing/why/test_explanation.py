"""An object and those below it, as people read them: nothing twice, and no more than need be."""

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import Object
from svcsim.printing.why.explanation import Explained, Why
from svcsim.printing.why.text import lines
from svcsim.printing.why.verdict import Coming, Verdict
from tests.printing.why.explaining import NOW


class Deep:
    """A cluster in which every object leads to another of its kind, without end."""

    dialect = KUBERNETES
    asked = 0

    def get(self, path: str, query: object = None) -> Object:
        self.asked += 1
        if "events" in path:
            return {"kind": "EventList", "items": []}
        owner = [{"uid": "u1", "controller": True}]
        pods = [
            {"metadata": {"name": f"p-{n}", "uid": f"p{n}", "ownerReferences": owner}, "status": {"phase": "Pending"}} for n in range(500)
        ]
        return {"kind": "PodList", "apiVersion": "v1", "items": pods}

    @property
    def reader(self) -> "Deep":
        return self

    way = ""

    def known(self, obj: Object) -> Object:
        return {}

    def now(self) -> float:
        return NOW

    def collections(self, namespace: str) -> list[str]:
        return []


def test_how_often_something_was_is_told_after_when() -> None:
    event = {"type": "Warning", "reason": "Bad", "message": "oh", "count": 3}
    told = {**event, "firstTimestamp": "2026-01-01T00:58:00Z", "lastTimestamp": "2026-01-01T00:59:52Z"}
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "it", "uid": "u1"}}
    one = Explained(obj, Verdict("is wrong"), [told, {**event, "count": 1, "firstTimestamp": "2026-01-01T00:59:52Z"}], (), ())
    assert list(lines(one, NOW)) == ["pod/it is wrong.", "  8s ago (x3 over 2m)  Warning Bad: oh", "  8s ago  Warning Bad: oh"]


def test_of_many_that_are_alike_one_is_told_and_no_more_are_read_than_need_be() -> None:
    around = Deep()
    metadata = {"name": "it", "namespace": "default", "uid": "u1", "generation": 1}
    spec = {"replicas": 500, "selector": {"matchLabels": {"a": "b"}}}
    obj = {
        "kind": "ReplicaSet",
        "apiVersion": "apps/v1",
        "metadata": metadata,
        "spec": spec,
        "status": {"observedGeneration": 1, "replicas": 500},
    }
    told = list(lines(Why(around).explain(obj), NOW))
    assert told[0] == "replicaset.apps/it has 0 of 500 pods ready."
    assert told[1] == "  pod/p-0 (and 9 others like it) isn't scheduled yet."
    assert told[-1] == "  And 490 more."
    assert around.asked < 15


def owned(name: str, by: str) -> Object:
    """An object that is deleted in the foreground, and has an owner that waits for it."""
    metadata = {"name": name, "uid": name, "deletionTimestamp": "2026-01-01T00:59:00Z", "finalizers": ["foregroundDeletion"]}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {**metadata, "ownerReferences": [{"uid": by, "blockOwnerDeletion": True}]}}


class Circle(Deep):
    """Two objects that own each other."""

    def get(self, path: str, query: object = None) -> Object:
        items = [] if "events" in path else [owned("a", "b"), owned("b", "a")]
        return {"kind": "ConfigMapList", "apiVersion": "v1", "items": items}

    def collections(self, namespace: str) -> list[str]:
        return ["/api/v1/configmaps"]


def test_nothing_is_told_twice_on_the_way_down() -> None:
    told = [line.strip() for line in lines(Why(Circle()).explain(owned("a", "b")), NOW)]
    state = "is being deleted, since 60s."
    assert [line for line in told if line.startswith("configmap/")] == [f"configmap/a {state}", f"configmap/b {state}"]
    assert not any(line.startswith("And ") for line in told), "what has been told isn't left out"


class Owning(Deep):
    """What depends on an object that is deleted in the foreground: one holds it, one doesn't."""

    def get(self, path: str, query: object = None) -> Object:
        if "events" in path:
            return {"kind": "EventList", "items": []}
        owners = {"holds": {"uid": "u1", "blockOwnerDeletion": True}, "lets-go": {"uid": "u1"}}
        items = [{"metadata": {"name": name, "uid": name, "ownerReferences": [owner]}} for name, owner in owners.items()]
        return {"kind": "ConfigMapList", "apiVersion": "v1", "items": items}

    def collections(self, namespace: str) -> list[str]:
        return ["/api/v1/configmaps"]


def test_an_owner_waits_for_those_alone_that_block_its_deletion() -> None:
    metadata = {"name": "it", "uid": "u1", "deletionTimestamp": "2026-01-01T00:59:00Z", "finalizers": ["foregroundDeletion"]}
    explanation = Why(Owning()).explain({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata})
    assert [one.obj["metadata"]["name"] for one in explanation.below] == ["holds"]


def event(reason: str, uid: str, at: str) -> Object:
    """An event about what had a UID, seen at a time of one hour."""
    seen = f"2026-01-01T00:{at}Z"
    return {"metadata": {"name": f"e.{at}"}, "reason": reason, "message": reason, "involvedObject": {"uid": uid}, "lastTimestamp": seen}


class Namesakes(Deep):
    """A cluster that tells of several objects of one name, one after the other."""

    def __init__(self, *events: Object) -> None:
        self.events = events

    def get(self, path: str, query: object = None) -> Object:
        selector = query.get("fieldSelector", "") if isinstance(query, dict) else ""
        uid = selector.partition("uid=")[2]
        found = [one for one in self.events if not uid or one["involvedObject"]["uid"] == uid]
        return {"kind": "EventList", "items": found if "events" in path else []}


def test_of_what_is_gone_is_told_what_became_of_the_last_of_its_name() -> None:
    before, after = event("Preempted", "a", "10:00"), event("Started", "b", "20:00")
    gone = Why(Namesakes(before, after)).explain_gone("v1", "Pod", "default", "it")
    assert gone is not None
    assert (gone.verdict.because, [one["reason"] for one in gone.events]) == ((), ["Started"])
    gone = Why(Namesakes(after, event("Preempted", "c", "30:00"))).explain_gone("v1", "Pod", "default", "it")
    assert gone is not None
    assert gone.verdict.because == ("A pod of higher priority took its place: Preempted.",)


def test_what_an_agent_told_of_an_earlier_node_of_its_name_is_nothing_of_this_one() -> None:
    told = (event("Starting", "it", "10:00"), event("RegisteredNode", "a", "10:01"), event("Starting", "it", "20:00"))
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "it", "uid": "b", "creationTimestamp": "2026-01-01T00:20:00Z"}}
    assert [one["lastTimestamp"] for one in Why(Namesakes(*told)).explain(node).events] == ["2026-01-01T00:20:00Z"]
    gone = Why(Namesakes(*told, event("RegisteredNode", "b", "20:01"))).explain_gone("v1", "Node", "", "it")
    assert gone is not None
    assert [one["lastTimestamp"] for one in gone.events] == ["2026-01-01T00:20:00Z", "2026-01-01T00:20:01Z"]


def test_an_event_that_says_what_has_been_said_is_left_out() -> None:
    event = {"type": "Warning", "reason": "Evicted", "message": "The disk is full", "lastTimestamp": "2026-01-01T00:59:52Z"}
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "it", "uid": "u1"}}
    one = Explained(obj, Verdict("has failed", because=("Evicted: The disk is full.",)), [event], (), ())
    assert list(lines(one, NOW)) == ["pod/it has failed.", "  Evicted: The disk is full."]


def test_what_is_in_another_namespace_than_what_it_explains_says_in_which() -> None:
    def told(kind: str, namespace: str) -> Explained:
        return Explained({"kind": kind, "apiVersion": "v1", "metadata": {"name": "it", "namespace": namespace}}, Verdict("is"), [], (), ())

    for above, where in ((told("PersistentVolume", ""), " in namespace shop"), (told("Service", "shop"), ""), (told("Namespace", ""), "")):
        assert list(lines(above._replace(below=(told("Pod", "shop"),)), NOW))[1] == f"  pod/it{where} is."


def test_what_should_have_come_to_pass_already_is_overdue() -> None:
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "it"}}
    for after_s, told in ((0, "Next: it goes now"), (4, "Next: it goes now"), (60, "Overdue for 60s: it goes")):
        one = Explained(obj, Verdict("is", then=(Coming("it goes", NOW),)), [], (), ())
        assert list(lines(one, NOW + after_s))[1] == f"  {told} (2026-01-01T01:00:00Z)."
