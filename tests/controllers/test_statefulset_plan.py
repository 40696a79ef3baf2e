"""What the StatefulSet controller decides, as tables: names, plans, updates, owners of claims, statuses and histories."""

import pytest

from svcsim import limits
from svcsim.client.revisions import HASH_LABEL
from svcsim.controllers.statefulset.claims import pods_of_claim
from svcsim.controllers.statefulset.history import StatefulSetHistory, surplus
from svcsim.controllers.statefulset.identity import Member, member, stateful_pod
from svcsim.controllers.statefulset.plan import StatefulSetPlan, make_plan
from svcsim.controllers.statefulset.retention import new_owners
from svcsim.controllers.statefulset.rolling import most_unavailable
from svcsim.controllers.statefulset.snapshot import StatefulSetSnapshot, take_snapshot
from svcsim.controllers.statefulset.status import available_next_s, make_status, status_patch
from svcsim.dialect import KUBERNETES
from svcsim.meta.objects import name_of
from svcsim.meta.types import Json, Object
from tests.controllers.statefuls import ON_DELETE, PARALLEL, rolling, stateful_set, with_claims

NOW = 1_000_000.0
READY_SINCE = "1970-01-12T13:45:40Z"
"""A minute before that."""


def pod(ordinal: int, how: str = "ready", revision: str = "new", *claims: str) -> Object:
    """``how``: ready, unready, pending, Failed, Succeeded, or with a minus before it, on its way out."""
    name, state = f"db-{ordinal}", how.removeprefix("-")
    phase = {"ready": "Running", "unready": "Running", "pending": "Pending"}.get(state, state)
    labels = {"app": "db", HASH_LABEL: revision, "statefulset.kubernetes.io/pod-name": name}
    metadata: Object = {"name": name, "namespace": "default", "uid": f"uid-{name}", "labels": labels}
    if how.startswith("-"):
        metadata["deletionTimestamp"] = READY_SINCE
    ready = {"type": "Ready", "status": "True" if state == "ready" else "False", "lastTransitionTime": READY_SINCE}
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": f"{claim}-{name}"}} for claim in claims]
    return {"metadata": metadata, "spec": {"volumes": volumes}, "status": {"phase": phase, "conditions": [ready]}}


def claim(name: str, *owners: Object, going: bool = False) -> Object:
    metadata: Object = {"name": name, "namespace": "default", "ownerReferences": list(owners)}
    return {"metadata": {**metadata, **({"deletionTimestamp": READY_SINCE} if going else {})}}


def owner(kind: str, name: str, uid: str, *, controller: bool = True) -> Object:
    api_version = {"StatefulSet": "apps/v1", "Pod": "v1"}.get(kind, "example.com/v1")
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": controller, "blockOwnerDeletion": True}


SET = owner("StatefulSet", "db", "uid-db")
POD = owner("Pod", "db-1", "uid-db-1")
OTHER = owner("Thing", "boss", "uid-boss")


def wish(replicas: int = 3, **spec: object) -> Object:
    found = stateful_set(replicas=replicas, **spec)
    found["metadata"]["uid"] = "uid-db"
    return found


def seen(item: Object, *pods: Object, claims: tuple[Object, ...] = ()) -> StatefulSetSnapshot:
    by_name = {name_of(one): one for one in claims}
    return take_snapshot(item, ("old", "new"), pods, by_name.get, NOW)


def told(plan: StatefulSetPlan) -> dict[str, Json]:
    """A plan, without what it leaves out."""
    fields = plan._asdict()
    for field in ("mend", "tend", "replace", "delete"):
        fields[field] = [name_of(one) for one in fields[field]]
    return {name: value for name, value in fields.items() if value}


def planned(item: Object, *pods: Object, claims: tuple[Object, ...] = ()) -> dict[str, Json]:
    return told(make_plan(seen(item, *pods, claims=claims), KUBERNETES))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("db-0", Member("db", 0)),
        ("my-db-10", Member("my-db", 10)),
        ("db-4294967294", Member("db", 4294967294)),
        ("db-99999999999999999999", None),
        ("db-01", None),
        ("db-", None),
        ("-1", None),
        ("db-x", None),
        ("db-\u0661", None),
        ("db", None),
        ("7", None),
    ],
)
def test_a_pods_name_says_whose_it_is_and_which(name: str, found: Member | None):
    assert member(name) == found


