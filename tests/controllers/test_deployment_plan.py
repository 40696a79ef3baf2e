"""The arithmetic of rollouts, in tables; the numbers are those a real cluster arrives at."""

import pytest

from svcsim.clock import format_time
from svcsim.controllers.deployment import sizes, status
from svcsim.controllers.deployment.plan import ChangeSet, CreateSet, DeleteSet, MarkRevision, Snapshot, make_plan
from svcsim.controllers.deployment.sets import find_new, to_clean_up
from svcsim.controllers.deployment.status import Moment
from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.meta.fingerprints import fingerprint
from svcsim.meta.objects import condition, copy_json
from svcsim.meta.types import Object
from svcsim.printing.describe.revisions import revision
from tests.controllers.running import deployment, template
from tests.virtual import START_S

MOMENT = Moment(START_S + 1_000, format_time(START_S + 1_000))


def rolling(replicas: int, surge: object, unavailable: object, **spec: object) -> Object:
    made = deployment("web", replicas, "nginx:2", **{"progressDeadlineSeconds": 600, **spec})
    made["metadata"].update(uid="d", generation=1)
    made["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    return made


def a_set(name: str, size: int, available: int | None = None, *, image: str = "nginx:1", age: int = 0, **marks: int) -> Object:
    """A ReplicaSet of ``size`` pods, of which ``available`` are (default: all)."""
    annotations = {f"deployment.kubernetes.io/{mark.replace('_', '-')}": str(value) for mark, value in marks.items()}
    count = size if available is None else available
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": name, "namespace": "default", "uid": name, "resourceVersion": "1", "generation": 1, "annotations": annotations,
            "creationTimestamp": format_time(START_S - age),
        },
        "spec": {"replicas": size, "template": template("web", image)},
        "status": {"replicas": size, "readyReplicas": count, "availableReplicas": count, "observedGeneration": 1},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (10, "25%", "25%", (3, 2)),
        (3, "25%", "25%", (1, 0)),
        (1, "25%", "25%", (1, 0)),
        (10, 2, 1, (2, 1)),
        (10, 0, "5%", (0, 1)),
        (2, 1, 5, (1, 2)),
        (0, "25%", "25%", (0, 0)),
    ],
)
def test_surge_rounds_up_unavailability_down_and_never_both_to_nothing(replicas, surge, unavailable, expected):
    assert sizes.fences(rolling(replicas, surge, unavailable)) == expected


@pytest.mark.parametrize(
    ("surge", "old", "new", "expected"),
    [
        (2, 10, 0, 2),
        (2, 8, 2, 4),
        (2, 10, 2, 2),
        (5, 10, 0, 5),
        (20, 10, 0, 10),
        (0, 10, 0, 0),
        (0, 0, 12, 10),
    ],
)
def test_the_new_set_grows_as_far_as_the_surge_allows(surge, old, new, expected):
    fresh = a_set("new", new, image="nginx:2")
    step = sizes.grow_new(rolling(10, surge, 1), fresh, [fresh, a_set("old", old)])
    assert step.get("new", new) == expected


@pytest.mark.parametrize(
    ("unavailable", "old", "old_available", "new", "new_available", "expected"),
    [
        pytest.param(2, 10, 10, 0, 0, 8, id="as many as may be unavailable"),
        pytest.param(0, 10, 10, 2, 0, 10, id="none before the new ones serve"),
        pytest.param(0, 10, 10, 2, 2, 8, id="one for each new one that serves"),
        pytest.param(2, 10, 5, 0, 0, 8, id="first those that serve nobody"),
        pytest.param(2, 10, 10, 2, 1, 7, id="new ones that don't serve count as missing"),
        pytest.param(2, 0, 0, 10, 10, 0, id="nothing left to do"),
    ],
)
def test_old_sets_shrink_as_far_as_enough_stay_available(unavailable, old, old_available, new, new_available, expected):
    fresh = a_set("new", new, new_available, image="nginx:2")
    step = sizes.shrink_old(rolling(10, 2, unavailable), fresh, [fresh, a_set("old", old, old_available)])
    assert step.get("old", old) == expected


def test_a_set_that_has_not_reported_yet_that_it_became_smaller_makes_no_other_pod_go():
    fresh = a_set("new", 3, 2, image="nginx:2")
    assert sizes.shrink_old(rolling(10, 2, 1), fresh, [fresh, a_set("old", 8, 9)]) == {"old": 7}


def test_the_oldest_set_shrinks_first():
    fresh = a_set("new", 2, image="nginx:2")
    step = sizes.shrink_old(rolling(10, 2, 3), fresh, [fresh, a_set("older", 2, age=100), a_set("old", 8, age=50)])
    assert step == {"older": 0, "old": 5}


