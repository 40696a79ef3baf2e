"""The snapshot counts what is where, change by change."""

from svcsim.scheduler.changes import Change, Kind
from svcsim.scheduler.pod import PodInfo, read_pod
from svcsim.scheduler.snapshot import Snapshot
from tests.scheduler.build import node, pod, pod_object, snapshot


def bound(name: str, where: str = "one", phase: str = "Running", **parts: object) -> PodInfo:
    obj = pod_object(name, nodeName=where, **parts)
    obj["status"] = {"phase": phase}
    return read_pod(obj)


def kinds(changes: list[Change]) -> list[Kind]:
    return [change.kind for change in changes]


def requested(on: Snapshot, name: str = "one") -> dict[str, int]:
    info = on.node(name)
    assert info is not None
    return {resource: value for resource, value in info.requested.items() if value}


def test_requests_add_up_and_go_again():
    on = snapshot(node("one"))
    on.set_pod(bound("a", requests={"cpu": "250m", "memory": "64Mi"}))
    on.set_pod(bound("b", requests={"cpu": "1"}))
    assert requested(on) == {"cpu": 1250, "memory": 64 * 1024**2}
    assert kinds(on.remove_pod("default/a")) == [Kind.POD_GONE]
    assert requested(on) == {"cpu": 1000}


def test_an_assumed_pod_counts_at_once_and_only_once():
    on = snapshot(node("one"))
    on.assume(pod("a", requests={"cpu": "1"}), "one")
    assert requested(on) == {"cpu": 1000}
    on.set_pod(bound("a", requests={"cpu": "1"}))
    assert requested(on) == {"cpu": 1000}
    assert not on.is_assumed("default/a")


def test_a_forgotten_assumption_leaves_nothing_behind():
    on = snapshot(node("one"))
    on.assume(pod("a", requests={"cpu": "1"}), "one")
    on.forget("default/a")
    assert requested(on) == {}
    assert on.keys() == []


def test_a_finished_pod_takes_nothing():
    on = snapshot(node("one"))
    on.set_pod(bound("a", requests={"cpu": "1"}))
    assert kinds(on.set_pod(bound("a", phase="Succeeded", requests={"cpu": "1"}))) == [Kind.POD_GONE]
    assert requested(on) == {}


def test_init_containers_count_only_where_they_ask_for_more_and_sidecars_always():
    def container(cpu: str, **more: str) -> dict[str, object]:
        return {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}, **more}

    spec = {"containers": [container("1"), container("1")], "initContainers": [container("3"), container("500m", restartPolicy="Always")]}
    assert dict(pod("a", **spec).needs.requests) == {"cpu": 3000}
    spec["initContainers"].append(container("1"))
    assert dict(pod("a", **spec).needs.requests) == {"cpu": 3000}
    spec["overhead"] = {"cpu": "100m"}
    assert dict(pod("a", **spec).needs.requests) == {"cpu": 3100}


def test_pods_may_be_heard_of_before_their_node_and_outlive_it():
    on = Snapshot("node.kubernetes.io/unschedulable")
    on.set_pod(bound("a", requests={"cpu": "1"}))
    assert on.nodes == []
    on.set_node(node("one"))
    assert requested(on) == {"cpu": 1000}
    on.remove_node("one")
    on.set_node(node("one"))
    assert requested(on) == {"cpu": 1000}


def test_a_node_says_what_about_it_could_help():
    on = snapshot(node("one"))
    assert on.set_node(node("one")) == []
    assert kinds(on.set_node(node("one", cpu="8"))) == [Kind.NODE_CAPACITY]
    assert on.set_node(node("one", cpu="2")) == []
    assert kinds(on.set_node(node("one", cpu="2", labels={"a": "b"}))) == [Kind.NODE_LABELS]
    assert kinds(on.set_node(node("two"))) == [Kind.NODE_ADDED]