def test_a_claims_name_says_whose_it_may_be():
    assert pods_of_claim("data-my-db-0") == ["my-db-0", "db-0"]
    assert pods_of_claim("data") == []


@pytest.mark.parametrize(
    ("states", "ordered", "parallel"),
    [
        ((), {"create": [0]}, {"create": [0, 1, 2]}),
        (("ready",), {"create": [1]}, {"create": [1, 2]}),
        (("unready",), {}, {"create": [1, 2]}),
        (("pending",), {}, {"create": [1, 2]}),
        (("-ready",), {}, {"create": [1, 2]}),
        (("Failed",), {"replace": ["db-0"]}, {"replace": ["db-0"], "create": [1, 2]}),
        (("Succeeded", "ready"), {"replace": ["db-0"]}, {"replace": ["db-0"], "create": [2]}),
        (("-Failed", "ready"), {}, {"create": [2]}),
        (("ready", "ready", "ready"), {}, {}),
        (("ready", "ready", "ready", "ready", "ready"), {"delete": ["db-4"]}, {"delete": ["db-4", "db-3"]}),
        (("ready", "ready", "ready", "ready", "-ready"), {}, {"delete": ["db-3"]}),
        (("ready", "ready", "unready", "ready", "ready"), {}, {"delete": ["db-4", "db-3"]}),
        (("ready", "ready", "ready", "ready", "unready"), {"delete": ["db-4"]}, {"delete": ["db-4", "db-3"]}),
        (("ready", "ready", "ready", "unready", "ready"), {"delete": ["db-4"]}, {"delete": ["db-4", "db-3"]}),
        (("ready", "ready", "ready", "unready", "unready"), {}, {"delete": ["db-4", "db-3"]}),
        (("ready", "ready", "ready", "Failed"), {"delete": ["db-3"]}, {"delete": ["db-3"]}),
    ],
)
def test_pods_come_and_go_one_after_another_or_all_at_once(states: tuple[str, ...], ordered: Object, parallel: Object):
    pods = [pod(ordinal, how) for ordinal, how in enumerate(states)]
    assert planned(wish(), *pods) == ordered
    assert planned(wish(**PARALLEL), *pods) == parallel


def test_a_set_that_wants_billions_of_pods_is_looked_at_as_quickly_as_any():
    item = wish(2**31 - 1, ordinals={"start": 2**31 - 1}, **PARALLEL)
    plan = make_plan(seen(item, pod(2**31 + 1)), KUBERNETES)
    assert plan.create[:3] == [2**31 - 1, 2**31, 2**31 + 2]
    assert len(plan.create) == limits.CREATIONS_AT_ONCE


def test_a_gap_is_filled_before_anything_else_is_done():
    assert planned(wish(), pod(0), pod(2), pod(3)) == {"create": [1]}
    assert planned(wish(ordinals={"start": 2}), pod(1), pod(2)) == {"create": [3]}
    assert planned(wish(0), pod(0), pod(1)) == {"delete": ["db-1"]}


@pytest.mark.parametrize(
    ("spec", "pods", "deleted"),
    [
        ({}, "ooo", ["db-2"]),
        ({}, "oon", ["db-1"]),
        ({}, "nnn", []),
        (rolling(partition=2), "ooo", ["db-2"]),
        (rolling(partition=2), "oon", []),
        (rolling(partition=5), "ooo", []),
        (rolling(partition=1), "non", ["db-1"]),
        (rolling(maxUnavailable=2), "ooo", ["db-2", "db-1"]),
        (rolling(maxUnavailable="70%"), "ooo", ["db-2", "db-1"]),
        (ON_DELETE, "ooo", []),
        # What is wrong, in capitals, counts; where order doesn't, what is of an old template as well goes at once.
        (PARALLEL, "ooO", ["db-2"]),
        (PARALLEL, "oOO", ["db-2", "db-1"]),
        (PARALLEL, "ooN", []),
        (PARALLEL, "OoN", ["db-0"]),
        ({**PARALLEL, **rolling(maxUnavailable=2)}, "ooN", ["db-1"]),
        ({**PARALLEL, **rolling(maxUnavailable=2)}, "Ooo", ["db-0", "db-2"]),
        ({**PARALLEL, **rolling(partition=1)}, "OOo", ["db-1"]),
        ({**PARALLEL, **ON_DELETE}, "OOO", []),
        ({}, "ooO", []),
    ],
)
def test_pods_of_an_old_template_go_from_the_last_one_as_few_at_a_time_as_may(spec: Object, pods: str, deleted: list[str]):
    states = [
        pod(ordinal, "unready" if letter.isupper() else "ready", "old" if letter in "oO" else "new") for ordinal, letter in enumerate(pods)
    ]
    assert planned(wish(**spec), *states) == ({"delete": deleted} if deleted else {})