@pytest.mark.parametrize(
    ("replicas", "old", "new", "expected"),
    [
        pytest.param(15, 8, 5, {"old": 11, "new": 7}, id="up from 10 with surge 3"),
        pytest.param(5, 8, 5, {"old": 5, "new": 3}, id="down"),
        pytest.param(0, 8, 5, {"old": 0, "new": 0}, id="to nothing"),
    ],
)
def test_scaling_keeps_the_proportions_of_a_rollout_under_way(replicas, old, new, expected):
    sets = [
        a_set("old", old, desired_replicas=10, max_replicas=13),
        a_set("new", new, 0, image="nginx:2", desired_replicas=10, max_replicas=13),
    ]
    assert sizes.scale(rolling(replicas, 3, 2), sets[1], sets, KUBERNETES) == expected


def test_a_single_set_takes_all_and_a_saturated_one_leaves_nothing_to_the_others():
    only = a_set("old", 3)
    assert sizes.scale(rolling(7, 1, 1), None, [only], KUBERNETES) == {"old": 7}
    new = a_set("new", 7, image="nginx:2", desired_replicas=7)
    assert sizes.scale(rolling(7, 1, 1), new, [new, a_set("old", 1)], KUBERNETES) == {"old": 0}


def test_a_template_is_recognized_whatever_its_hash_label():
    item = a_set("new", 1, image="nginx:2")
    item["spec"]["template"]["metadata"]["labels"]["pod-template-hash"] = "abc"
    assert find_new(rolling(1, 1, 0), [a_set("old", 1), item]) is item
    assert find_new(rolling(1, 1, 0), [a_set("old", 1)]) is None


def test_the_hash_of_a_template_is_stable_and_spells_nothing():
    """Names of ReplicaSets must not change from one version of svcsim to the next."""
    wanted = template("web")
    assert fingerprint(wanted, 0) == fingerprint(copy_json(dict(reversed(wanted.items()))), 0) == "bqz4r4tsbt"
    assert fingerprint(wanted, 1) != fingerprint(wanted, 0)


def test_a_new_template_gets_a_set_of_its_own_as_the_next_revision():
    plan = make_plan(Snapshot(rolling(4, 1, 1), [a_set("old", 4, revision=3)], ()), KUBERNETES, MOMENT)
    (action,) = plan.actions
    assert isinstance(action, CreateSet)
    assert action.replica_set["spec"]["replicas"] == 1
    assert action.replica_set["metadata"]["annotations"] == {
        "deployment.kubernetes.io/revision": "4",
        "deployment.kubernetes.io/desired-replicas": "4",
        "deployment.kubernetes.io/max-replicas": "5",
    }


def test_annotations_go_from_the_deployment_to_its_sets_but_for_those_about_itself():
    wish = rolling(1, 1, 0)
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    wish["metadata"]["annotations"] = {"note": "x", last_applied: "{}", "deployment.kubernetes.io/revision": "9"}
    (action,) = make_plan(Snapshot(wish, [], ()), KUBERNETES, MOMENT).actions
    assert isinstance(action, CreateSet)
    annotations = action.replica_set["metadata"]["annotations"]
    assert annotations["note"] == "x"
    assert last_applied not in annotations
    assert annotations["deployment.kubernetes.io/revision"] == "1"


def test_each_dialect_has_its_own_keys():
    (action,) = make_plan(Snapshot(rolling(1, 1, 0), [], ()), SVCAPI, MOMENT).actions
    assert isinstance(action, CreateSet)
    assert action.replica_set["metadata"]["annotations"]["deployment.svcapi.io/revision"] == "1"


def test_the_revision_is_marked_on_the_deployment_once_its_set_is_there():
    new = a_set("new", 1, image="nginx:2", revision=2, desired_replicas=1, max_replicas=2)
    plan = make_plan(Snapshot(rolling(1, 1, 0), [new], ()), KUBERNETES, MOMENT)
    assert plan.actions == [MarkRevision("2")]


def test_an_old_set_that_fits_again_becomes_the_newest_revision():
    back = a_set("back", 0, image="nginx:2", revision=1, age=10)
    plan = make_plan(Snapshot(rolling(1, 1, 0), [back, a_set("old", 1, revision=2)], ()), KUBERNETES, MOMENT)
    change, mark, grow = plan.actions
    assert isinstance(change, ChangeSet)
    assert change.patch["metadata"]["annotations"] == {
        "deployment.kubernetes.io/revision": "3",
        "deployment.kubernetes.io/revision-history": "1",
    }
    assert mark == MarkRevision("3")
    assert isinstance(grow, ChangeSet)
    assert grow.size == 1


