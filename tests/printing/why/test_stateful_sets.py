"""Why StatefulSets are as they are: pods that come one after the other, and updates."""

import pytest

from svcsim.meta.types import Object
from tests.printing.why.explaining import NOW, condition, explained, owned_pod


def test_a_stateful_set_waits_for_the_first_pod_that_is_not_ready() -> None:
    owner = [{"uid": "u1", "controller": True}]
    pods = [
        {"metadata": {"name": f"it-{n}", "ownerReferences": owner}, "status": {"conditions": [condition("Ready", "False")]}}
        for n in (10, 2)
    ]
    status = {"observedGeneration": 1, "replicas": 2, "readyReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 11}, "status": status}, pods=pods)
    assert [one["metadata"]["name"] for one in verdict.below] == ["it-2"]
    assert verdict.because == ("Its pods come one after the other: no other is made or replaced before it-2 is ready.",)
    parallel = {"spec": {"replicas": 11, "podManagementPolicy": "Parallel"}, "status": status}
    assert len(explained("apps", "StatefulSet", parallel, pods=pods).below) == 2


def test_an_update_that_is_held_back_on_purpose_is_fine_and_says_so() -> None:
    status = {
        "observedGeneration": 1,
        "replicas": 3,
        "readyReplicas": 3,
        "updatedReplicas": 1,
        "currentRevision": "a",
        "updateRevision": "b",
    }
    held = {"spec": {"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}}, "status": status}
    verdict = explained("apps", "StatefulSet", held)
    assert (verdict.fine, verdict.because) == (True, ("Pods below number 2 keep their earlier template (partition).",))
    held["spec"]["ordinals"] = {"start": 5}
    assert explained("apps", "StatefulSet", held).because == ("Pods below number 7 keep their earlier template (partition).",)


@pytest.mark.parametrize(
    ("spec", "revision", "stuck"),
    [
        ({}, "old", True),
        ({}, "new", False),
        ({"updateStrategy": {"type": "OnDelete"}}, "old", False),
        ({"updateStrategy": {"rollingUpdate": {"partition": 1}}}, "old", False),
        ({"podManagementPolicy": "Parallel"}, "old", False),
    ],
)
def test_a_broken_pod_of_an_earlier_template_has_to_be_deleted_by_hand(spec: Object, revision: str, *, stuck: bool) -> None:
    labels = {"controller-revision-hash": revision}
    broken = {
        "metadata": {"name": "it-0", "labels": labels, "ownerReferences": [{"uid": "u1", "controller": True}]},
        "status": {"phase": "Pending", "conditions": [condition("Ready", "False")]},
    }
    status = {"observedGeneration": 1, "replicas": 1, "currentRevision": "old", "updateRevision": "new"}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 1, **spec}, "status": status}, pods=[broken])
    assert any("has to be deleted by hand" in text and "svcsim delete pod it-0 -n default" in text for text in verdict.because) == stuck
    assert not any("no other is made" in text for text in verdict.because), "there are no others"
    assert verdict.below == (broken,)


def test_a_stateful_set_makes_no_more_pods_before_the_last_counts_as_available() -> None:
    since = condition("Ready", "True", lastTransitionTime="2026-01-01T00:59:50Z")
    ready = {"metadata": {"name": "it-0", "ownerReferences": [{"uid": "u1", "controller": True}]}, "status": {"conditions": [since]}}
    status = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 0}
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 2, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert verdict.because == ("Its pods come one after the other: the next waits until the last has been ready for minReadySeconds.",)
    assert verdict.then == (("the next pod is made", NOW + 20),)
    whole = explained("apps", "StatefulSet", {"spec": {"replicas": 1, "minReadySeconds": 30}, "status": status}, pods=[ready])
    assert whole.state == "has all its pods ready, and not yet available"


ROLLING = {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "updatedReplicas": 0, "currentRevision": "a", "updateRevision": "b"}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"replicas": 3},
            "it-2 is being deleted: another is made in its place once it is gone, and nothing becomes of the others before.",
        ),
        ({"replicas": 3, "podManagementPolicy": "Parallel"}, "it-2 is being deleted: another is made in its place once it is gone."),
        ({"replicas": 1}, "Those that are too many go one after the other, the highest number first: it-2 is being deleted."),
        ({"replicas": 1, "podManagementPolicy": "Parallel"}, "it-2 is being deleted."),
    ],
)
def test_a_stateful_set_says_which_pod_on_its_way_out_is_waited_for(spec: Object, told: str) -> None:
    pods = [owned_pod("it-2", leaving=True), owned_pod("it-0"), owned_pod("it-1")]
    verdict = explained("apps", "StatefulSet", {"spec": spec, "status": ROLLING}, pods=pods)
    assert verdict.state.endswith(" (1 of them on its way out)")
    assert verdict.because[-1] == told
    assert verdict.below == (pods[0],)
    assert ("2 pods more than wanted are still there." in verdict.because) == (spec["replicas"] == 1)


def test_a_stateful_set_says_that_a_foreign_pod_has_the_name_of_one_that_it_lacks() -> None:
    foreign: list[Object] = [{"metadata": {"name": name}} for name in ("it-0", "it-7", "other-0", "it")]
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 2}, "status": {"observedGeneration": 1}}, pods=foreign)
    assert verdict.because == ("A pod that isn't its own has the name it-0: none can be made by that name before it goes.",)
    more: list[Object] = [*foreign, {"metadata": {"name": "it-1"}}]
    verdict = explained("apps", "StatefulSet", {"spec": {"replicas": 2}, "status": {"observedGeneration": 1}}, pods=more)
    assert verdict.because == ("Pods that aren't its own have the names it-0 and it-1: none can be made by those names before they go.",)