@pytest.mark.parametrize(("given", "replicas", "most"), [(1, 3, 1), (4, 3, 4), ("50%", 5, 2), ("10%", 5, 1), ("100%", 5, 5), (1, 0, 1)])
def test_how_many_may_be_unavailable_is_rounded_down_but_is_one(given: Json, replicas: int, most: int):
    assert most_unavailable(wish(replicas, **rolling(maxUnavailable=given))) == most


def test_a_pod_that_is_not_ready_for_long_enough_is_waited_for():
    item = wish(minReadySeconds=100)
    snapshot = seen(item, pod(0))
    assert told(make_plan(snapshot, KUBERNETES)) == {}
    assert available_next_s(snapshot) == 40.0
    assert planned(wish(minReadySeconds=60), pod(0)) == {"create": [1]}


def test_a_pod_without_its_label_or_its_volumes_is_mended():
    nameless = pod(0)
    nameless["metadata"]["labels"].pop("statefulset.kubernetes.io/pod-name")
    assert planned(wish(1), nameless) == {"mend": ["db-0"]}
    data = claim("data-db-0")
    assert planned(wish(1, **with_claims("data")), pod(0), claims=(data,)) == {"mend": ["db-0"]}
    assert planned(wish(1, **with_claims("data")), pod(0, "ready", "new", "data"), claims=(data,)) == {}
    assert planned(wish(1, **with_claims("data")), pod(0, "pending", "new", "data")) == {"tend": ["db-0"]}


def test_a_pod_is_not_made_while_a_claim_of_its_is_on_its_way_out():
    item = wish(1, **with_claims("data", "log"))
    going = (claim("data-db-0", going=True), claim("log-db-0"))
    assert planned(item, claims=going) == {"held_up": {0: ["data-db-0"]}}
    stale = (claim("data-db-0", owner("Pod", "db-0", "uid-before")),)
    assert planned(item, claims=stale) == {"create": [0]}
    assert planned(wish(1, **with_claims("data", scaled="Delete")), claims=stale) == {}


@pytest.mark.parametrize(
    ("scaled", "deleted", "wanted", "before", "after"),
    [
        ("Retain", "Retain", True, [], None),
        ("Retain", "Retain", True, [SET], []),
        ("Retain", "Retain", False, [POD, OTHER], [OTHER]),
        ("Retain", "Retain", True, [OTHER], None),
        ("Retain", "Delete", True, [], [SET]),
        ("Retain", "Delete", False, [SET], None),
        ("Retain", "Delete", True, [{**SET, "controller": False}], [SET]),
        ("Retain", "Delete", True, [{**OTHER, "controller": False}], [{**OTHER, "controller": False}, SET]),
        ("Retain", "Delete", True, [OTHER], None),
        ("Retain", "Delete", True, [{**SET, "controller": False}, OTHER], [OTHER]),
        ("Retain", "Delete", True, [{**SET, "uid": "uid-before"}], None),
        ("Delete", "Retain", True, [], None),
        ("Delete", "Retain", False, [], [POD]),
        ("Delete", "Retain", True, [POD], []),
        ("Delete", "Retain", False, [{**POD, "uid": "uid-before"}], None),
        ("Delete", "Delete", True, [], [SET]),
        ("Delete", "Delete", False, [SET], [POD]),
        ("Delete", "Delete", True, [POD], [SET]),
        ("Delete", "Delete", False, [POD], None),
    ],
)
def test_whom_a_claim_belongs_to(scaled: str, deleted: str, wanted: bool, before: list[Object], after: list[Object] | None):
    item = wish(**with_claims("data", scaled=scaled, deleted=deleted))
    assert new_owners(claim("data-db-1", *before), item, pod(1), wanted=wanted) == after


