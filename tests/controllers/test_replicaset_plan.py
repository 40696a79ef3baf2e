"""Which pods a ReplicaSet makes and gives up, in tables."""

import pytest

from svcsim import limits
from svcsim.client.cache import Cache, by_controller
from svcsim.clock import format_time
from svcsim.controllers.replicaset.known_pods import Counts, KnownPods, SetPods, get_to_know
from svcsim.controllers.replicaset.plan import ReplicaSetPlan, make_plan, make_status, status_patch
from svcsim.dialect import KUBERNETES
from svcsim.meta.indexed import object_key
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import available_in
from svcsim.meta.types import Object
from tests.controllers.running import replica_set
from tests.virtual import START_S

NOW = START_S + 10_000
NONE = Counts(0, 0, 0)


def pod(
    name: str,
    *,
    node: str = "n1",
    phase: str = "Running",
    ready_s: float | None = 5_000,
    age_s: float = 5_000,
    restarts: int = 0,
    cost: str = "",
) -> Object:
    """A pod that has been ready for ``ready_s`` seconds (None: it isn't) and exists for ``age_s``."""
    conditions = [] if ready_s is None else [{"type": "Ready", "status": "True", "lastTransitionTime": format_time(NOW - ready_s)}]
    annotations = {"controller.kubernetes.io/pod-deletion-cost": cost} if cost else {}
    return {
        "metadata": {
            "name": name, "uid": name, "labels": {"app": "web"}, "annotations": annotations, "creationTimestamp": format_time(NOW - age_s),
        },
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "conditions": conditions, "containerStatuses": [{"restartCount": restarts}]},
    }  # fmt: skip


def plan(wanted: int, pods: list[Object], related: list[Object] | None = None) -> ReplicaSetPlan:
    return make_plan(wanted, pods, pods if related is None else related, KUBERNETES, NOW)


def test_too_few_are_made_and_just_enough_left_alone():
    assert plan(3, [pod("a")]) == ReplicaSetPlan(2, [])
    assert plan(1, [pod("a")]) == ReplicaSetPlan(0, [])
    assert plan(10_000, []) == ReplicaSetPlan(limits.CREATIONS_AT_ONCE, [])


@pytest.mark.parametrize(
    ("given_up", "kept"),
    [
        pytest.param({"node": ""}, {}, id="unscheduled before scheduled"),
        pytest.param({"phase": "Pending"}, {"phase": "Unknown"}, id="pending before unknown"),
        pytest.param({"phase": "Unknown"}, {"phase": "Running"}, id="unknown before running"),
        pytest.param({"ready_s": None}, {}, id="not ready before ready"),
        pytest.param({"cost": "-5"}, {"cost": "5"}, id="cheap before dear"),
        pytest.param({"ready_s": 10}, {"ready_s": 5_000}, id="just ready before long ready"),
        pytest.param({"restarts": 3}, {}, id="restarting before steady"),
        pytest.param({"age_s": 10}, {"age_s": 5_000}, id="young before old"),
        pytest.param({"node": "", "ready_s": 9_000}, {"phase": "Pending", "ready_s": None}, id="a place counts more than readiness"),
        pytest.param({"ready_s": None, "cost": "100"}, {"cost": "-100"}, id="readiness counts more than cost"),
    ],
)
def test_what_is_worth_least_is_given_up(given_up, kept):
    worthless, worthy = pod("z", **given_up), pod("a", **kept)
    assert plan(1, [worthy, worthless]).delete == [worthless]
    assert plan(1, [worthless, worthy]).delete == [worthless]


def test_crowded_nodes_are_relieved_also_of_sister_sets_pods():
    alone, crowded, sister = pod("a", node="n1"), pod("b", node="n2"), pod("s", node="n2")
    assert plan(1, [alone, crowded], [alone, crowded, sister]).delete == [crowded]


def test_of_pods_of_about_the_same_age_the_uid_decides():
    assert plan(1, [pod("b", age_s=5_100), pod("a", age_s=5_000)]).delete[0]["metadata"]["name"] == "a"


def test_when_all_go_there_is_nothing_to_choose():
    pods = [pod("b"), pod("a", node="")]
    assert plan(0, pods).delete == pods


@pytest.mark.parametrize(("ready_s", "expected"), [(None, None), (10, 20), (30, 0), (40, -10)])
def test_a_pod_is_available_once_it_has_been_ready_long_enough(ready_s, expected):
    assert available_in(pod("a", ready_s=ready_s), 30, NOW) == expected


def known(item: Object, *pods: Object) -> SetPods:
    """What a set knows that has looked at these."""
    found = SetPods(item, {})
    found.learn({}, get_to_know(item, list(pods)))
    return found


def test_the_status_counts_what_is_there():
    item = replica_set("web", 3, minReadySeconds=30)
    item["metadata"]["generation"] = 7
    other = pod("c")
    other["metadata"]["labels"] = {"app": "other"}
    pods = known(item, pod("a"), pod("b", ready_s=10), pod("d", ready_s=None), other)
    assert pods.counts() == Counts(4, 3, 3)
    assert pods.counts(without=["b", "c", "gone"]) == Counts(2, 2, 1)
    assert [one["metadata"]["name"] for one in pods.pods(without=["a"])] == ["b", "d", "c"]
    status = make_status(item, pods.counts(), [-10.0, 20.0, 0.0], None, "now")
    assert status == {
        "replicas": 4, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 2, "observedGeneration": 7,
    }  # fmt: skip
    assert make_status(item, pods.counts(), None, None, "now")["availableReplicas"] == 3
    assert make_status(item, NONE, None, None, "now") == {"replicas": 0, "observedGeneration": 7}


