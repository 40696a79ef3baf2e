"""What a budget's status says, in tables."""

import pytest

from svcsim.clock import format_time
from svcsim.controllers.disruption.plan import (
    DELETION_WAIT_S,
    BudgetSnapshot,
    DisruptionPlan,
    Report,
    Scale,
    failed,
    make_plan,
    wants_scales,
)
from svcsim.meta.types import Json, Object
from tests.virtual import START_S

NOW = START_S + 10_000.5
STAMP = format_time(NOW)


def pod(name: str, *, owner: str = "set", ready: bool = True, going: bool = False) -> Object:
    references = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}] if owner else []
    metadata = {"name": name, "namespace": "n", "uid": name, "ownerReferences": references}
    return {
        "metadata": {**metadata, **({"deletionTimestamp": STAMP} if going else {})},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }


def budget(status: Object | None = None, **spec: Json) -> Object:
    selector = {"matchLabels": {"app": "web"}}
    return {"metadata": {"name": "b", "namespace": "n", "generation": 3}, "spec": {"selector": selector, **spec}, "status": status or {}}


def plan(given: Object, pods: list[Object], now: float = NOW, **scales: int) -> DisruptionPlan:
    known = {uid: Scale(uid, replicas) for uid, replicas in scales.items()}
    return make_plan(BudgetSnapshot(given, pods, known, now, format_time(now)))


def pods(count: int, ready: int | None = None, **fields: Json) -> list[Object]:
    return [pod(f"p{i}", ready=i < (count if ready is None else ready), **fields) for i in range(count)]


@pytest.mark.parametrize(
    ("spec", "count", "ready", "replicas", "expected", "desired", "allowed"),
    [
        ({"minAvailable": 2}, 3, 3, None, 3, 2, 1),
        ({"minAvailable": 2}, 3, 2, None, 3, 2, 0),
        ({"minAvailable": 2}, 3, 1, None, 3, 2, 0),
        ({"minAvailable": 0}, 3, 3, None, 3, 0, 3),
        ({"minAvailable": 5}, 3, 3, None, 3, 5, 0),
        ({"minAvailable": 0}, 0, 0, None, 0, 0, 0),
        ({"minAvailable": "50%"}, 3, 3, 3, 3, 2, 1),
        ({"minAvailable": "0%"}, 3, 3, 3, 3, 0, 3),
        ({"minAvailable": "100%"}, 3, 3, 3, 3, 3, 0),
        ({"minAvailable": "50%"}, 3, 3, 10, 10, 5, 0),
        ({"maxUnavailable": 1}, 3, 3, 3, 3, 2, 1),
        ({"maxUnavailable": 1}, 3, 3, 5, 5, 4, 0),
        ({"maxUnavailable": 9}, 3, 3, 3, 3, 0, 3),
        ({"maxUnavailable": 0}, 3, 3, 3, 3, 3, 0),
        ({"maxUnavailable": "34%"}, 3, 3, 3, 3, 1, 2),
        ({"maxUnavailable": "50%"}, 3, 3, 0, 0, 0, 0),
        ({}, 3, 3, None, 0, 0, 0),
    ],
)
def test_counts(spec: Object, count: int, ready: int, replicas: int | None, expected: int, desired: int, allowed: int):
    given = budget(**spec)
    assert wants_scales(given) == (replicas is not None)
    scales = {} if replicas is None else {"set": replicas}
    made = plan(given, pods(count, ready), **scales)
    assert made.status == {
        "observedGeneration": 3,
        "disruptionsAllowed": allowed,
        "currentHealthy": ready,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "conditions": [
            {
                "type": "DisruptionAllowed",
                "status": "True" if allowed else "False",
                "observedGeneration": 3,
                "lastTransitionTime": STAMP,
                "reason": "SufficientPods" if allowed else "InsufficientPods",
                "message": "",
            }
        ],
    }
    assert (
        plan({**given, "status": made.status}, pods(count, ready), NOW + 5, **({} if replicas is None else {"set": replicas})).status
        is None
    )


def test_what_controls_pods_is_counted_once_however_it_is_referred_to():
    given = budget(maxUnavailable=1)
    scales = {"old": Scale("web", 3), "new": Scale("web", 3), "other": Scale("other", 2)}
    seen = [pod("a", owner="old"), pod("b", owner="new"), pod("c", owner="new"), pod("d", owner="other")]
    status = make_plan(BudgetSnapshot(given, seen, scales, NOW, STAMP)).status
    assert status is not None
    assert (status["expectedPods"], status["desiredHealthy"], status["currentHealthy"]) == (5, 4, 4)


def test_pods_on_their_way_out_and_pods_that_may_go_are_not_healthy():
    since = format_time(NOW - 10)
    given = budget({"disruptedPods": {"p1": since, "p2": since, "gone": since}}, minAvailable=1)
    made = plan(given, [pod("p0"), pod("p1"), pod("p2", going=True), pod("p3", ready=False)])
    assert made.status is not None
    assert made.status["disruptedPods"] == {"p1": since}
    assert (made.status["currentHealthy"], made.status["disruptionsAllowed"], made.status["expectedPods"]) == (1, 0, 4)
    assert made.recheck_in_s == pytest.approx(DELETION_WAIT_S - 10, abs=1)
    assert made.reports == []


def test_a_pod_that_was_to_go_and_stays_counts_again():
    since = format_time(NOW - DELETION_WAIT_S - 1)
    made = plan(budget({"disruptedPods": {"p0": since}}, minAvailable=1), pods(2))
    assert made.status is not None
    assert "disruptedPods" not in made.status
    assert made.status["disruptionsAllowed"] == 1
    assert made.recheck_in_s is None
    message = "Pod was expected by PDB n/b to be deleted but it wasn't"
    assert [(one.about["kind"], one.about["metadata"]["name"], *one[1:]) for one in made.reports] == [
        ("Pod", "p0", "Warning", "NotDeleted", message)
    ]


def test_looking_again_comes_to_an_end():
    """At the very moment that was asked for, the wait is over."""
    since = format_time(NOW)
    given = budget({"disruptedPods": {"p0": since}}, minAvailable=1)
    first = plan(given, pods(1))
    assert first.recheck_in_s is not None
    assert plan(given, pods(1), NOW + first.recheck_in_s).recheck_in_s is None


def test_what_there_is_to_tell():
    empty = budget(minAvailable=1)
    assert plan(empty, []).reports == [Report(empty, "Normal", "NoPods", "No matching pods found")]
    bare = [pod("p0", owner=""), pod("p1")]
    for given in (budget(maxUnavailable=1), budget(minAvailable="50%")):
        (told,) = plan(given, bare, set=1).reports
        assert (told.about, told.type, told.reason) == (given, "Warning", "UnmanagedPods")
        assert told.message.startswith("Pods selected by this PodDisruptionBudget (selector: app=web) were found to be unmanaged.")
    assert plan(budget(minAvailable=1), bare).reports == [], "a number speaks of pods, whoever controls them"


def test_where_pods_can_not_be_counted_none_may_go():
    before = plan(budget(minAvailable=1), pods(3)).status
    assert before is not None
    status = failed(budget(before), 'found no controllers for pod "p"', "2026-01-02T00:00:00Z")
    assert {name: value for name, value in status.items() if name != "conditions"} == {
        "observedGeneration": 3, "disruptionsAllowed": 0, "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3,
    }  # fmt: skip
    (told,) = status["conditions"]
    assert (told["status"], told["reason"], told["message"]) == ("False", "SyncFailed", 'found no controllers for pod "p"')
    assert failed(budget(status), 'found no controllers for pod "p"', "2026-01-03T00:00:00Z") == status