def test_claims_change_hands_before_their_pod_goes():
    item = wish(1, **with_claims("data", scaled="Delete", deleted="Delete"))
    pods = [pod(ordinal, "ready", "new", "data") for ordinal in (0, 1)]
    claims = (claim("data-db-0", SET), claim("data-db-1", SET))
    assert planned(item, *pods, claims=claims) == {"tend": ["db-1"], "delete": ["db-1"]}


def test_the_status_counts_pods_by_what_they_do_and_of_what_they_are():
    pods = [pod(0, "ready", "old"), pod(1, "-ready", "old"), pod(2, "unready", "new"), pod(3, "ready", "new")]
    item = wish(4, minReadySeconds=100)
    item["metadata"]["generation"] = 7
    assert make_status(seen(item, *pods), 2) == {
        "replicas": 4, "readyReplicas": 3, "availableReplicas": 0, "currentReplicas": 1, "updatedReplicas": 2,
        "observedGeneration": 7, "currentRevision": "old", "updateRevision": "new", "collisionCount": 2,
    }  # fmt: skip


@pytest.mark.parametrize(("spec", "over"), [({}, True), (ON_DELETE, False)])
def test_a_rollout_is_over_when_all_pods_are_new_and_ready(spec: Object, over: bool):
    status = make_status(seen(wish(2, **spec), pod(0), pod(1)), 0)
    assert (status["currentRevision"], status["currentReplicas"]) == (("new", 2) if over else ("old", 0))
    assert make_status(seen(wish(2, **spec), pod(0), pod(1, "unready")), 0)["currentRevision"] == "old"
    assert make_status(seen(wish(1, **spec), pod(0), pod(1)), 0)["currentRevision"] == "old"


def test_what_is_counted_is_written_together():
    before = make_status(seen(wish(2), pod(0), pod(1)), 0)
    assert status_patch(before, before) is None
    after = make_status(seen(wish(2)), 0)
    assert status_patch(before, after) == {
        "replicas": 0, "availableReplicas": 0, "readyReplicas": None, "currentReplicas": None, "updatedReplicas": None,
        "currentRevision": "old", "updateRevision": "new", "observedGeneration": 0,
    }  # fmt: skip


def test_of_a_history_the_oldest_go_that_nothing_is_of():
    kept = [{"metadata": {"name": f"db-{number}"}, "revision": number} for number in range(1, 7)]
    history = StatefulSetHistory(kept[1], kept[5], 0)
    pods = [pod(0, "ready", "db-3")]
    names = lambda limit: [name_of(item) for item in surplus(wish(revisionHistoryLimit=limit), kept, history, pods)]  # noqa: E731
    assert names(3) == []
    assert names(2) == ["db-1"]
    assert names(0) == ["db-1", "db-4", "db-5"]
    assert names(-1) == []


def test_a_pod_keeps_the_volumes_and_labels_of_its_template():
    item = wish(**with_claims("data"))
    item["spec"]["template"]["spec"]["volumes"] = [{"name": "tmp", "emptyDir": {}}, {"name": "data", "emptyDir": {}}]
    made = stateful_pod(item, item["spec"]["template"], "db-x", 4, KUBERNETES)
    assert made["metadata"]["labels"] == {
        "app": "db", HASH_LABEL: "db-x", "statefulset.kubernetes.io/pod-name": "db-4", "apps.kubernetes.io/pod-index": "4",
    }  # fmt: skip
    assert made["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-4"}},
        {"name": "tmp", "emptyDir": {}},
    ]
    assert "volumes" in item["spec"]["template"]["spec"]
    assert item["spec"]["template"]["metadata"]["labels"] == {"app": "db"}