def test_a_failure_comes_and_goes_in_the_status():
    item = replica_set("web")
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota"}
    failed = make_status(item, NONE, None, failure, "now")
    assert failed["conditions"] == [{**failure, "lastTransitionTime": "now"}]
    again = make_status({**item, "status": failed}, NONE, None, {**failure, "message": "quota again"}, "later")
    assert again["conditions"] == failed["conditions"]
    recovered = make_status({**item, "status": failed}, NONE, None, None, "later")
    patch = status_patch(failed, recovered)
    assert patch is not None
    assert {name: patch[name] for name in ("replicas", "conditions")} == {"replicas": 0, "conditions": None}
    assert status_patch(recovered, recovered) is None


def the_set() -> Object:
    """A set as a cache has it."""
    item = replica_set("web", 3)
    return {**item, "metadata": {**item["metadata"], "uid": "of-web"}}


def owned(item: Object, one: Object) -> Object:
    """The pod, controlled by the set."""
    reference = {"kind": "ReplicaSet", "name": "web", "uid": uid_of(item), "controller": True}
    return {**one, "metadata": {**one["metadata"], "namespace": "default", "ownerReferences": [reference]}}


class Watched:
    """A cache of pods, and what a set knows of them."""

    def __init__(self, item: Object, *pods: Object) -> None:
        self.item = item
        self.cache = Cache()
        self.cache.add_index(by_controller)
        self.known_pods = KnownPods()
        self.cache.add_handler(self.known_pods.seen)
        for one in pods:
            self.put(one)

    def put(self, one: Object) -> None:
        self.cache.seen(object_key(one), one)

    def known(self, item: Object | None = None) -> SetPods:
        return self.known_pods.of(object_key(self.item), item or self.item, self.cache)

    def look(self) -> dict[str, Object | None]:
        """Look at what has changed: all of it is the set's, but for what is gone."""
        pods = self.known()
        changed = pods.changed()
        pods.learn(changed, get_to_know(self.item, [one for one in changed.values() if one is not None]))
        return changed


def test_of_pods_that_have_not_changed_nothing_is_found_out_again():
    item = the_set()
    a, b, c = (owned(item, pod(name)) for name in "abc")
    watched = Watched(item, a, b, c)
    assert watched.look() == {"a": a, "b": b, "c": c}
    assert watched.known().counts() == Counts(3, 3, 3)
    unready, new = owned(item, pod("b", ready_s=None)), owned(item, pod("d"))
    unready["metadata"]["resourceVersion"] = "2"
    watched.put(unready)
    watched.put(new)
    watched.cache.gone(object_key(a), "a")
    assert watched.look() == {"b": unready, "d": new, "a": None}
    assert watched.known().counts() == Counts(3, 3, 2)
    assert watched.known().pods() == [unready, c, new]
    assert watched.look() == {}


def test_what_changes_during_a_look_is_looked_at_next_time():
    item = the_set()
    a = owned(item, pod("a"))
    watched = Watched(item, a)
    pods = watched.known()
    changed = pods.changed()
    unready = owned(item, pod("a", ready_s=None))
    unready["metadata"]["resourceVersion"] = "2"
    watched.put(unready)
    pods.learn(changed, get_to_know(item, [a]))
    assert pods.changed() == {"a": unready}
    watched.look()
    assert watched.known().counts() == Counts(1, 1, 0)


def test_what_another_controls_is_nobody_elses():
    item = the_set()
    a = owned(item, pod("a"))
    watched = Watched(item, a)
    watched.look()
    released = {**a, "metadata": {**a["metadata"], "ownerReferences": [], "resourceVersion": "2"}}
    watched.put(released)
    assert watched.look() == {"a": None}
    assert watched.known().counts() == NONE


def test_a_set_that_is_gone_is_forgotten():
    item = the_set()
    a = owned(item, pod("a"))
    watched = Watched(item, a)
    watched.look()
    watched.known_pods.forget(object_key(item))
    assert watched.known().changed() == {"a": a}


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"uid": "another"}},
        {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}},
        {"spec": {"selector": {"matchLabels": {"app": "other"}}}},
        {"spec": {"template": {"metadata": {"labels": {"tier": "front"}}}}},
    ],
)
def test_what_is_known_of_pods_is_so_for_one_selector_and_one_template_of_one_set(change):
    item = the_set()
    a = owned(item, pod("a"))
    watched = Watched(item, a)
    watched.look()
    assert watched.known().changed() == {}
    changed = {**item, **{part: {**item[part], **fields} for part, fields in change.items()}}
    assert watched.known(changed).changed() == ({} if "uid" in change.get("metadata", {}) else {"a": a})
    assert len(watched.known(changed)) == 0