@pytest.mark.parametrize("odd", [str(2**63), "9" * 5000, "x", "1_0", "²"], ids=lambda odd: odd[:20])
def test_a_revision_that_is_no_number_of_64_bits_counts_for_nothing(odd: str) -> None:
    old = a_set("old", 1)
    old["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = odd
    (action,) = make_plan(Snapshot(rolling(1, 1, 0), [old, a_set("older", 0, image="nginx:0", revision=4)], ()), KUBERNETES, MOMENT).actions
    assert isinstance(action, CreateSet)
    assert action.replica_set["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "5"
    assert revision(old) == 0
    assert revision(a_set("other", 1, revision=12)) == 12


def test_no_revision_follows_the_last_that_there_can_be() -> None:
    (action,) = make_plan(Snapshot(rolling(1, 1, 0), [a_set("old", 1, revision=2**63 - 1)], ()), KUBERNETES, MOMENT).actions
    assert isinstance(action, CreateSet)
    assert action.replica_set["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == str(2**63 - 1)


@pytest.mark.parametrize(("running", "acts"), [(("old",), False), ((), True)])
def test_a_recreate_waits_for_old_pods_to_end(running, acts):
    wish = rolling(2, 0, 0)
    wish["spec"]["strategy"] = {"type": "Recreate"}
    plan = make_plan(Snapshot(wish, [a_set("old", 0)], running), KUBERNETES, MOMENT)
    assert [type(action) for action in plan.actions] == ([CreateSet] if acts else [])


def test_old_revisions_beyond_the_limit_go_oldest_first_and_never_with_pods():
    wish = rolling(1, 1, 0, revisionHistoryLimit=1)
    wish["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "5"}
    new = a_set("new", 1, image="nginx:2", revision=5, desired_replicas=1, max_replicas=2)
    old = [a_set(f"r{number}", 0, revision=number) for number in (4, 2, 3)]
    plan = make_plan(Snapshot(wish, [new, *old], ()), KUBERNETES, MOMENT)
    assert [action.replica_set["metadata"]["name"] for action in plan.actions if isinstance(action, DeleteSet)] == ["r2", "r3"]
    old[1]["status"]["replicas"] = 1
    assert [item["metadata"]["name"] for item in to_clean_up(wish, old, KUBERNETES)] == ["r3"]


def conditions_of(wish: Object, sets: list[Object]) -> dict[str, tuple[str, str]]:
    made = make_plan(Snapshot(wish, sets, ()), KUBERNETES, MOMENT).status
    return {item["type"]: (item["status"], item["reason"]) for item in made["conditions"]}


def test_conditions_tell_how_a_rollout_stands():
    wish = rolling(2, 1, 0)
    fresh = a_set("new", 2, 0, image="nginx:2", revision=1, desired_replicas=2, max_replicas=3)
    assert conditions_of(wish, [fresh]) == {
        "Progressing": ("True", "ReplicaSetUpdated"),
        "Available": ("False", "MinimumReplicasUnavailable"),
    }
    done = a_set("new", 2, image="nginx:2", revision=1, desired_replicas=2, max_replicas=3)
    assert conditions_of(wish, [done]) == {
        "Progressing": ("True", "NewReplicaSetAvailable"),
        "Available": ("True", "MinimumReplicasAvailable"),
    }


def test_a_set_that_can_make_no_pods_shows_in_the_deployment():
    failing = a_set("new", 1, 0, image="nginx:2", revision=1, desired_replicas=1, max_replicas=2)
    failing["status"]["conditions"] = [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "quota"}]
    assert conditions_of(rolling(1, 1, 0), [failing])["ReplicaFailure"] == ("True", "FailedCreate")


@pytest.mark.parametrize(("waited_s", "expected"), [(30, None), (61, "ProgressDeadlineExceeded")])
def test_the_deadline_counts_from_the_last_progress(waited_s, expected):
    wish = rolling(2, 1, 0, progressDeadlineSeconds=60)
    stuck = a_set("new", 2, 1, image="nginx:2", revision=1, desired_replicas=2, max_replicas=3)
    since = format_time(MOMENT.seconds - waited_s)
    before = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "lastUpdateTime": since, "lastTransitionTime": since}
    wish["status"] = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1, "conditions": [before]}
    made = make_plan(Snapshot(wish, [stuck], ()), KUBERNETES, MOMENT).status
    progressing = condition({"status": made}, "Progressing") or {}
    assert progressing["reason"] == (expected or "ReplicaSetUpdated")
    again_in = status.recheck_in_s(wish, made, MOMENT.seconds)
    assert again_in == (None if expected else 31)
